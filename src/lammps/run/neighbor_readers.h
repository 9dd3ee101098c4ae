// Search for computes, fixes, dumps and variables that may read ghosts or neighbour lists of LAMMPS.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

/// True unless output, and the samples of fixes that only read atoms, are known to read owned atoms alone. LAMMPS's
/// ghosts and lists need not be current then.
bool may_read_neighbors(LAMMPS *lmp);

}  // namespace LAMMPS_NS
