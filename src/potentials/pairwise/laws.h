// Pair force laws. A law takes the squared distance of a pair, and the pair's coefficients, and returns energy and pull
// together: the force on i is pull (r_j - r_i), that on j its opposite. The distance may be lanes of numbers (lanes.h).
// A new law is a struct here, its settings in law_settings.h and a row of with_law() in
// forces/pairwise/pairwise_formats.h.
//
// A law says what it needs:
//   by_strength    energy and pull are to be multiplied by the strengths of both atoms and by scale()
//   softened       takes the squared distance plus softening()
//   inverse_square with distances times nu and softening() times nu^2 the pull is nu^-3 times as large
//   Coefficients   of a pair of types or of a listed pair; made from the entry of the settings
#pragma once

#include <cmath>

#include "core/portable_math.h"
#include "potentials/pairwise/law_settings.h"

namespace triad {

/// Energy of a pair, and its derivative with respect to the distance, over the distance.
template <class Real>
struct PairTerm {
  Real energy, pull;
};

/// V = -G m_i m_j (r^2 + eps^2)^(-1/2) (Plummer 1911). Not `weighted`: for equal masses, which leave the sums as a
/// factor.
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

/// F_i = R (c1 s^-3 + (c2/s)^n), R = r_i - r_j, s^2 = max(R^2, floor). The energy is its integral, continuous at the
/// floor: c1/s + (c2/s)^n s^2 / (n - 2), or -c2^2 ln s where n = 2, plus what the constant F/R inside the floor adds.
template <class R>
struct CoulombPowerLaw {
  using Real = R;
  struct alignas(4 * sizeof(Real)) Coefficients {
    Real c1, log2_c2, n;
    Real per_n_less_2;  ///< 1 / (n - 2), 0 where n = 2

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

/// V = 4 epsilon [(sigma/r)^12 - (sigma/r)^6].
template <class R>
struct LennardJonesLaw {
  using Real = R;
  struct alignas(2 * sizeof(Real)) Coefficients {
    Real epsilon, sigma_squared;

    Coefficients() = default;
    explicit Coefficients(const LennardJonesSettings::Entry &e)
        : epsilon(Real(e.epsilon)), sigma_squared(Real(e.sigma * e.sigma)) {}
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit LennardJonesLaw(const LennardJonesSettings &) {}

  static double scale(const LennardJonesSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number squared, const Coefficients &c) const {
    const Number inverse = math::reciprocal(squared);
    const Number s2 = c.sigma_squared * inverse;
    const Number s6 = s2 * s2 * s2;
    const Number e6 = 4 * c.epsilon * s6;
    return {e6 * (s6 - Real(1)), Real(-6) * e6 * (s6 + s6 - Real(1)) * inverse};
  }
};

/// V = K (r - r0)^2 / 2. At r = 0, where the direction is not defined, the force is zero.
template <class R>
struct HarmonicLaw {
  using Real = R;
  struct alignas(2 * sizeof(Real)) Coefficients {
    Real K, r0;
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit HarmonicLaw(const HarmonicSettings &) {}

  static double scale(const HarmonicSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  TRIAD_HD PairTerm<Real> operator()(Real squared, const Coefficients &c) const {
    const Real r = math::sqrt(squared);
    const Real stretch = r - c.r0;
    return {Real(0.5) * c.K * stretch * stretch, r > 0 ? c.K * stretch / r : Real(0)};
  }
};

}  // namespace triad
