// The words of the commands that made LAMMPS's own sampling fixes, which LAMMPS does not keep: they say what a fix
// reads and when.
#pragma once

#include <string>
#include <vector>

#include "lammps.h"

namespace LAMMPS_NS {

class Fix;

/// Has the factories of LAMMPS's sampling fixes remember the words of the fix command from now on. LAMMPS may call them
/// when the plugin's styles are unloaded already, so that the plugin's file stays in memory (linker option nodelete).
void remember_fix_arguments(LAMMPS *lmp);

/// All words from the fix's ID on; empty if the fix was made before the plugin was loaded or is of another style.
std::vector<std::string> fix_arguments(const LAMMPS *lmp, const Fix *fix);

}  // namespace LAMMPS_NS
