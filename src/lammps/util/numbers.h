// Numbers of a script, with errors that name the setting.
#pragma once

#include <string>

#include "pointers.h"

namespace LAMMPS_NS {

/// The value of `setting`, as "fix pairwise/triad G of gravity". An error for a word that is no finite number.
double finite_number(LAMMPS *lmp, const std::string &setting, const std::string &word);

/// Likewise a whole number.
int whole_number(LAMMPS *lmp, const std::string &setting, const std::string &word);

}  // namespace LAMMPS_NS
