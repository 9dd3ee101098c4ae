// Laws of listed pairs, whose parameters belong to each pair (ListedConstants). One functor holds all of them, because
// a list may mix them.
#pragma once

#include "potentials/pairwise/laws.h"

namespace triad {

/// V = K (r - r0)^2 / 2. At r = 0 the direction is undefined and the force is zero.
template <class Real>
TRIAD_HD PairTerm<Real> harmonic_term(Real squared, Real K, Real r0) {
  const Real r = math::sqrt(squared), stretch = r - r0;
  return {Real(0.5) * K * stretch * stretch, r > 0 ? K * stretch / r : Real(0)};
}

/// V = -K R0^2 / 2 ln(1 - (r/R0)^2), plus 4 epsilon [(sigma/r)^12 - (sigma/r)^6] + epsilon for r < 2^(1/6) sigma
/// (K. Kremer and G. S. Grest, J. Chem. Phys. 92, 5057 (1990)). As in LAMMPS's bond_style fene, the argument of the
/// logarithm is at least 0.1, and a bond of 2 R0 or more has no force: the result is NaN.
template <class Real>
TRIAD_HD PairTerm<Real> fene_term(Real squared, Real K, Real R0, const LennardJonesCoefficients<Real> &lj) {
  const Real ratio = squared / (R0 * R0);
  const Real argument = ratio < 4 ? math::at_least(Real(1) - ratio, Real(0.1)) : Real(NAN);
  const Real ln2 = Real(0.69314718055994530942);
  PairTerm<Real> term = {Real(-0.5) * K * R0 * R0 * ln2 * math::log2(argument), K / argument};
  const Real cube_root_of_2 = Real(1.25992104989487316477);
  if (squared < cube_root_of_2 * lj.sigma_squared) {
    const PairTerm<Real> core = lennard_jones(squared, lj);
    term.energy += core.energy + lj.epsilon;
    term.pull += core.pull;
  }
  return term;
}

/// morse() at a squared distance.
template <class Real>
TRIAD_HD PairTerm<Real> morse_term(Real squared, Real D0, Real alpha, Real r0) {
  const Real r = math::sqrt(squared), e = math::exp(-alpha * (r - r0));
  return morse(e, D0, alpha, Real(1) / r);
}

/// A power -n of the distance with a polynomial that makes value and two derivatives zero at `outer` and leaves them
/// unchanged at `inner` (D. van der Spoel et al., GROMACS manual, shifted potentials). Returns the energy, and the
/// derivative with respect to the distance.
template <class Real>
struct GromacsPower {
  Real value, derivative;

  TRIAD_HD GromacsPower(int n, Real r, Real inner, Real outer) {
    const auto power = [n](Real x) {  // x^-n for n = 6 and 12
      const Real x2 = Real(1) / (x * x), x6 = x2 * x2 * x2;
      return n == 12 ? x6 * x6 : x6;
    };
    const Real width = outer - inner, scale = n * power(outer) / (outer * outer * width * width);
    const Real a = ((n + 1) * inner - (n + 4) * outer) * scale, b = ((n + 3) * outer - (n + 1) * inner) * scale / width;
    const Real offset = power(outer) - width * width * width * (a / 3 + b * width / 4);
    const Real t = math::at_least(r - inner, Real(0));
    const bool within = r < outer;
    value = within ? power(r) - t * t * t * (a / 3 + b * t / 4) - offset : Real(0);
    derivative = within ? -n * power(r) / r - t * t * (a + b * t) : Real(0);
  }
};

/// V = 4 epsilon (sigma^12 P12(r) - sigma^6 P6(r)) with GromacsPower, as LAMMPS's pair_style lj/gromacs; 0 if sigma
/// is 0.
template <class Real>
TRIAD_HD PairTerm<Real> gromacs_term(Real squared, Real epsilon, Real sigma, Real inner, Real outer) {
  if (!(sigma > 0)) return {0, 0};
  // In units of sigma, in which no power overflows.
  const Real per_sigma = Real(1) / sigma, r = math::sqrt(squared) * per_sigma;
  const GromacsPower<Real> p6(6, r, inner * per_sigma, outer * per_sigma),
      p12(12, r, inner * per_sigma, outer * per_sigma);
  return {4 * epsilon * (p12.value - p6.value),
          4 * epsilon * (p12.derivative - p6.derivative) * per_sigma * per_sigma / r};
}

/// V = epsilon [5 (sigma/r)^12 - 6 (sigma/r)^10], the native contacts of C. Clementi, H. Nymeyer and J. N. Onuchic, J.
/// Mol. Biol. 298, 937 (2000).
template <class Real>
TRIAD_HD PairTerm<Real> contact_12_10_term(Real squared, Real epsilon, Real sigma) {
  const Real inverse = Real(1) / squared, s2 = sigma * sigma * inverse, s4 = s2 * s2, s10 = s4 * s4 * s2;
  return {epsilon * s10 * (5 * s2 - 6), 60 * epsilon * s10 * (1 - s2) * inverse};
}

/// V = c / r.
template <class Real>
TRIAD_HD PairTerm<Real> coulomb_term(Real squared, Real c) {
  const Real inverse = math::rsqrt(squared);
  return {c * inverse, -c * inverse * inverse * inverse};
}

template <class R>
struct ListedLaw {
  using Real = R;
  struct Coefficients {
    Real p[4];
    ListedKind kind;

    Coefficients() = default;
    TRIAD_HD explicit Coefficients(const ListedConstants &given)
        : p{Real(given.p[0]), Real(given.p[1]), Real(given.p[2]), Real(given.p[3])}, kind(given.kind) {}
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit ListedLaw(const ListedSettings &) {}

  static double scale(const ListedSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  TRIAD_HD PairTerm<Real> operator()(Real squared, const Coefficients &c) const {
    const Real *const p = c.p;
    LennardJonesCoefficients<Real> lj;
    switch (c.kind) {
      case ListedKind::Harmonic:
        return harmonic_term(squared, p[0], p[1]);
      case ListedKind::Fene:
        lj.epsilon = p[2];
        lj.sigma_squared = p[3] * p[3];
        return fene_term(squared, p[0], p[1], lj);
      case ListedKind::Morse:
        return morse_term(squared, p[0], p[1], p[2]);
      case ListedKind::LennardJones:
        lj.epsilon = p[0];
        lj.sigma_squared = p[1] * p[1];
        return lennard_jones(squared, lj);
      case ListedKind::LjGromacs:
        return gromacs_term(squared, p[0], p[1], p[2], p[3]);
      case ListedKind::Contact1210:
        return contact_12_10_term(squared, p[0], p[1]);
      default:
        return coulomb_term(squared, p[0]);
    }
  }
};

}  // namespace triad
