// Words of formulas and of thermo output whose values LAMMPS computes without its arrays of atoms.
#pragma once

#include <string>
#include <vector>

namespace LAMMPS_NS {

std::string in_small_letters(std::string name);

/// True for thermo keywords, in small or capital letters, whose values come from the box, clocks and counters, or from
/// the computes of temperature, pressure and energy.
bool is_plain_keyword(std::string name);

/// True for the thermo keywords whose value in a step of a batch LAMMPS can compute after the batch, once
/// update->ntimestep is set to that step: those of the step, times, the number of atoms and the box. The box must not
/// change in the batch.
bool is_keyword_after_batch(std::string name);

/// What the value of a thermo keyword is computed from, if it is temperature, pressure or energies of the pair style.
struct KeywordSources {
  bool temperature = false;  ///< the temperature compute of the thermo output
  bool pressure = false;     ///< its pressure compute, which has a temperature compute of its own
  bool energy = false;       ///< energies of the pair style

  bool any() const { return temperature || pressure || energy; }
};
/// The sources of a keyword, in small or capital letters.
KeywordSources sources_of_keyword(std::string name);

/// True for the thermo keywords that contain the energies which fixes have taken from the atoms.
bool counts_coupling(std::string name);

/// True for functions and constants of formulas that read no per-atom arrays: of numbers, of vectors, of the time, of
/// random numbers and of LAMMPS's settings.
bool is_plain_word(const std::string &name);

/// A word of a formula that is not a number.
struct FormulaWord {
  std::string text;
  char next = '\0';  ///< the character behind the word; 0 at the end of the formula

  /// True for c_ID, f_ID and v_NAME.
  bool is_reference() const;
  /// The ID or the name of a reference.
  std::string id() const { return text.substr(2); }
};

/// The words of a formula in their order. The function count(group) is left out: its value needs no positions.
std::vector<FormulaWord> words_of_formula(const std::string &formula);

/// True if a formula, or another text with words like those of formulas, names the compute `id` as c_ID or C_ID.
bool names_compute(const std::string &text, const std::string &id);

}  // namespace LAMMPS_NS
