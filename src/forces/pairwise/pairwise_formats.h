// Number formats of pair forces, and the selection of the functor of a law.
//
// Unlike Tersoff forces, pair forces may have any units and magnitudes, from galaxies to ions. Therefore `mixed` sums
// in fp64 instead of fixed point: differences of positions keep all fp32 digits, terms are computed in fp32, up to a
// few hundred terms are summed in fp32, and these partial sums are summed in fp64.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "core/precision.h"
#include "potentials/pairwise/exponential_laws.h"
#include "potentials/pairwise/laws.h"
#include "potentials/pairwise/listed_laws.h"

namespace triad {

using PairFormats = FloatFormats;
using PairSingle = PairFormats::Single;
using PairMixed = PairFormats::Mixed;
using PairDouble = PairFormats::Double;

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

/// Squared distance plus softening, summed in an order that suits fused multiply-add.
template <class Law, class Real>
TRIAD_HD Real squared(const Law &law, const Vec3<Real> &d) {
  if constexpr (Law::softened)
    return d.x * d.x + (d.y * d.y + (d.z * d.z + law.softening()));
  else
    return d.x * d.x + (d.y * d.y + d.z * d.z);
}

template <class Sum, class Real>
TRIAD_HD void add_scaled(Vec3<Sum> &sum, Real factor, const Vec3<Real> &d) {
  sum.x += factor * d.x;
  sum.y += factor * d.y;
  sum.z += factor * d.z;
}

/// Energy and virial (xx yy zz xy xz yz) of pairs. `d` points from the first to the second atom.
template <class Sum>
struct PairTally {
  static constexpr int width = 7;
  Sum v[width] = {};

  template <class Real>
  TRIAD_HD void add(const PairTerm<Real> &term, const Vec3<Real> &d) {
    v[0] += term.energy;
    v[1] -= term.pull * d.x * d.x;
    v[2] -= term.pull * d.y * d.y;
    v[3] -= term.pull * d.z * d.z;
    v[4] -= term.pull * d.x * d.y;
    v[5] -= term.pull * d.x * d.z;
    v[6] -= term.pull * d.y * d.z;
  }
};

}  // namespace triad
