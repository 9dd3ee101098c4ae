// The variants of the Tersoff family: their additional parameters, and overloads of the terms that differ from terms.h.
#pragma once

#include "potentials/tersoff/terms.h"

namespace triad {

/// tersoff/mod: T. Kumagai, S. Izumi, S. Hara, S. Sakai, Comput. Mater. Sci. 39, 457 (2007).
template <class Real>
struct ModParams : TersoffParams<Real> {
  Real c1, c2, c3, c4, c5;  // g(theta)
  Real half_ratio;          // eta / 2n

  ModParams() = default;
  explicit ModParams(const TersoffEntry &e)
      : TersoffParams<Real>(e, e.n_outer),
        c1(Real(e.c1)),
        c2(Real(e.c2)),
        c3(Real(e.c3)),
        c4(Real(e.c4)),
        c5(Real(e.c5)),
        half_ratio(Real(0.5 * e.n / e.n_outer)) {}
};

/// fC(r) and dfC/dr: 1/2 - 9/16 sin(a) - 1/16 sin(3a), a = pi (r - R) / 2D (Kumagai, eq. 4), which equals t^2 (3 - 2t)
/// with t the cutoff function of Tersoff 1988.
template <class Scalar, class Real>
TRIAD_HD Dual<Real> cutoff(const ModParams<Scalar> &p, Real r, Real rest = Real(0)) {
  const Dual<Real> t = cutoff(static_cast<const TersoffParams<Scalar> &>(p), r, rest);
  return {t.value * t.value * (Real(3) - Real(2) * t.value), Real(6) * t.value * (Real(1) - t.value) * t.derivative};
}

/// g(theta) of tersoff/mod and dg/dcos(theta): g = c1 + c2 q / (c3 + q) [1 + c4 exp(-c5 q)], q = (h - cos)^2 (Kumagai,
/// eq. 7).
template <class Scalar, class Real>
TRIAD_HD Dual<Real> angle(const ModParams<Scalar> &p, Real costheta) {
  const Real e = p.costheta0 - costheta;
  const Real q = math::rounded_product(e, e);
  const Real inverse = math::fast_reciprocal(p.c3 + q);
  const Real fraction = p.c2 * q * inverse;
  const Real damping = math::rounded_product(Real(p.c4), math::exp(-p.c5 * q)), damped = Real(1) + damping;
  const Real slope = math::multiply_add(-(p.c5 * fraction), damping, p.c2 * p.c3 * inverse * inverse * damped);
  return {math::multiply_add(fraction, damped, Real(p.c1)), Real(-2) * e * slope};
}

template <class Scalar>
TRIAD_HD Scalar half_exponent(const ModParams<Scalar> &p) {
  return p.half_ratio;
}

/// tersoff/mod/c adds a constant to the repulsion. G. P. Purja Pun and Y. Mishin, Phys. Rev. B 95, 224103 (2017).
template <class Real>
struct ModCParams : ModParams<Real> {
  Real c0;

  ModCParams() = default;
  explicit ModCParams(const TersoffEntry &e) : ModParams<Real>(e), c0(Real(e.c0)) {}
};

template <class Scalar, class Real>
TRIAD_HD BondSum<Real> bond_sum(const ModCParams<Scalar> &p, Real r, Real log2_b, Real rest = Real(0)) {
  BondSum<Real> pair = bond_sum(static_cast<const TersoffParams<Scalar> &>(p), r, log2_b, rest);
  pair.sum.value = pair.sum.value + p.c0;
  return pair;
}

/// tersoff/zbl adds a screened nuclear repulsion at short distance, which a Fermi function joins with the Tersoff part.
/// R. Devanathan, T. Diaz de la Rubia, W. J. Weber, J. Nucl. Mater. 253, 47 (1998); J. F. Ziegler, J. P. Biersack, U.
/// Littmark, The Stopping and Range of Ions in Solids (1985).
template <class Real>
struct ZblParams : TersoffParams<Real> {
  Real charge;      // Z_i Z_j e^2 / (4 pi eps0)
  Real inv_a;       // 1 / screening length, a = 0.8854 a0 / (Z_i^0.23 + Z_j^0.23), a0 = 0.529 A
  Real cut, scale;  // Fermi function 1 / (1 + exp(-scale (r - cut)))

  ZblParams() = default;
  explicit ZblParams(const TersoffEntry &e)
      : TersoffParams<Real>(e),
        charge(Real(e.Z_i * e.Z_j * e.coulomb)),
        inv_a(Real((std::pow(e.Z_i, 0.23) + std::pow(e.Z_j, 0.23)) / (0.8854 * 0.529))),
        cut(Real(e.zbl_cut)),
        scale(Real(e.zbl_scale)) {}
};

/// Z_i Z_j e^2 / (4 pi eps0 r) phi(r / a) and its derivative; phi is the universal screening function (Ziegler,
/// Biersack, Littmark).
template <class Scalar, class Real>
TRIAD_HD Dual<Real> screened_coulomb(const ZblParams<Scalar> &p, Real r) {
  constexpr double weight[4] = {0.1818, 0.5099, 0.2802, 0.02817};
  constexpr double rate[4] = {3.2, 0.9423, 0.4029, 0.2016};
  Real phi(0), slope(0);
  TRIAD_UNROLL
  for (int k = 0; k < 4; ++k) {
    const Real part = math::rounded_product(Real(weight[k]), math::exp(-Real(rate[k]) * p.inv_a * r));
    phi = phi + part;
    slope = math::multiply_add(-(Real(rate[k]) * p.inv_a), part, slope);
  }
  const Real inverse = math::fast_reciprocal(r);
  const Real value = p.charge * inverse * phi;
  return {value, math::multiply_add(-value, inverse, p.charge * inverse * slope)};
}

/// The two parts of the join: the weight F fC of the Tersoff part, and (1 - F) V_ZBL. As in stock, only the Tersoff
/// part has the cutoff function.
template <class Real>
struct ZblJoin {
  Dual<Real> weight, nuclear;
};

template <class Scalar, class Real>
TRIAD_HD ZblJoin<Real> zbl_join(const ZblParams<Scalar> &p, const Dual<Real> &fc, Real r) {
  const Scalar limit = math::exponent_limit(Scalar());  // beyond this limit F is smaller than rounding errors
  const Real exponent = p.scale * (p.cut - r);
  const Real decay = math::exp(math::select(exponent > limit, Real(limit), exponent));
  const Real fermi = math::fast_reciprocal(Real(1) + decay), unfilled = decay * fermi;  // F and 1 - F
  const Real slope = p.scale * unfilled * fermi;
  return {product(Dual<Real>{fermi, slope}, fc), product(Dual<Real>{unfilled, -slope}, screened_coulomb(p, r))};
}

/// F fC [fR + b fA] / 2 + (1 - F) V_ZBL / 2, truncated at the cutoff, where V_ZBL is not yet zero.
template <class Scalar, class Real>
TRIAD_HD BondEnergy<Real> bond_energy(const ZblParams<Scalar> &p, const Dual<Real> &fc, Real r, Real zeta,
                                      Real rest = Real(0)) {
  const ZblJoin<Real> join = zbl_join(p, fc, r);
  const BondEnergy<Real> tersoff = weighted_bond_energy(p, join.weight, r, zeta, rest);
  const auto beyond = r >= p.outer;
  return {math::select(beyond, Real(0), math::multiply_add(Real(0.5), join.nuclear.value, tersoff.energy)),
          math::select(beyond, Real(0), math::multiply_add(Real(0.5), join.nuclear.derivative, tersoff.dr)),
          tersoff.dzeta};
}

}  // namespace triad
