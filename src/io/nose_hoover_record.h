// The restart record of fix nvt and npt in LAMMPS's own layout (FixNH of LAMMPS), so that either side reads what the
// other wrote. The record is a row of doubles:
//
//   thermostat flag (0 or 1); if 1: number M of thermostats, M positions, M velocities
//   barostat flag (0 or 1);   if 1: strain of the box (6), its rate (6), reference volume, reference temperature,
//                                   number N of thermostats, N positions, N velocities,
//                                   flag of a reference box (0 or 1); if 1: inverse of the reference box (6)
//
// The six components are in Voigt order: xx, yy, zz, yz, xz, xy. LAMMPS's own records end here, so nothing but flags,
// lengths and finite values can be checked in them. Ours go on with four doubles that LAMMPS does not read:
//
//   eight letters that name the kind, version, number of doubles above, FNV-1a checksum (32 bits) of their bytes
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace triad {

/// Positions (dimensionless) and velocities (1/time) of the thermostats of a chain; equally long.
struct ChainRecord {
  std::vector<double> position, velocity;
};

/// The part of a record that only npt has.
struct BarostatRecord {
  double strain[6] = {}, rate[6] = {};  ///< dimensionless, 1/time
  double reference_volume = 0;          ///< at strain 0; 0: no run has begun yet, and the reference box has no meaning
  double reference_temperature = 0;     ///< that LAMMPS uses where there is no thermostat
  ChainRecord chain;                    ///< may be of length 0
  bool has_reference_box = false;       ///< where edges have pressures of their own
  double reference_inverse[6] = {};     ///< 1/distance
};

struct NoseHooverRecord {
  ChainRecord chain;
  bool has_barostat = false;
  BarostatRecord barostat;
};

/// Thrown for a record that is refused. what() says what does not fit, as the end of a sentence.
class RestartRecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The record with its four doubles at the end.
std::vector<double> pack_nose_hoover_record(const NoseHooverRecord &record);

/// Reads a record of fix nvt (`barostat` false) or npt (`barostat` true). `bytes` need not be aligned. `size`: bytes
/// that may be read; more than the record has is no fault. Throws RestartRecordError if the record ends too early, a
/// flag is neither 0 nor 1 or not that of the fix, a length is no whole number, a value is not finite, or the four
/// doubles at the end of a record of ours are of another kind or version or do not fit what is before them.
NoseHooverRecord unpack_nose_hoover_record(const char *bytes, std::size_t size, bool barostat);

}  // namespace triad
