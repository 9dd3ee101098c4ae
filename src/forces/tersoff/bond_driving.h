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
/// the potential, at no more cost: a driving force is a force times a distance along the field.
template <int N, bool Forces, class Model, class Real = typename Model::Real>
TRIAD_HD Vec3<Real> driving_unrolled(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N],
                                     const Vec3<Real> &field, Vec3<Real> (&gradient)[N]) {
  constexpr Real force = Forces ? Real(1) : Real(0);
  Dual<Real> fc[N];
  Real zeta[N], half_along[N];
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    fc[j] = cutoff(model.bond(ei, e[j]), bond[j].r, bond[j].rest);
    zeta[j] = Real(0);
    half_along[j] = bond[j].inv_length > Real(0) ? Real(0.5) * dot(field, bond[j].vector()) : Real(0);  // see no_bond()
  }
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIAD_UNROLL
    for (int k = j + 1; k < N; ++k) {
      const Real costheta = dot(bond[j].u, bond[k].u);
      zeta[j] += zeta_term_of(model, ei, e[j], e[k], bond[j], bond[k], fc[k], costheta).value;
      zeta[k] += zeta_term_of(model, ei, e[k], e[j], bond[k], bond[j], fc[j], costheta).value;
    }
  }
  Real dzeta[N];
  OuterGradient<Real> on_neighbour[N], on_centre[N];  // the latter: terms of minus the force on the centre
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    const BondEnergy<Real> e_j = bond_energy(model.bond(ei, e[j]), fc[j], bond[j].r, zeta[j], bond[j].rest);
    on_neighbour[j].along = (half_along[j] + force) * e_j.dr;
    on_centre[j].along = (half_along[j] - force) * e_j.dr;
    dzeta[j] = e_j.dzeta;
  }
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIAD_UNROLL
    for (int k = j + 1; k < N; ++k) {
      const Real costheta = dot(bond[j].u, bond[k].u);
      const ZetaTerm<Real> jk = dzeta[j] * zeta_term_of(model, ei, e[j], e[k], bond[j], bond[k], fc[k], costheta);
      const ZetaTerm<Real> kj = dzeta[k] * zeta_term_of(model, ei, e[k], e[j], bond[k], bond[j], fc[j], costheta);
      // factors of the gradients of both energies: distances along the field from the middle of the bond
      const Real j_of_j = half_along[j] + force, j_of_k = Real(2) * half_along[j] - half_along[k] + force;
      const Real k_of_k = half_along[k] + force, k_of_j = Real(2) * half_along[k] - half_along[j] + force;
      const Real i_of_j = half_along[j] - force, i_of_k = half_along[k] - force;
      on_neighbour[j].add(bond[j], bond[k], costheta, j_of_j * jk.angular + j_of_k * kj.angular,
                          j_of_j * jk.radial_j + j_of_k * kj.radial_k);
      on_neighbour[k].add(bond[k], bond[j], costheta, k_of_k * kj.angular + k_of_j * jk.angular,
                          k_of_k * kj.radial_j + k_of_j * jk.radial_k);
      const Real angular = i_of_j * jk.angular + i_of_k * kj.angular;
      on_centre[j].add(bond[j], bond[k], costheta, angular, i_of_j * jk.radial_j + i_of_k * kj.radial_k);
      on_centre[k].add(bond[k], bond[j], costheta, angular, i_of_k * kj.radial_j + i_of_j * jk.radial_k);
    }
  }
  Vec3<Real> centre = {Real(0), Real(0), Real(0)};
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    gradient[j] = on_neighbour[j].total(bond[j]);
    centre = centre + Real(-1) * on_centre[j].total(bond[j]);
  }
  return centre;
}

}  // namespace triad
