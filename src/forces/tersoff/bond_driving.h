// The driving force of heat (dynamics/heat_current.h) on the atoms of a centre's bonds: the centroid virials of
// BondTally contracted with a field. An energy of bond b acts on atom a with the force F_ab at the distance r_a - m_b
// from the middle of the bond, and so drives the atom with field . (r_a - m_b) F_ab.
#pragma once

#include "forces/tersoff/tersoff_atom.h"

namespace triad {

/// Results for a neighbour j of a centre: minus the driving force on the neighbour, and the part of bond j in the
/// driving force on the centre. With `Forces`, both include the forces of the potential.
template <class Real>
struct BondDriving {
  Vec3<Real> gradient, centre;
};

/// Gradients on neighbour j of a centre during summation. With h_b = field . (m_b - r_i) of bond b, and the gradients
/// G_bj of its energy on neighbour j: minus the driving force on j is the sum over b of (2 h_j - h_b) G_bj, and that on
/// the centre is minus the sum over b and j of h_b G_bj. So two sums over b are enough: S_j of G_bj, and T_j of h_b
/// G_bj.
template <class Real>
class DrivenNeighbour {
 public:
  DrivenNeighbour() = default;
  /// The gradient of the energy of bond j by its length. `half_along`: h_j.
  TRIAD_HD DrivenNeighbour(Real half_along, const BondEnergy<Real> &energy)
      : half_along_(half_along), dzeta_(energy.dzeta), weighted_dzeta_(half_along * energy.dzeta) {
    sum_.along = energy.dr;
    weighted_.along = math::rounded_product(half_along, energy.dr);
  }

  /// Adds the pair of this bond j and another bond k. `jk`, `kj`: terms of their zeta.
  template <bool Lambda3>
  TRIAD_HD void add(const Bond<Real> &j, const Bond<Real> &k, Real costheta, const ZetaTerm<Real> &jk,
                    const DrivenNeighbour &of_k, const ZetaTerm<Real> &kj) {
    sum_.add(j, k, costheta, angular_of_pair(dzeta_, jk, of_k.dzeta_, kj),
             radial_of_pair<Lambda3>(dzeta_, jk, of_k.dzeta_, kj));
    weighted_.add(j, k, costheta, angular_of_pair(weighted_dzeta_, jk, of_k.weighted_dzeta_, kj),
                  radial_of_pair<Lambda3>(weighted_dzeta_, jk, of_k.weighted_dzeta_, kj));
  }

  template <bool Forces>
  TRIAD_HD BondDriving<Real> total(const Bond<Real> &j) const {
    const Vec3<Real> s = sum_.total(j), t = Real(-1) * weighted_.total(j);
    if constexpr (Forces) return {math::multiply_add(Real(2) * half_along_ + Real(1), s, t), s + t};
    return {math::multiply_add(Real(2) * half_along_, s, t), t};
  }

 private:
  OuterGradient<Real> sum_, weighted_;  // of S_j and of T_j
  Real half_along_, dzeta_, weighted_dzeta_;
};

/// h_b, in the unit of field times length; 0 for no_bond().
template <class Real>
TRIAD_HD Real half_along(const Vec3<Real> &field, const Bond<Real> &bond) {
  return bond.inv_length > Real(0) ? Real(0.5) * dot(field, bond.vector()) : Real(0);
}

/// Bond j of a centre with n records whose energies are filled in. Field in 1/length.
template <bool Forces, class Model, class Real = typename Model::Real>
TRIAD_HD BondDriving<Real> bond_driving(const Model &model, int ei, int j, int n, const BondRecord<Real> *record,
                                        const Vec3<Real> &field) {
  const BondRecord<Real> &self = record[j];
  DrivenNeighbour<Real> driven(half_along(field, self.bond), self.energy);
  for (int k = next_bond(-1, j); k < n; k = next_bond(k, j)) {
    const BondRecord<Real> &other = record[k];
    const Real costheta = dot(self.bond.u, other.bond.u);
    const ZetaPair<Real> pair = zeta_pair_of(model, ei, self, other, costheta);
    driven.template add<Model::lambda3>(self.bond, other.bond, costheta, pair.jk,
                                        {half_along(field, other.bond), other.energy}, pair.kj);
  }
  return driven.template total<Forces>(self.bond);
}

/// A centre with N neighbours, with every term in registers, as tersoff_unrolled().
template <int N, bool Forces, class Model, class Real = typename Model::Real>
TRIAD_HD void driving_unrolled(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N],
                               const Vec3<Real> &field, BondDriving<Real> (&driving)[N]) {
  const UnrolledBonds<Real, N> bonds(model, ei, e, bond);
  DrivenNeighbour<Real> driven[N];
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) driven[j] = {half_along(field, bond[j]), bonds.energy[j]};
  for_unrolled_pairs(model, ei, e, bond, bonds.fc,
                     [&](int j, int k, Real costheta, const ZetaTerm<Real> &jk, const ZetaTerm<Real> &kj) {
                       driven[j].template add<Model::lambda3>(bond[j], bond[k], costheta, jk, driven[k], kj);
                       driven[k].template add<Model::lambda3>(bond[k], bond[j], costheta, kj, driven[j], jk);
                     });
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) driving[j] = driven[j].template total<Forces>(bond[j]);
}

}  // namespace triad
