// Syntax of formulas, as LAMMPS's LEPTON package defines it: numbers, names, + - * / ^, functions, and definitions
// "; name = expression" after the formula, of which later ones may be used by earlier ones.
//
// Lepton itself parses the formulas. Its errors do not say where the error is, so this check comes first; the check
// also finds the names that the user has to give values for.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace triad {

/// what() reads "in the formula "...", character N: what is wrong; what to do", with N from 1.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(const std::string &formula, std::size_t position, const std::string &message);
  const std::size_t position;  ///< from 1
};

/// Returns the names of the formula other than r and those with a definition, in the order of their first use. Throws
/// FormulaError.
std::vector<std::string> free_names(const std::string &formula);

}  // namespace triad
