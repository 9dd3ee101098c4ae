// Search for computes, fixes and variables that read LAMMPS's per-atom arrays of positions, velocities and forces, so
// that a run copies atoms only for these. The search follows references.
#pragma once

#include <set>
#include <string>

#include "pointers.h"

namespace LAMMPS_NS {

class Compute;
class Fix;

class AtomReaders : protected Pointers {
 public:
  /// `after_setup`: the run is set up and LAMMPS's arrays are current, so a call of a pressure compute shows which
  /// temperature compute it uses. Before, that compute is assumed to read no atoms.
  AtomReaders(LAMMPS *lmp, bool after_setup) : Pointers(lmp), after_setup_(after_setup) {}

  // Each function returns the first reader found, such as "compute k (ke)", "variable d" or "column Fmax", or an empty
  // string. A style that is not known to work without atoms counts as a reader.

  /// Searches the present thermo output.
  std::string in_thermo();
  /// Searches the values of a fix for which samples_values() is true, see fix_traits.h.
  std::string in_samples(const Fix *fix);

 private:
  std::string of_compute(const std::string &id);
  std::string of_pressure(Compute *pressure);
  std::string of_fix(const std::string &id);
  std::string of_energies() const;
  std::string of_coupling() const;
  std::string of_thermo_keyword(const std::string &keyword);
  std::string of_variable(const std::string &name);
  std::string in_formula(const std::string &formula, const std::string &holder);
  std::string in_reference(const std::string &word);
  std::string in_text(const std::string &text);
  std::string in_column(const std::string &column);

  bool after_setup_;
  std::set<std::string> visited_;  // variables found so far; a variable may refer to itself
};

/// The steps in which a sampling fix reads its values.
class SamplingSteps {
 public:
  SamplingSteps() = default;  ///< all steps in which the fix is called
  SamplingSteps(bigint every, bigint repeat, bigint period) : every_(every), repeat_(repeat), period_(period) {}
  /// Of one of LAMMPS's fixes.
  explicit SamplingSteps(const LAMMPS *lmp, const Fix *fix);
  bool includes(bigint step) const;
  /// Average number of steps between samples of a fix that is called every `called` steps.
  bigint interval(bigint called) const { return period_ > 0 ? period_ / repeat_ : called; }

 private:
  bigint every_ = 0, repeat_ = 0, period_ = 0;  // Nevery Nrepeat Nfreq, or 0
};

}  // namespace LAMMPS_NS
