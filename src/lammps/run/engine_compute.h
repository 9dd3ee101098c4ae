// What run_style verlet/triad knows of computes.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

class Compute;

/// For our computes that take what they need from the engine where the atoms are there.
class EngineCompute {
 protected:
  ~EngineCompute() = default;  // LAMMPS deletes computes as Compute
};

/// Whether a compute reads nothing of LAMMPS's per-atom arrays. Of a compute of pressure that holds if it does of its
/// temperature, of one of potential energy if it does of the fixes whose energies count.
bool leaves_atoms_alone(const Compute *compute);

/// Makes LAMMPS's own compute thermo_temp one of style temp/triad, or the other way round, with the same settings;
/// leaves a compute of any other style alone. Both compute the same numbers.
void set_thermo_temperature(LAMMPS *lmp, bool ours);

}  // namespace LAMMPS_NS
