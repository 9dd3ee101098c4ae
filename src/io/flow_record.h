// The global restart record of fix flow/triad: an array of doubles,
//
//   eight letters that name the kind, version, number of values, values, FNV-1a checksum (32 bits) of their bytes
//
// The states of the cells are in the per-atom part of a restart file.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace triad {

struct FlowRecord {
  double cells = 0, edges = 0;  ///< of the mesh
  double mesh_checksum = 0;     ///< of cells and edges
  double sub_steps = 0;         ///< since the first run
  double last_sub_steps = 0;    ///< of the last LAMMPS step
  double last_step = 0;         ///< time
  double volumes[4] = {};       ///< that entered through open, stage and discharge boundaries and as rain, length^3
};

/// Thrown for a record that cannot be used. what() gives the reason as the last clause of a sentence.
class FlowRecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::vector<double> pack_flow_record(const FlowRecord &record);

/// `bytes` need not be aligned. `size` is the number of readable bytes and may exceed the length of the record. Throws
/// FlowRecordError if the record ends too early, has another kind or version, does not match its checksum, or holds a
/// value that is not finite.
FlowRecord unpack_flow_record(const char *bytes, std::size_t size);

}  // namespace triad
