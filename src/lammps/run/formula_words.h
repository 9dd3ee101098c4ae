// Words of formulas and of thermo output whose values LAMMPS computes without its arrays of atoms.
#pragma once

#include <string>

namespace LAMMPS_NS {

/// True for thermo keywords, in small or capital letters, whose values come from the box, clocks and counters, or from
/// the computes of temperature, pressure and energy.
bool is_plain_keyword(std::string name);

/// True for functions and constants of formulas that use only numbers, vectors of other styles and the time.
bool is_plain_word(const std::string &name);

}  // namespace LAMMPS_NS
