// Search for what reads the values of a compute.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

class Compute;

/// True if a compute, a fix or a variable may read the values of a per-atom compute. A style whose arguments are not
/// known counts as a reader, unless it is known to read no per-atom computes. Dumps, which read in the steps in which
/// they write, and computes of ours are not searched.
bool may_be_read(LAMMPS *lmp, const Compute *compute);

}  // namespace LAMMPS_NS
