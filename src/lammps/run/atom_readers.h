// What reads LAMMPS's per-atom arrays of positions, velocities and forces, so that a run copies atoms there only for
// what reads them. Computes, fixes and variables are followed by what they refer to.
#pragma once

#include <set>
#include <string>

#include "pointers.h"

namespace LAMMPS_NS {

class Compute;
class Fix;

class AtomReaders : protected Pointers {
 public:
  /// `after_setup`: LAMMPS's arrays are current and the run is set up, so that computes of pressure can be asked which
  /// temperature they use; before, that is taken for one that reads no atoms.
  AtomReaders(LAMMPS *lmp, bool after_setup) : Pointers(lmp), after_setup_(after_setup) {}

  // Each returns the first thing found that reads atoms, as "compute k (ke)", "variable d" or "column Fmax", or an
  // empty string. What is not known to leave atoms alone counts as reading them.

  /// A line of thermo output as it is set up now.
  std::string in_thermo();
  /// The values of a fix that samples_values(), see fix_traits.h.
  std::string in_samples(const Fix *fix);

 private:
  std::string of_compute(const std::string &id);
  std::string of_pressure(Compute *pressure);
  std::string of_fix(const std::string &id);
  std::string of_energies() const;
  std::string of_thermo_keywords();
  std::string of_variable(const std::string &name);
  std::string in_formula(const std::string &formula, const std::string &holder);
  std::string in_reference(const std::string &word);
  std::string in_text(const std::string &text);
  std::string in_column(const std::string &column);
  int variable_index(const std::string &name) const;

  bool after_setup_;
  std::set<std::string> visited_;  // variables, of which one may refer to itself
};

/// When one of LAMMPS's sampling fixes reads its values, of the steps in which it is called.
class SamplingSteps {
 public:
  SamplingSteps() = default;  ///< in each
  explicit SamplingSteps(const LAMMPS *lmp, const Fix *fix);
  bool includes(bigint step) const;
  /// Steps from one sample to the next, on average, of a fix that is called every `called` steps.
  bigint interval(bigint called) const { return period_ > 0 ? period_ / repeat_ : called; }

 private:
  bigint every_ = 0, repeat_ = 0, period_ = 0;  // Nevery Nrepeat Nfreq, or 0
};

}  // namespace LAMMPS_NS
