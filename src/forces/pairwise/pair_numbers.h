// Number formats of pair forces, and sums of the terms of pairs.
//
// Unlike Tersoff forces, pair forces may have any units and magnitudes, from galaxies to ions. Therefore `mixed` sums
// in fp64 instead of fixed point: differences of positions keep all fp32 digits, terms are computed in fp32, up to a
// few hundred terms are summed in fp32, and these partial sums are summed in fp64.
#pragma once

#include "core/precision.h"
#include "potentials/pairwise/pair_term.h"

namespace triad {

using PairFormats = FloatFormats;
using PairSingle = PairFormats::Single;
using PairMixed = PairFormats::Mixed;
using PairDouble = PairFormats::Double;

/// Squared distance plus softening, summed in an order that suits fused multiply-add.
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

/// Energy and virial (xx yy zz xy xz yz) of pairs. `d` points from the first to the second atom.
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
