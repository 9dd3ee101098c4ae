// The driving force of heat (dynamics/heat_current.h) on the atoms of a centre's bonds: the centroid virials of
// BondTally contracted with a field. An energy of bond b acts on atom a with the force F_ab at the distance r_a - m_b
// from the middle of the bond, and so drives the atom with field . (r_a - m_b) F_ab.
#pragma once

#include "forces/tersoff/tersoff_atom.h"

namespace triad {

/// Driving forces that bond j of a centre adds to neighbour j and to the centre.
template <class Real>
struct BondDriving {
  Vec3<Real> neighbour, centre;
};

/// Bond j of a centre with n records whose energies are filled in. Field in 1/length.
template <class Model, class Real = typename Model::Real>
TRIAD_HD BondDriving<Real> bond_driving(const Model &model, int ei, int j, int n, const BondRecord<Real> *record,
                                        const Vec3<Real> &field) {
  const BondRecord<Real> &self = record[j];
  const Real half = Real(0.5), along_j = dot(field, self.bond.vector());
  OuterGradient<Real> own, of_others;  // gradients on j: of the energy of bond j, and of other bonds times distance
  Vec3<Real> on_others = {0, 0, 0};    // gradient of the energy of bond j on the other neighbours
  own.along = self.energy.dr;
  for (int k = 0; k < n; ++k) {
    if (k == j) continue;
    const BondRecord<Real> &other = record[k];
    const Real costheta = dot(self.bond.u, other.bond.u);
    const auto [jk, kj] = zeta_pair_of(model, ei, self, other, costheta);
    const Real from_middle = along_j - half * dot(field, other.bond.vector());
    OuterGradient<Real> k_of_j;
    own.add(self.bond, other.bond, costheta, jk.angular, jk.radial_j);
    of_others.add(self.bond, other.bond, costheta, from_middle * kj.angular, from_middle * kj.radial_k);
    k_of_j.add(other.bond, self.bond, costheta, jk.angular, jk.radial_k);
    on_others = on_others + k_of_j.total(other.bond);
  }
  const Vec3<Real> on_self = own.total(self.bond);
  return {(-half * along_j) * on_self + Real(-1) * of_others.total(self.bond),
          (-half * along_j) * (on_self + on_others)};
}

/// A centre with N neighbours, with every term in registers, as tersoff_unrolled(). Writes minus the driving forces on
/// the neighbours to gradient[N] and returns the driving force on the centre. With `Forces`, both include the forces of
/// the potential.
///
/// With h_b = field . (m_b - r_i) of bond b, and the gradients G_bj of its energy on neighbour j: minus the driving
/// force on j is the sum over b of (2 h_j - h_b) G_bj, and that on the centre is minus the sum over b and j of h_b
/// G_bj. So two sums over b are enough for each neighbour: S_j of G_bj, and T_j of h_b G_bj.
template <int N, bool Forces, class Model, class Real = typename Model::Real>
TRIAD_HD Vec3<Real> driving_unrolled(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N],
                                     const Vec3<Real> &field, Vec3<Real> (&gradient)[N]) {
  Dual<Real> fc[N];
  Real zeta[N], half_along[N];  // the latter: h_b
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    fc[j] = cutoff(model.bond(ei, e[j]), bond[j].r, bond[j].rest);
    zeta[j] = Real(0);
    half_along[j] = bond[j].inv_length > Real(0) ? Real(0.5) * dot(field, bond[j].vector()) : Real(0);  // see no_bond()
  }
  add_zeta_terms(model, ei, e, bond, fc, zeta);
  Real dzeta[N];
  OuterGradient<Real> sum[N], weighted[N];  // S_j and T_j
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    const BondEnergy<Real> e_j = bond_energy(model.bond(ei, e[j]), fc[j], bond[j].r, zeta[j], bond[j].rest);
    sum[j].along = e_j.dr;
    weighted[j].along = half_along[j] * e_j.dr;
    dzeta[j] = e_j.dzeta;
  }
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIAD_UNROLL
    for (int k = j + 1; k < N; ++k) {
      const Real costheta = dot(bond[j].u, bond[k].u);
      const ZetaTerm<Real> jk = zeta_term_of(model, ei, e[j], e[k], bond[j], bond[k], fc[k], costheta);
      const ZetaTerm<Real> kj = zeta_term_of(model, ei, e[k], e[j], bond[k], bond[j], fc[j], costheta);
      const Real of_j = half_along[j] * dzeta[j], of_k = half_along[k] * dzeta[k];
      const Real angular = dzeta[j] * jk.angular + dzeta[k] * kj.angular;
      const Real weighted_angular = of_j * jk.angular + of_k * kj.angular;
      Real radial_j = dzeta[k] * kj.radial_k, radial_k = dzeta[j] * jk.radial_k;
      Real weighted_j = of_k * kj.radial_k, weighted_k = of_j * jk.radial_k;
      if constexpr (Model::lambda3) {
        radial_j += dzeta[j] * jk.radial_j;
        radial_k += dzeta[k] * kj.radial_j;
        weighted_j += of_j * jk.radial_j;
        weighted_k += of_k * kj.radial_j;
      }
      sum[j].add(bond[j], bond[k], costheta, angular, radial_j);
      sum[k].add(bond[k], bond[j], costheta, angular, radial_k);
      weighted[j].add(bond[j], bond[k], costheta, weighted_angular, weighted_j);
      weighted[k].add(bond[k], bond[j], costheta, weighted_angular, weighted_k);
    }
  }
  constexpr Real force = Forces ? Real(1) : Real(0);
  Vec3<Real> centre = {Real(0), Real(0), Real(0)};
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    const Vec3<Real> s = sum[j].total(bond[j]), t = weighted[j].total(bond[j]);
    gradient[j] = (Real(2) * half_along[j] + force) * s + Real(-1) * t;
    centre = centre + (Forces ? s : Vec3<Real>{Real(0), Real(0), Real(0)}) + Real(-1) * t;
  }
  return centre;
}

}  // namespace triad
