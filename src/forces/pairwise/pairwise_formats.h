// Number formats of pair forces, and the choice of a law's functor.
//
// Unlike Tersoff's, these forces come in any units and sizes, from galaxies to ions, so `mixed` sums in fp64 and not in
// fixed point: fp32 terms of differences that keep all digits of fp32, up to a few hundred of them added in fp32, and
// these sums in fp64.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "core/precision.h"
#include "potentials/pairwise/laws.h"

namespace triad {

struct PairSingle {
  using Real = float;
  using Sum = float;
};
struct PairMixed {
  using Real = float;
  using Sum = double;
};
struct PairDouble {
  using Real = double;
  using Sum = double;
};

/// Calls f(law, settings) with the functor of the law of `settings`, other than harmonic, in arithmetic Real.
/// `equal_strengths`: those of all atoms are one number, which the law leaves out.
template <class Real, class F>
void with_law(const PairLawSettings &settings, bool equal_strengths, F &&f) {
  if (const auto *gravity = std::get_if<GravitySettings>(&settings)) {
    if (equal_strengths)
      f(GravityLaw<Real, false>(*gravity), *gravity);
    else
      f(GravityLaw<Real, true>(*gravity), *gravity);
  } else if (const auto *coulomb = std::get_if<CoulombPowerSettings>(&settings)) {
    f(CoulombPowerLaw<Real>(*coulomb), *coulomb);
  } else {
    f(LennardJonesLaw<Real>(std::get<LennardJonesSettings>(settings)), std::get<LennardJonesSettings>(settings));
  }
}

/// The coefficients of a law by pairs of types, [n_types^2]; a single one where the law has none.
template <class Law>
std::vector<typename Law::Coefficients> coefficient_table(const GravitySettings &) {
  return std::vector<typename Law::Coefficients>(1);
}
template <class Law, class Settings>
std::vector<typename Law::Coefficients> coefficient_table(const Settings &settings) {
  return {settings.pairs.entry.begin(), settings.pairs.entry.end()};
}

/// Whether a law has coefficients by pairs of types.
inline bool goes_by_type(const PairLawSettings &settings) {
  return std::holds_alternative<CoulombPowerSettings>(settings) ||
         std::holds_alternative<LennardJonesSettings>(settings);
}

/// Squared distance plus softening; an order of sums that suits fused multiplication and addition.
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

/// Energy and virial (xx yy zz xy xz yz) of pairs. d: from the first to the second atom.
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
