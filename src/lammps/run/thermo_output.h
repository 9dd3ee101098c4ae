// What LAMMPS's output and sampling read, so that they need not cost a copy of all atoms.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

/// Whether a line of thermo output, as it is set up now, may read LAMMPS's per-atom arrays. What is not known to leave
/// them alone counts as reading them. To be called after the setup of a run.
bool thermo_reads_atoms(LAMMPS *lmp);

/// Whether a fix that averages or correlates global values may read LAMMPS's per-atom arrays: not if all computes are
/// among those that leave them alone, and no variable holds a formula.
bool samples_read_atoms(LAMMPS *lmp);

/// Makes LAMMPS's own compute thermo_temp one of style temp/triad, or the other way round, with the same settings;
/// leaves a compute of any other style alone. Both compute the same numbers.
void set_thermo_temperature(LAMMPS *lmp, bool ours);

}  // namespace LAMMPS_NS
