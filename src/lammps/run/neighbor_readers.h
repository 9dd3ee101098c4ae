// Search for computes, fixes, dumps and variables that may read ghosts or neighbour lists of LAMMPS.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

/// False if all computes, fixes, dumps and variables are known to read owned atoms only, so that output and the fixes
/// of only_reads_atoms() need no current ghosts and lists of LAMMPS.
bool may_read_neighbors(LAMMPS *lmp);

}  // namespace LAMMPS_NS
