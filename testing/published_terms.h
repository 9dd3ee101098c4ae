// The terms of the Tersoff potential as published, in long double, directly from the formulas and the numbers of a
// potential file. The tests compare the terms of src/potentials with this independent implementation.
//
// J. Tersoff, Phys. Rev. B 37, 6991 (1988), equations 2a-2f and 3; Phys. Rev. B 39, 5566 (1989) for several elements.
// Variants: T. Kumagai, S. Izumi, S. Hara, S. Sakai, Comput. Mater. Sci. 39, 457 (2007); G. P. Purja Pun and Y. Mishin,
// Phys. Rev. B 95, 224103 (2017); R. Devanathan, T. Diaz de la Rubia, W. J. Weber, J. Nucl. Mater. 253, 47 (1998) with
// the universal screening of J. F. Ziegler, J. P. Biersack, U. Littmark (1985).
#pragma once

#include <cmath>

#include "potentials/tersoff/params.h"

namespace triad {
namespace published {

using Number = long double;

/// A value and its slope with respect to the argument that the function names.
struct Term {
  Number value, slope;
};

/// fC(r), equation 3; R and D in LAMMPS's meaning, taper from R - D to R + D.
inline Term cutoff(const TersoffEntry &e, Number r) {
  const Number R = e.R, D = e.D, pi = std::acos(Number(-1));
  if (r < R - D) return {1, 0};
  if (r >= R + D) return {0, 0};
  const Number phase = pi * (r - R) / (2 * D);
  return {(1 - std::sin(phase)) / 2, -pi / (4 * D) * std::cos(phase)};
}

/// fR(r) = A exp(-lam1 r), equation 2a.
inline Term repulsion(const TersoffEntry &e, Number r) {
  const Number value = e.A * std::exp(-Number(e.lam1) * r);
  return {value, -e.lam1 * value};
}

/// fA(r) = -B exp(-lam2 r), equation 2b.
inline Term attraction(const TersoffEntry &e, Number r) {
  const Number value = -e.B * std::exp(-Number(e.lam2) * r);
  return {value, -e.lam2 * value};
}

/// g(theta) = gamma (1 + c^2/d^2 - c^2/(d^2 + (h - cos)^2)), equation 2f; slope with respect to cos.
inline Term angle(const TersoffEntry &e, Number cosine) {
  const Number c2 = Number(e.c) * e.c, d2 = Number(e.d) * e.d, from_h = e.costheta0 - cosine;
  const Number denominator = d2 + from_h * from_h;
  return {e.gamma * (1 + c2 / d2 - c2 / denominator), -2 * e.gamma * c2 * from_h / (denominator * denominator)};
}

/// exp(lam3^m delta^m), the last factor of equation 2d; slope with respect to delta = r_ij - r_ik.
inline Term distance(const TersoffEntry &e, Number delta) {
  const Number value = std::exp(std::pow(e.lam3 * delta, Number(e.m)));
  return {value, e.m * std::pow(Number(e.lam3), Number(e.m)) * std::pow(delta, Number(e.m) - 1) * value};
}

/// b(zeta) = (1 + (beta zeta)^n)^(-1/2n), equation 2c. At zeta = 0 the slope is taken as 0, whatever n.
inline Term bond_order(const TersoffEntry &e, Number zeta) {
  if (zeta == 0) return {1, 0};
  const Number power = std::pow(e.beta * zeta, Number(e.n));
  const Number value = std::pow(1 + power, -1 / (2 * Number(e.n)));
  return {value, -value * power / (1 + power) / (2 * zeta)};
}

/// The terms that Kumagai et al. changed. In an entry, n is their eta and 1/(2 n_outer) their delta.
namespace mod {

/// fC(r): 1/2 - 9/16 sin(a) - 1/16 sin(3a), a = pi (r - R) / 2D.
inline Term cutoff(const TersoffEntry &e, Number r) {
  const Number R = e.R, D = e.D, pi = std::acos(Number(-1));
  if (r < R - D) return {1, 0};
  if (r >= R + D) return {0, 0};
  const Number a = pi * (r - R) / (2 * D);
  return {Number(1) / 2 - Number(9) / 16 * std::sin(a) - std::sin(3 * a) / 16,
          -pi / (2 * D) * (Number(9) / 16 * std::cos(a) + Number(3) / 16 * std::cos(3 * a))};
}

/// g = c1 + go(cos) ga(cos), go = c2 (h - cos)^2 / (c3 + (h - cos)^2), ga = 1 + c4 exp(-c5 (h - cos)^2); slope with
/// respect to cos.
inline Term angle(const TersoffEntry &e, Number cosine) {
  const Number from_h = e.costheta0 - cosine, square = from_h * from_h;
  const Number go = e.c2 * square / (e.c3 + square), ga = 1 + e.c4 * std::exp(-e.c5 * square);
  const Number go_slope = -2 * from_h * e.c2 * e.c3 / ((e.c3 + square) * (e.c3 + square));
  const Number ga_slope = 2 * from_h * e.c5 * (ga - 1);
  return {e.c1 + go * ga, go_slope * ga + go * ga_slope};
}

/// b(zeta) = (1 + zeta^eta)^(-delta). At zeta = 0 the slope is taken as 0, whatever eta.
inline Term bond_order(const TersoffEntry &e, Number zeta) {
  if (zeta == 0) return {1, 0};
  const Number eta = e.n, delta = 1 / (2 * Number(e.n_outer)), power = std::pow(e.beta * zeta, eta);
  const Number value = std::pow(1 + power, -delta);
  return {value, -delta * eta * value * power / (1 + power) / zeta};
}

}  // namespace mod

/// The nuclear repulsion of Devanathan et al. at short distance.
namespace zbl {

/// F(r) = 1 / (1 + exp(-s (r - rc))), the weight of the Tersoff part, and 1 - F.
inline Term fermi(const TersoffEntry &e, Number r) {
  const Number decay = std::exp(-Number(e.zbl_scale) * (r - e.zbl_cut)), value = 1 / (1 + decay);
  return {value, e.zbl_scale * decay * value * value};
}
inline Term one_minus_fermi(const TersoffEntry &e, Number r) {
  return {1 / (1 + std::exp(Number(e.zbl_scale) * (r - e.zbl_cut))), -fermi(e, r).slope};
}

/// Z_i Z_j e^2 / (4 pi eps0 r) phi(r / a), a = 0.8854 a0 / (Z_i^0.23 + Z_j^0.23), a0 = 0.529 A as in LAMMPS.
inline Term nuclear(const TersoffEntry &e, Number r) {
  const Number powers = std::pow(Number(e.Z_i), Number(0.23L)) + std::pow(Number(e.Z_j), Number(0.23L));
  const Number x = r * powers / (0.8854L * 0.529L), charge = Number(e.Z_i) * e.Z_j * e.coulomb;
  const Number t1 = 0.1818L * std::exp(-3.2L * x), t2 = 0.5099L * std::exp(-0.9423L * x),
               t3 = 0.2802L * std::exp(-0.4029L * x), t4 = 0.02817L * std::exp(-0.2016L * x);
  const Number phi = t1 + t2 + t3 + t4, phi_slope = -(3.2L * t1 + 0.9423L * t2 + 0.4029L * t3 + 0.2016L * t4);
  return {charge * phi / r, charge * (phi_slope * x - phi) / (r * r)};
}

}  // namespace zbl

inline Term product(const Term &a, const Term &b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }

/// The terms of one variant.
struct Family {
  TersoffVariant variant;

