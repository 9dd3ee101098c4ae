// The global restart record of fix flow/triad: the numbers of a FlowRecord in the order of its members, in a record as
// io/sealed_record.h describes it. The states of the cells are in the per-atom part of a restart file.
#pragma once

#include <cstddef>
#include <vector>

#include "io/sealed_record.h"

namespace triad {

struct FlowRecord {
  double cells = 0, edges = 0;  ///< of the mesh
  double mesh_checksum = 0;     ///< of cells and edges
  double sub_steps = 0;         ///< since the first run
  double last_sub_steps = 0;    ///< of the last LAMMPS step
  double last_step = 0;         ///< time
  double volumes[4] = {};       ///< that entered through open, stage and discharge boundaries and as rain, length^3
  double user_step = 0;         ///< time step of the script, where the fix changes LAMMPS's (step cfl)
  double set_step = 0;          ///< LAMMPS's time step that the fix has set last
};

std::vector<double> pack_flow_record(const FlowRecord &record);

/// `bytes` need not be aligned. `size` is the number of readable bytes and may exceed the length of the record. Throws
/// RestartRecordError if the record ends too early, has another kind, version or number of values, does not match its
/// checksum, or holds a value that is not finite.
FlowRecord unpack_flow_record(const char *bytes, std::size_t size);

}  // namespace triad
