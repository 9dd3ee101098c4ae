// Formulas of fix pairwise/triad, parsed and differentiated by the Lepton library in LAMMPS.
#pragma once

#include <memory>
#include <string>

#include "potentials/pairwise/formula.h"

namespace LAMMPS_NS {

/// Returns the steps of a formula in r, in the syntax of LAMMPS's LEPTON package. Names other than r that the formula
/// does not define are its parameters. Throws triad::FormulaError, and std::runtime_error if this LAMMPS lacks Lepton.
std::shared_ptr<const triad::Formula> parse_formula(const std::string &text);

}  // namespace LAMMPS_NS
