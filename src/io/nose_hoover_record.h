// The restart record of fix nvt and fix npt in LAMMPS's own layout (FixNH of LAMMPS), so that Triad and stock LAMMPS
// can read each other's records. The record is an array of doubles:
//
//   thermostat flag (0 or 1); if 1: number M of thermostats, M positions, M velocities
//   barostat flag (0 or 1);   if 1: strain of the box (6), its rate (6), reference volume, reference temperature,
//                                   number N of thermostats, N positions, N velocities,
//                                   flag of a reference box (0 or 1); if 1: inverse of the reference box (6)
//
// The six components are in Voigt order: xx, yy, zz, yz, xz, xy. Records of LAMMPS end here, so only flags, lengths and
// finite values can be checked in them. Records of Triad continue with four doubles that LAMMPS does not read:
//
//   eight letters that name the kind, version, number of doubles above, FNV-1a checksum (32 bits) of their bytes
#pragma once

#include <cstddef>
#include <vector>

#include "io/sealed_record.h"

namespace triad {

/// Positions (dimensionless) and velocities (1/time) of the thermostats of a chain; both vectors have the same length.
struct ChainRecord {
  std::vector<double> position, velocity;
};

/// The part of a record that only fix npt has.
struct BarostatRecord {
  double strain[6] = {}, rate[6] = {};  ///< dimensionless, 1/time
  double reference_volume = 0;          ///< at strain 0; 0 before the first run, when the reference box is meaningless
  double reference_temperature = 0;     ///< used by LAMMPS if there is no thermostat
  ChainRecord chain;                    ///< length 0 if the barostat has no thermostats
  bool has_reference_box = false;       ///< true if edges have different target pressures
  double reference_inverse[6] = {};     ///< 1/distance
};

struct NoseHooverRecord {
  ChainRecord chain;
  bool has_barostat = false;
  BarostatRecord barostat;
};

/// Returns the record in LAMMPS's layout, followed by the four doubles of Triad.
std::vector<double> pack_nose_hoover_record(const NoseHooverRecord &record);

/// Reads a record of fix nvt (`barostat` false) or fix npt (`barostat` true). `bytes` need not be aligned. `size` is
/// the number of readable bytes and may exceed the length of the record. Throws RestartRecordError if the record ends
/// too early, if a flag is neither 0 nor 1 or belongs to the other fix, if a length is not an integer, if a value is
/// not finite, or if the four trailing doubles of a record of Triad have another kind or version or do not match the
/// data.
NoseHooverRecord unpack_nose_hoover_record(const char *bytes, std::size_t size, bool barostat);

}  // namespace triad
