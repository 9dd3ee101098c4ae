// Energy and gradients for rows of the same kind, one row per lane. The terms are those of potentials/tersoff/. The
// loop order is that of tersoff_unrolled<4> for four neighbours of one element, otherwise a loop over pairs of
// neighbours.
#pragma once

#include "forces/tersoff/tersoff_atom.h"

namespace triad {

/// A neighbour of every row: its bond, energy and gradient.
template <class Real>
struct Slot {
  Bond<Real> bond;
  Dual<Real> fc;
  Real zeta, dzeta;
  OuterGradient<Real> sum;
  Vec3<Real> gradient;
};

/// A single entry for all bonds, as OneElement, but referenced instead of copied.
template <class P, bool Lambda3>
struct OneEntry {
  static constexpr bool shared = true;
  static constexpr bool lambda3 = Lambda3;
  static constexpr bool cutoff_of_bond = true;
  const P &params;

  TRIAD_HD const P &bond(int, int) const { return params; }
  TRIAD_HD const P &triplet(int, int, int) const { return params; }
  TRIAD_HD const P &angular(int, int, int) const { return params; }
};

/// Rows with four neighbours of one element. Writes the gradients and returns the energy of each row.
template <bool Lambda3, class P, class Real>
__attribute__((noinline)) Real four_lanes(const P &params, Slot<Real> *slot) {
  const int element[4] = {0, 0, 0, 0};
  Bond<Real> bond[4];
  Vec3<Real> gradient[4];
  Real energy[4], sum(0);
  TRIAD_UNROLL
  for (int j = 0; j < 4; ++j) bond[j] = slot[j].bond;
  tersoff_unrolled<4>(OneEntry<P, Lambda3>{params}, 0, element, bond, gradient, energy);
  TRIAD_UNROLL
  for (int j = 0; j < 4; ++j) {
    slot[j].gradient = gradient[j];
    sum += energy[j];
  }
  return sum;
}

/// Term k of zeta_ij, given the angular term. All lanes use the same entry, so one scalar comparison detects terms that
/// two entries have in common.
template <class P, class Real>
TRIAD_HD ZetaTerm<Real> zeta_term_of_lanes(const P &p, const P &pair_ik, const Slot<Real> &j, const Slot<Real> &k,
                                           const Dual<Real> &g) {
  const bool same_cutoff = p.inner == pair_ik.inner && p.outer == pair_ik.outer && p.outer_rest == pair_ik.outer_rest &&
                           p.inv_D == pair_ik.inv_D;
  Dual<Real> fc = k.fc;
  if (!same_cutoff) fc = cutoff(p, k.bond.r, k.bond.rest);
  if (p.lam3 == 0) return zeta_term(fc, g);
  return zeta_term(fc, g, distance(p, (j.bond.r - k.bond.r) + (j.bond.rest - k.bond.rest)));
}

/// Calls f(j, k, costheta, term k of zeta_ij, term j of zeta_ik) for each pair of n neighbours of elements e.
template <class P, class Real, class F>
TRIAD_HD void for_pairs(const ManyElements<P, true> &model, int ei, int n, const int *e, Slot<Real> *slot, F &&f) {
  for (int j = 0; j < n; ++j)
    for (int k = j + 1; k < n; ++k) {
      const P &p_jk = model.triplet(ei, e[j], e[k]), &p_kj = model.triplet(ei, e[k], e[j]);
      const Real costheta = dot(slot[j].bond.u, slot[k].bond.u);
      const Dual<Real> g_jk = angle(p_jk, costheta);
      Dual<Real> g_kj = g_jk;
      if (&p_jk != &p_kj) g_kj = angle(p_kj, costheta);
      f(slot[j], slot[k], costheta, zeta_term_of_lanes(p_jk, model.bond(ei, e[k]), slot[j], slot[k], g_jk),
        zeta_term_of_lanes(p_kj, model.bond(ei, e[j]), slot[k], slot[j], g_kj));
    }
}

/// Rows with any number of neighbours of elements e[n]. Writes the gradients and returns the energy of each row.
template <class P, class Real>
__attribute__((noinline)) Real general_lanes(const ManyElements<P, true> &model, int ei, int n, const int *e,
                                             Slot<Real> *slot) {
  for (int j = 0; j < n; ++j) {
    slot[j].fc = cutoff(model.bond(ei, e[j]), slot[j].bond.r, slot[j].bond.rest);
    slot[j].zeta = Real(0);
    slot[j].sum = OuterGradient<Real>();
  }
  for_pairs(
      model, ei, n, e, slot,
      [](Slot<Real> & j, Slot<Real> & k, Real, const ZetaTerm<Real> &jk, const ZetaTerm<Real> &kj)
          __attribute__((always_inline)) {
            j.zeta = jk.added_to(j.zeta);
            k.zeta = kj.added_to(k.zeta);
          });
  Real energy(0);
  for (int j = 0; j < n; ++j) {
    const BondEnergy<Real> bond =
        bond_energy(model.bond(ei, e[j]), slot[j].fc, slot[j].bond.r, slot[j].zeta, slot[j].bond.rest);
    energy += bond.energy;
    slot[j].sum.along = bond.dr;
    slot[j].dzeta = bond.dzeta;
  }
  for_pairs(
      model, ei, n, e, slot,
      [](Slot<Real> & j, Slot<Real> & k, Real costheta, const ZetaTerm<Real> &jk, const ZetaTerm<Real> &kj)
          __attribute__((always_inline)) {
            const Real angular = angular_of_pair(j.dzeta, jk, k.dzeta, kj);
            j.sum.add(j.bond, k.bond, costheta, angular, radial_of_pair<true>(j.dzeta, jk, k.dzeta, kj));
            k.sum.add(k.bond, j.bond, costheta, angular, radial_of_pair<true>(k.dzeta, kj, j.dzeta, jk));
          });
  for (int j = 0; j < n; ++j) slot[j].gradient = slot[j].sum.total(slot[j].bond);
  return energy;
}

}  // namespace triad
