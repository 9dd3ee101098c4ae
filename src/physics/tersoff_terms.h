// The terms of the Tersoff potential, each with its derivative; the only place where these formulas stand.
//
//   E   = 1/2 sum_i sum_{j != i} fC(r_ij) [fR(r_ij) + b_ij fA(r_ij)]
//   b   = (1 + (beta zeta_ij)^n)^(-1/2n)
//   zeta_ij = sum_{k != i,j} fC(r_ik) g(theta_ijk) exp(lam3^m (r_ij - r_ik)^m)
//
// Source: J. Tersoff, Phys. Rev. B 37, 6991 (1988) and Phys. Rev. B 39, 5566 (1989) (several elements); the exponent m
// and gamma as in the LAMMPS manual page of pair_style tersoff. Units are those of the parameters.
#pragma once

#include "physics/portable.h"
#include "physics/tersoff_params.h"

namespace triad {

using math::Dual;

/// fC(r) and dfC/dr: 1 up to R - D, 0 from R + D on, half a sine between (1988, eq. 3).
template <class Real>
TRIAD_HD Dual<Real> cutoff(const TersoffParams<Real> &p, Real r) {
  if (r < p.inner) return {Real(1), Real(0)};
  if (r >= p.outer) return {Real(0), Real(0)};
  Real s, c;
  math::sincospi(Real(0.5) * ((r - p.R) - p.R_rest) * p.inv_D, s, c);
  return {Real(0.5) - Real(0.5) * s, Real(-0.78539816339744830962) * p.inv_D * c};
}

/// fR(r) = A exp(-lam1 r) and its derivative (1988, eq. 2a).
template <class Real>
TRIAD_HD Dual<Real> repulsion(const TersoffParams<Real> &p, Real r) {
  const Real value = p.A_inner * math::exp(p.lam1 * (p.inner - r));
  return {value, -p.lam1 * value};
}

/// fA(r) = -B exp(-lam2 r) and its derivative (1988, eq. 2b).
template <class Real>
TRIAD_HD Dual<Real> attraction(const TersoffParams<Real> &p, Real r) {
  const Real value = -p.B_inner * math::exp(p.lam2 * (p.inner - r));
  return {value, -p.lam2 * value};
}

/// g and dg/dcos(theta): gamma (1 + c^2/d^2 - c^2/(d^2 + (h - cos)^2)) (1988, eq. 2f), written without the difference
/// of its two large terms.
template <class Real>
TRIAD_HD Dual<Real> angle(const TersoffParams<Real> &p, Real costheta) {
  const Real e = p.costheta0 - costheta;
  const Real q = math::reciprocal(p.d2 + e * e);
  const Real t = p.gamma * p.c2_over_d2 * e * q;
  return {p.gamma + t * e, Real(-2) * t * p.d2 * q};
}

/// exp(lam3^m (r_ij - r_ik)^m) and its derivative with respect to r_ij - r_ik; the exponent is limited as in stock
/// LAMMPS (portable.h), below the lower limit the value is 0.
template <class Real>
TRIAD_HD Dual<Real> distance(const TersoffParams<Real> &p, Real delta) {
  const Real limit = math::exponent_limit(Real());
  const Real slope = p.cubic ? Real(3) * p.lam3_cubed * delta * delta : p.lam3;
  const Real exponent = p.cubic ? p.lam3_cubed * delta * delta * delta : p.lam3 * delta;
  const Real bounded = exponent > limit ? limit : exponent;
  const Real value = exponent < -limit ? Real(0) : math::exp(bounded);
  return {value, slope * value};
}

/// b(zeta) and db/dzeta (1988, eq. 2c), zeta >= 0.
///
/// With t = beta zeta and S = min(t, 1/t)^n no power can overflow, and both asymptotes of stock LAMMPS follow from the
/// same expression. Beyond stock's outermost thresholds S is 0, below the lower one the derivative too.
template <class Real>
TRIAD_HD Dual<Real> bond_order(const TersoffParams<Real> &p, Real zeta) {
  const Real t = p.beta * zeta;
  const bool large = t > Real(1) || t > p.bond_order_high;
  const bool negligible = t <= p.bond_order_low;
  const Real s = large ? math::reciprocal(t) : t;
  const bool asymptote = negligible || t > p.bond_order_high;
  const Real S = asymptote ? Real(0) : math::exp2(p.n * math::log2(asymptote ? Real(1) : s));
  const Real tail = math::exp2(p.minus_half_over_n * math::log2(Real(1) + S));
  const Real b = large ? tail * math::rsqrt(t) : tail;
  const Real weight = (large ? Real(1) : S) * math::reciprocal(Real(1) + S);
  return {b, negligible ? Real(0) : Real(-0.5) * b * weight * math::reciprocal(zeta)};
}

/// One bonded neighbour seen from its centre: unit vector towards it, distance and 1/distance.
template <class Real>
struct Bond {
  Vec3<Real> u;
  Real r, inv_r;
};

template <class Real>
TRIAD_HD Bond<Real> make_bond(const Vec3<Real> &d) {
  const Real r2 = dot(d, d);
  const Real inv_r = math::rsqrt(r2);
  return {inv_r * d, math::sqrt_from_rsqrt(r2, inv_r), inv_r};
}

/// Energy of a directed bond (half of the pair's), dE/dr at fixed zeta, and dE/dzeta.
template <class Real>
struct BondEnergy {
  Real energy, dr, dzeta;
};

template <class Real>
TRIAD_HD BondEnergy<Real> bond_energy(const TersoffParams<Real> &p, const Dual<Real> &fc, Real r, Real zeta) {
  const Dual<Real> fR = repulsion(p, r), fA = attraction(p, r), b = bond_order(p, zeta);
  const Real sum = fR.value + b.value * fA.value;
  return {Real(0.5) * fc.value * sum,
          Real(0.5) * (fc.derivative * sum + fc.value * (fR.derivative + b.value * fA.derivative)),
          Real(0.5) * fc.value * fA.value * b.derivative};
}

/// What atom k adds to zeta_ij and the parts of that term's gradient: along the angle (to be divided by the length of
/// the bond on which it acts), along r_ij, and along r_ik.
template <class Real>
struct ZetaTerm {
  Real value, angular, radial_j, radial_k;
};

template <class Real>
TRIAD_HD ZetaTerm<Real> zeta_term(const Dual<Real> &fc, const Dual<Real> &g, const Dual<Real> &ex) {
  const Real fg = fc.value * g.value;
  return {fg * ex.value, fc.value * g.derivative * ex.value, fg * ex.derivative,
          fc.derivative * g.value * ex.value - fg * ex.derivative};
}

/// The same where lam3 = 0 and the distance term is 1.
template <class Real>
TRIAD_HD ZetaTerm<Real> zeta_term(const Dual<Real> &fc, const Dual<Real> &g) {
  return {fc.value * g.value, fc.value * g.derivative, Real(0), fc.derivative * g.value};
}

}  // namespace triad
