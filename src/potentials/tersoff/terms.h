// The terms of the Tersoff potential, each with its derivative. These formulas stand only here. variants.h overloads
// the terms that differ in another potential of the family.
//
//   E   = 1/2 sum_i sum_{j != i} fC(r_ij) [fR(r_ij) + b_ij fA(r_ij)]
//   b   = (1 + (beta zeta_ij)^n)^(-1/2n)
//   zeta_ij = sum_{k != i,j} fC(r_ik) g(theta_ijk) exp(lam3^m (r_ij - r_ik)^m)
//
// Sources: J. Tersoff, Phys. Rev. B 37, 6991 (1988) and Phys. Rev. B 39, 5566 (1989) (several elements). The exponent m
// and gamma follow the LAMMPS manual page of pair_style tersoff. Units are those of the parameters.
#pragma once

#include "core/bond.h"
#include "core/portable_math.h"
#include "potentials/tersoff/params.h"

namespace triad {

using math::Dual;

// Terms of a distance take the distance in two parts, r + rest (core/bond.h).

/// fC(r) and dfC/dr: 1 up to R - D, 0 from R + D on, half a sine wave between (1988, eq. 3). The form sin^2(pi/4 (R + D
/// - r) / D) keeps its relative accuracy up to R + D.
template <class Scalar, class Real>
TRIAD_HD Dual<Real> cutoff(const TersoffParams<Scalar> &p, Real r, Real rest = Real(0)) {
  const auto inside = r < p.inner, flat = inside || r >= p.outer;
  const Dual<Real> level = {math::select(inside, Real(1), Real(0)), Real(0)};
  if (math::all(flat)) return level;
  Real s, c;
  math::sincospi(Real(0.25) * ((p.outer - r) + (p.outer_rest - rest)) * p.inv_D, s, c);
  return {math::select(flat, level.value, math::rounded_product(s, s)),
          math::select(flat, Real(0), Real(-1.57079632679489661923) * p.inv_D * s * c)};
}

/// fR + b fA and its derivative with respect to r at fixed b, and b fA alone.
template <class Real>
struct BondSum {
  Dual<Real> sum;
  Real attractive;
};

/// fR(r) = A exp(-lam1 r) and fA(r) = -B exp(-lam2 r) with b = 2^log2_b (1988, eq. 2a and 2b).
///
/// Near the minimum, the sum and even more its slope are small differences of large terms. Therefore the differences at
/// the centre are parameters, and the contribution of b and the distance follows from one exponential minus 1 with a
/// small argument. No intermediate result that fp32 rounds is larger than the final result.
template <class Scalar, class Real>
TRIAD_HD BondSum<Real> bond_sum(const TersoffParams<Scalar> &p, Real r, Real log2_b, Real rest = Real(0)) {
  const Real x = (p.centre - r) - rest;
  const Real e = math::exp(p.lam1 * x);
  // (b fA / fR) / (fA / fR at the centre)
  const auto ratio = math::exp2_less_one(math::multiply_add(Real(p.slower_decay), x, log2_b));
  return {{e * math::multiply_add(Real(-p.B_centre), ratio.less_one, Real(p.dimer_energy)),
           e * math::multiply_add(Real(p.B_slope), ratio.less_one, Real(p.dimer_slope))},
          -(p.B_centre * e) * ratio.value};
}

/// g(theta) and dg/dcos(theta): g = gamma (1 + c^2/d^2 - c^2/(d^2 + (h - cos)^2)) (1988, eq. 2f), rearranged to avoid
/// the difference of two large terms.
template <class Scalar, class Real>
TRIAD_HD Dual<Real> angle(const TersoffParams<Scalar> &p, Real costheta) {
  const Real e = p.costheta0 - costheta;
  const Real q = math::fast_reciprocal(math::multiply_add(e, e, Real(p.d2)));
  const Real t = p.gamma * p.c2_over_d2 * e * q;
  return {math::multiply_add(t, e, Real(p.gamma)), Scalar(-2) * p.d2 * (t * q)};
}

/// exp(lam3^m (r_ij - r_ik)^m) and its derivative with respect to r_ij - r_ik. The exponent is limited as in stock
/// LAMMPS (math::exponent_limit); below the lower limit the value is 0.
template <class Scalar, class Real>
TRIAD_HD Dual<Real> distance(const TersoffParams<Scalar> &p, Real delta) {
  const Scalar limit = math::exponent_limit(Scalar());
  const Real slope = p.cubic ? Scalar(3) * p.lam3_cubed * delta * delta : Real(p.lam3);
  const Real exponent = p.cubic ? p.lam3_cubed * delta * delta * delta : p.lam3 * delta;
  const Real bounded = math::select(exponent > limit, Real(limit), exponent);
  const Real value = math::select(exponent < -limit, Real(0), math::exp(bounded));
  return {value, slope * value};
}

/// Half of the exponent with which b decays: b -> t^-half_exponent for large t = beta zeta.
template <class Scalar>
TRIAD_HD Scalar half_exponent(const TersoffParams<Scalar> &) {
  return Scalar(0.5);
}

/// log2 b(zeta) and (db/dzeta) / b (1988, eq. 2c), zeta >= 0.
///
/// With t = beta zeta and S = min(t, 1/t)^n no power can overflow, and the same expression has both asymptotes of stock
/// LAMMPS. Beyond stock's outermost thresholds S is 0; below the lower threshold the derivative is 0 too.
template <class P, class Real>
TRIAD_HD Dual<Real> log_bond_order(const P &p, Real zeta) {
  const Real t = p.beta * zeta;
  const auto negligible = t <= p.bond_order_low, asymptote = t > p.bond_order_high;
  const Real log_t = math::fast_log2(math::select(negligible, Real(1), t));
  const auto large = log_t > Real(0) || asymptote;
  const Real power = math::rounded_product(Real(-p.n), math::abs(log_t));  // exp2() may subtract from it
  const Real S = math::select(negligible || asymptote, Real(0), math::exp2(power));
  const Real decay = math::select(large, math::rounded_product(Real(half_exponent(p)), log_t), Real(0));
  const Real weight = half_exponent(p) * math::select(large, Real(1), S);
  return {math::multiply_add(Real(p.minus_half_over_n), math::log2_one_plus(S), -decay),
          math::select(negligible, Real(0), -weight * math::fast_reciprocal(zeta * (Real(1) + S)))};
}

template <class Real>
TRIAD_HD Dual<Real> product(const Dual<Real> &a, const Dual<Real> &b) {
  return {a.value * b.value, math::multiply_add(a.derivative, b.value, a.value * b.derivative)};
}

/// Energy of a directed bond (half of the pair energy), dE/dr at fixed zeta, and dE/dzeta; all are 0 beyond the cutoff.
template <class Real>
struct BondEnergy {
  Real energy, dr, dzeta;
};

/// weight(r) [fR + b fA] / 2.
template <class P, class Real>
TRIAD_HD BondEnergy<Real> weighted_bond_energy(const P &p, const Dual<Real> &weight, Real r, Real zeta, Real rest) {
  const Dual<Real> log_b = log_bond_order(p, zeta), half = {Real(0.5) * weight.value, Real(0.5) * weight.derivative};
  const BondSum<Real> pair = bond_sum(p, r, log_b.value, rest);
  const Dual<Real> energy = product(half, pair.sum);
  return {energy.value, energy.derivative, half.value * pair.attractive * log_b.derivative};
}

template <class P, class Real>
TRIAD_HD BondEnergy<Real> bond_energy(const P &p, const Dual<Real> &fc, Real r, Real zeta, Real rest = Real(0)) {
  return weighted_bond_energy(p, fc, r, zeta, rest);
}

/// The contribution of atom k to zeta_ij and the components of its gradient: along the angle (to be divided by the
/// length of the bond on which the force acts), along r_ij, and along r_ik. The contribution is a product.
template <class Real>
struct ZetaTerm {
  Real factors[2], angular, radial_j, radial_k;