  bool is_mod() const { return variant == TersoffVariant::Mod || variant == TersoffVariant::ModC; }
  Term cutoff(const TersoffEntry &e, Number r) const { return is_mod() ? mod::cutoff(e, r) : published::cutoff(e, r); }
  Term angle(const TersoffEntry &e, Number cosine) const {
    return is_mod() ? mod::angle(e, cosine) : published::angle(e, cosine);
  }
  Term bond_order(const TersoffEntry &e, Number zeta) const {
    return is_mod() ? mod::bond_order(e, zeta) : published::bond_order(e, zeta);
  }
  /// Energy of a pair that does not depend on zeta, cutoff included: fC fR; fC (fR + C) (Purja Pun and Mishin, eq. 7);
  /// (1 - F) V + F fC fR.
  Term repulsive(const TersoffEntry &e, Number r) const {
    Term fR = repulsion(e, r);
    if (variant == TersoffVariant::ModC) fR.value += e.c0;
    const Term pair = product(cutoff(e, r), fR);
    if (variant != TersoffVariant::Zbl) return pair;
    const Term inside = product(zbl::one_minus_fermi(e, r), zbl::nuclear(e, r));
    const Term outside = product(zbl::fermi(e, r), pair);
    return {inside.value + outside.value, inside.slope + outside.slope};
  }
  /// The factor of b, including the cutoff function.
  Term attractive(const TersoffEntry &e, Number r) const {
    const Term pair = product(cutoff(e, r), attraction(e, r));
    return variant == TersoffVariant::Zbl ? product(zbl::fermi(e, r), pair) : pair;
  }
};

}  // namespace published
}  // namespace triad
