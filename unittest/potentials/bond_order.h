// b(zeta), computed from the logarithm that the terms use.
#pragma once

#include <cmath>

#include "potentials/tersoff/variants.h"

namespace triad {

/// b and db/dzeta.
template <class P, class Real>
Dual<Real> bond_order(const P &params, Real zeta) {
  const Dual<Real> log_b = log_bond_order(params, zeta);
  const Real b = std::exp2(log_b.value);
  return {b, b * log_b.derivative};
}

}  // namespace triad
