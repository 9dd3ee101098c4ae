// The terms of the Tersoff potential as published, in long double, straight from the formulas and from the numbers of a
// potential file: what the terms of src/physics are compared with. Nothing here is shared with them, nothing is fast.
//
// J. Tersoff, Phys. Rev. B 37, 6991 (1988), equations 2a-2f and 3; Phys. Rev. B 39, 5566 (1989) for several elements.
#pragma once

#include <cmath>

#include "physics/tersoff_params.h"

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

}  // namespace published
}  // namespace triad
