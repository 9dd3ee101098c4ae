// The selection of the functor of a law.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "forces/pairwise/pair_numbers.h"
#include "potentials/pairwise/exponential_laws.h"
#include "potentials/pairwise/formula_law.h"
#include "potentials/pairwise/laws.h"
#include "potentials/pairwise/listed_laws.h"

namespace triad {

/// Calls f(law, settings) with the functor of the law of `settings` (not listed) in arithmetic Real.
/// `equal_strengths`: all strengths are equal, and the functor omits them.
template <class Real, class F>
void with_law(const PairLawSettings &settings, bool equal_strengths, F &&f) {
  if (const auto *gravity = std::get_if<GravitySettings>(&settings)) {
    if (equal_strengths)
      f(GravityLaw<Real, false>(*gravity), *gravity);
    else
      f(GravityLaw<Real, true>(*gravity), *gravity);
  } else if (const auto *coulomb = std::get_if<CoulombPowerSettings>(&settings)) {
    f(CoulombPowerLaw<Real>(*coulomb), *coulomb);
  } else if (const auto *exponential = std::get_if<ExponentialSettings>(&settings)) {
    f(ExponentialLaw<Real>(*exponential), *exponential);
  } else if (const auto *table = std::get_if<TableSettings>(&settings)) {
    f(TableLaw<Real>(*table), *table);
#if !defined(__CUDACC__)  // kernels of formulas are compiled at run time
  } else if (const auto *formula = std::get_if<FormulaSettings>(&settings)) {
    f(FormulaLaw<Real>(*formula), *formula);
#endif
  } else {
    f(LennardJonesLaw<Real>(std::get<LennardJonesSettings>(settings)), std::get<LennardJonesSettings>(settings));
  }
}

/// with_law() for range List, with the laws that only lists have.
template <class Real, class F>
void with_list_law(const PairLawSettings &settings, bool equal_strengths, F &&f) {
  if (const auto *lj = std::get_if<LennardJonesCutSettings>(&settings)) return f(LennardJonesCutLaw<Real>(*lj), *lj);
  with_law<Real>(settings, equal_strengths, f);
}

/// The coefficients of a law for all pairs of types, [n_types^2]; one element if the law has no coefficients.
template <class Law>
std::vector<typename Law::Coefficients> coefficient_table(const GravitySettings &) {
  return std::vector<typename Law::Coefficients>(1);
}
template <class Law, class Settings>
std::vector<typename Law::Coefficients> coefficient_table(const Settings &settings) {
  return {settings.pairs.entry.begin(), settings.pairs.entry.end()};
}

/// True if the law has coefficients for pairs of types.
inline bool goes_by_type(const PairLawSettings &settings) {
  return !std::holds_alternative<GravitySettings>(settings) && !std::holds_alternative<ListedSettings>(settings);
}

}  // namespace triad
