// Search for what reads the values of a compute.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

class Compute;

/// True if a compute, a fix or a variable may read the values of a per-atom compute. Fixes whose arguments are known
/// (command_arguments.h) and variables are searched for the ID. Every other fix or compute of LAMMPS counts as a
/// reader, unless its style is known to read no per-atom compute. Fixes and computes of Triad are not searched, nor are
/// dumps, which VerletTriad::set_tally_flags() handles.
bool may_be_read(LAMMPS *lmp, const Compute *compute);

}  // namespace LAMMPS_NS
