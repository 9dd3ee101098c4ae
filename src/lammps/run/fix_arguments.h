// Arguments of the fix commands of LAMMPS's sampling fixes (ave/time and others): the values that a fix reads, and the
// steps in which it reads them. LAMMPS does not keep these arguments.
#pragma once

#include <string>
#include <vector>

#include "lammps.h"

namespace LAMMPS_NS {

class Fix;

/// Replaces the factories of LAMMPS's sampling fixes by functions that store the arguments and call the factory. LAMMPS
/// may call these functions after the plugin's styles are unloaded, so the plugin stays in memory (linker option
/// nodelete).
void remember_fix_arguments(LAMMPS *lmp);

/// Returns the words of the fix command from the ID on; empty if the fix was made before the plugin was loaded or is of
/// another style.
std::vector<std::string> fix_arguments(const LAMMPS *lmp, const Fix *fix);

}  // namespace LAMMPS_NS
