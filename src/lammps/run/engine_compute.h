// Properties of computes for run_style verlet/triad.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

class Compute;

/// Interface of our computes that read the engine's atoms if there is an engine.
class EngineCompute {
 protected:
  ~EngineCompute() = default;  // LAMMPS deletes computes as Compute
};

/// True if a compute does not read LAMMPS's per-atom arrays. For a pressure compute, the result depends on its
/// temperature compute; for a potential-energy compute, on the fixes that contribute energies.
bool leaves_atoms_alone(const Compute *compute);

/// Replaces LAMMPS's compute thermo_temp of style temp by temp/triad with the same settings (`ours`), or the other way
/// round. Does nothing to a compute of another style. Both styles compute the same numbers.
void set_thermo_temperature(LAMMPS *lmp, bool ours);

}  // namespace LAMMPS_NS
