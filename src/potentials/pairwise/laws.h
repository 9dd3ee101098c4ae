// Pair force laws. A law is a functor of the squared distance and the coefficients of a pair. The functor returns the
// energy and `pull`, the force divided by the distance: the force on i is pull (r_j - r_i), the force on j the
// opposite. The distance may be a vector register (simd/lanes.h). A new law consists of a struct here, its settings in
// law_settings.h, and a branch of with_law() in forces/pairwise/pairwise_formats.h; doc/dev/extending.md lists all
// steps. exponential_laws.h, table_law.h and listed_laws.h have further laws.
//
// Traits of a law:
//   by_strength    energy and pull are multiplied by the strengths of both atoms and by scale()
//   softened       the functor takes the squared distance plus softening()
//   inverse_square distances times nu and softening() times nu^2 give a pull times nu^-3
//   Coefficients   of a pair of types or of a listed pair; constructed from an entry of the settings
#pragma once

#include <cmath>

#include "core/portable_math.h"
#include "potentials/pairwise/law_settings.h"
#include "potentials/pairwise/pair_term.h"

namespace triad {

/// V = -G m_i m_j (r^2 + eps^2)^(-1/2) (H. C. Plummer, Mon. Not. R. Astron. Soc. 71, 460 (1911)). `weighted` is false
/// if all masses are equal; the loops then multiply the final sums by the masses.
template <class R, bool weighted = true>
struct GravityLaw {
  using Real = R;
  struct Coefficients {};
  static constexpr bool by_strength = weighted, softened = true, inverse_square = true;

  explicit GravityLaw(const GravitySettings &s) : eps_squared(Real(s.eps * s.eps)) {}

  static double scale(const GravitySettings &s) { return s.G; }
  TRIAD_HD Real softening() const { return eps_squared; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number softened_squared, const Coefficients &) const {
    const Number inverse = math::rsqrt_normal(softened_squared);
    return {-inverse, inverse * inverse * inverse};
  }

  Real eps_squared;
};

/// F_i = R (c1 s^-3 + (c2/s)^n), R = r_i - r_j, s^2 = max(R^2, floor). The energy is the integral of the force,
/// continuous at the floor: c1/s + (c2/s)^n s^2 / (n - 2), or -c2^2 ln s for n = 2, plus the integral of the constant
/// F/R inside the floor.
template <class R>
struct CoulombPowerLaw {
  using Real = R;
  struct alignas(4 * sizeof(Real)) Coefficients {
    Real c1, log2_c2, n;
    Real per_n_less_2;  ///< 1 / (n - 2), or 0 for n = 2

    Coefficients() = default;
    explicit Coefficients(const CoulombPowerSettings::Entry &e)
        : c1(Real(e.c1)),
          log2_c2(Real(std::log2(e.c2))),
          n(Real(e.n)),
          per_n_less_2(e.n == 2 ? Real(0) : Real(1 / (e.n - 2))) {}
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit CoulombPowerLaw(const CoulombPowerSettings &s) : floor(Real(s.floor)) {}

  static double scale(const CoulombPowerSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number squared, const Coefficients &c) const {
    const Number s2 = math::at_least(squared, Number(floor));
    const Number inverse = math::rsqrt_normal(s2);
    const Number log2_inverse = Real(-0.5) * math::log2(s2);
    const Number power = math::exp2(c.n * (c.log2_c2 + log2_inverse));
    const Number push = c.c1 * (inverse * inverse * inverse) + power;
    const Real ln2 = Real(0.69314718055994530942);
    const Number integral = power * s2 * math::select(c.per_n_less_2 != 0, Number(c.per_n_less_2), ln2 * log2_inverse);
    return {c.c1 * inverse + integral + Real(0.5) * push * (s2 - squared), -push};
  }

  Real floor;
};

template <class Real>
struct alignas(2 * sizeof(Real)) LennardJonesCoefficients {
  Real epsilon, sigma_squared;

  LennardJonesCoefficients() = default;
  template <class Entry>
  explicit LennardJonesCoefficients(const Entry &e)
      : epsilon(Real(e.epsilon)), sigma_squared(Real(e.sigma * e.sigma)) {}
};

/// V = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] at a squared distance.
template <class Number, class Real>
TRIAD_HD PairTerm<Number> lennard_jones(Number squared, const LennardJonesCoefficients<Real> &c) {
  const Number inverse = math::reciprocal(squared);
  const Number s2 = c.sigma_squared * inverse;
  const Number s6 = s2 * s2 * s2;
  const Number e6 = 4 * c.epsilon * s6;
  return {e6 * (s6 - Real(1)), Real(-6) * e6 * (s6 + s6 - Real(1)) * inverse};
}

/// V = D0 [exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))], given e = exp(-alpha (r - r0)) and 1 / r.
template <class Number, class Real>
TRIAD_HD PairTerm<Number> morse(Number e, Real D0, Real alpha, Number inverse) {
  const Number scaled = D0 * e;
  return {scaled * (e - Real(2)), Real(-2) * alpha * scaled * (e - Real(1)) * inverse};
}

/// V = 4 epsilon [(sigma/r)^12 - (sigma/r)^6].
template <class R>
struct LennardJonesLaw {
  using Real = R;
  using Coefficients = LennardJonesCoefficients<Real>;
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit LennardJonesLaw(const LennardJonesSettings &) {}

  static double scale(const LennardJonesSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number squared, const Coefficients &c) const {
    return lennard_jones(squared, c);
  }
};

/// V = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] - offset within the cutoff of the pair of types, otherwise 0.
template <class R>
struct LennardJonesCutLaw {
  using Real = R;
  struct alignas(4 * sizeof(Real)) Coefficients {
    LennardJonesCoefficients<Real> inner;
    Real cutoff_squared, offset;

    Coefficients() = default;
    explicit Coefficients(const LennardJonesCutSettings::Entry &e)
        : inner(e), cutoff_squared(Real(e.cutoff * e.cutoff)), offset(Real(e.offset)) {}
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit LennardJonesCutLaw(const LennardJonesCutSettings &) {}

  static double scale(const LennardJonesCutSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  TRIAD_HD PairTerm<Real> operator()(Real squared, const Coefficients &c) const {
    if (squared >= c.cutoff_squared) return {0, 0};
    const PairTerm<Real> term = lennard_jones(squared, c.inner);
    return {term.energy - c.offset, term.pull};
  }
};

}  // namespace triad