  TRIAD_HD Real value() const { return factors[0] * factors[1]; }
  /// The sum of `zeta` and the contribution, which a device rounds once.
  TRIAD_HD Real added_to(Real zeta) const { return math::multiply_add(factors[0], factors[1], zeta); }
};

template <class Real>
TRIAD_HD ZetaTerm<Real> operator*(Real scale, const ZetaTerm<Real> &t) {
  return {{scale * t.factors[0], t.factors[1]}, scale * t.angular, scale * t.radial_j, scale * t.radial_k};
}

template <class Real>
TRIAD_HD ZetaTerm<Real> zeta_term(const Dual<Real> &fc, const Dual<Real> &g, const Dual<Real> &ex) {
  const Real fg = fc.value * g.value, radial_j = math::rounded_product(fg, ex.derivative);
  return {{fg, ex.value},
          fc.value * g.derivative * ex.value,
          radial_j,
          math::multiply_add(fc.derivative * g.value, ex.value, -radial_j)};
}

/// The term for lam3 = 0, where the distance term is 1.
template <class Real>
TRIAD_HD ZetaTerm<Real> zeta_term(const Dual<Real> &fc, const Dual<Real> &g) {
  return {{fc.value, g.value}, fc.value * g.derivative, Real(0), fc.derivative * g.value};
}

}  // namespace triad
