// The work on one centre: energy of its directed bonds and the gradient on each of its neighbours. Two orders of the
// same terms: fully unrolled for a number of neighbours known at compile time, and by bonds for any number.
//
// The centre's own gradient is minus the sum over its neighbours and is left to the caller, who accumulates.
#pragma once

#include "physics/tersoff_terms.h"

namespace triad {

/// Parameters where there is one element: held by value, shared by all bonds, g(theta) shared by (j,k) and (k,j).
template <class RealT, bool Lambda3>
struct OneElement {
  using Real = RealT;
  static constexpr bool shared = true;
  static constexpr bool lambda3 = Lambda3;  ///< false: lam3 = 0, the distance term is 1
  TersoffParams<Real> params;

  TRIAD_HD const TersoffParams<Real> &bond(int, int) const { return params; }
  TRIAD_HD const TersoffParams<Real> &triplet(int, int, int) const { return params; }
};

/// Parameters of several elements: a table [nelements^3].
template <class RealT>
struct ManyElements {
  using Real = RealT;
  static constexpr bool shared = false;
  static constexpr bool lambda3 = true;
  const TersoffParams<Real> *__restrict__ table;
  int nelements;

  TRIAD_HD const TersoffParams<Real> &triplet(int i, int j, int k) const {
    return table[(i * nelements + j) * nelements + k];
  }
  TRIAD_HD const TersoffParams<Real> &bond(int i, int j) const { return triplet(i, j, j); }
};

/// Term k of zeta_ij. With one element fC(r_ik) is that of bond ik and comes with `fc_k`.
template <class Model, class Real = typename Model::Real>
TRIAD_HD ZetaTerm<Real> zeta_term_of(const Model &model, int ei, int ej, int ek, const Bond<Real> &j,
                                     const Bond<Real> &k, const Dual<Real> &fc_k, Real costheta) {
  const TersoffParams<Real> &p = model.triplet(ei, ej, ek);
  const Dual<Real> fc = Model::shared ? fc_k : cutoff(p, k.r);
  const Dual<Real> g = angle(p, costheta);
  if constexpr (Model::lambda3) return zeta_term(fc, g, distance(p, j.r - k.r));
  return zeta_term(fc, g);
}

/// Gradient on an outer atom while it is summed: a multiple of its own unit vector and the rest.
template <class Real>
struct OuterGradient {
  Real along = 0;
  Vec3<Real> across = {0, 0, 0};

  /// Adds coefficient `angular` of cos(theta) against bond `other`, and `radial` of the distance.
  TRIAD_HD void add(const Bond<Real> &self, const Bond<Real> &other, Real costheta, Real angular, Real radial) {
    const Real w = angular * self.inv_r;
    across = across + w * other.u;
    along += radial - w * costheta;
  }
  TRIAD_HD Vec3<Real> total(const Bond<Real> &self) const { return along * self.u + across; }
};

/// Centre with exactly N neighbours, every term in registers.
/// Fills gradient[N] and returns the energy of the N directed bonds.
template <int N, class Model, class Real = typename Model::Real>
TRIAD_HD Real tersoff_unrolled(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N],
                               Vec3<Real> (&gradient)[N]) {
  Dual<Real> fc[N];
  Real zeta[N];
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    fc[j] = cutoff(model.bond(ei, e[j]), bond[j].r);
    zeta[j] = 0;
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
  Real energy = 0, dzeta[N];
  OuterGradient<Real> sum[N];
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    const BondEnergy<Real> e_j = bond_energy(model.bond(ei, e[j]), fc[j], bond[j].r, zeta[j]);
    energy += e_j.energy;
    sum[j].along = e_j.dr;
    dzeta[j] = e_j.dzeta;
  }
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIAD_UNROLL
    for (int k = j + 1; k < N; ++k) {
      const Real costheta = dot(bond[j].u, bond[k].u);
      const ZetaTerm<Real> jk = zeta_term_of(model, ei, e[j], e[k], bond[j], bond[k], fc[k], costheta);
      const ZetaTerm<Real> kj = zeta_term_of(model, ei, e[k], e[j], bond[k], bond[j], fc[j], costheta);
      const Real angular = dzeta[j] * jk.angular + dzeta[k] * kj.angular;
      Real radial_j = dzeta[k] * kj.radial_k, radial_k = dzeta[j] * jk.radial_k;
      if constexpr (Model::lambda3) {
        radial_j += dzeta[j] * jk.radial_j;
        radial_k += dzeta[k] * kj.radial_j;
      }
      sum[j].add(bond[j], bond[k], costheta, angular, radial_j);
      sum[k].add(bond[k], bond[j], costheta, angular, radial_k);
    }
  }
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) gradient[j] = sum[j].total(bond[j]);
  return energy;
}

/// A neighbour in the general path: geometry first, then what its bond's energy depends on.
template <class Real>
struct BondRecord {
  Bond<Real> bond;
  Dual<Real> fc;
  BondEnergy<Real> energy;
  int element;
};

/// Fills a record's geometry and cutoff.
template <class Model, class Real = typename Model::Real>
TRIAD_HD BondRecord<Real> make_record(const Model &model, int ei, int ej, const Vec3<Real> &d) {
  BondRecord<Real> record;
  record.bond = make_bond(d);
  record.fc = cutoff(model.bond(ei, ej), record.bond.r);
  record.energy = {Real(0), Real(0), Real(0)};
  record.element = ej;
  return record;
}

/// zeta_ij and the energy of bond j of a centre with n records; 0 beyond the bond's cutoff.
template <class Model, class Real = typename Model::Real>
TRIAD_HD BondEnergy<Real> general_bond_energy(const Model &model, int ei, int j, int n,
                                              const BondRecord<Real> *record) {
  const BondRecord<Real> &self = record[j];
  if (self.fc.value == Real(0)) return {Real(0), Real(0), Real(0)};
  Real zeta = 0;
  for (int k = 0; k < n; ++k) {
    if (k == j) continue;
    const BondRecord<Real> &other = record[k];
    if (other.bond.r >= model.triplet(ei, self.element, other.element).outer) continue;
    zeta += zeta_term_of(model, ei, self.element, other.element, self.bond, other.bond, other.fc,
                         dot(self.bond.u, other.bond.u))
                .value;
  }
  return bond_energy(model.bond(ei, self.element), self.fc, self.bond.r, zeta);
}

/// Symmetric 3x3 tensor, xx yy zz xy xz yz.
struct Tensor6 {
  double v[6] = {0, 0, 0, 0, 0, 0};

  /// Adds scale * d (x) f.
  template <class Real>
  TRIAD_HD void add_outer(double scale, const Vec3<Real> &d, const Vec3<Real> &f) {
    v[0] += scale * d.x * f.x;
    v[1] += scale * d.y * f.y;
    v[2] += scale * d.z * f.z;
    v[3] += scale * d.x * f.y;
    v[4] += scale * d.x * f.z;
    v[5] += scale * d.y * f.z;
  }
};

/// Gradient on neighbour j of a centre with n records whose energies are filled in. With Tally, `triplets` also
/// receives the virial of every ordered triplet in which j is an end: stock LAMMPS gives a third of it to each of its
/// atoms, so neighbour j gets a third of `triplets`, and the centre a sixth of the sum over j (each triplet is seen by
/// both ends).
template <bool Tally, class Model, class Real = typename Model::Real>
TRIAD_HD Vec3<Real> general_gradient(const Model &model, int ei, int j, int n, const BondRecord<Real> *record,
                                     Tensor6 *triplets) {
  const BondRecord<Real> &self = record[j];
  OuterGradient<Real> sum;
  sum.along = self.energy.dr;
  for (int k = 0; k < n; ++k) {
    if (k == j) continue;
    const BondRecord<Real> &other = record[k];
    const Real costheta = dot(self.bond.u, other.bond.u);
    Real angular = 0, radial_self = 0, radial_other = 0;
    if (self.energy.dzeta != Real(0) && other.bond.r < model.triplet(ei, self.element, other.element).outer) {
      const ZetaTerm<Real> jk =
          zeta_term_of(model, ei, self.element, other.element, self.bond, other.bond, other.fc, costheta);
      angular = self.energy.dzeta * jk.angular;
      radial_self = self.energy.dzeta * jk.radial_j;
      radial_other = self.energy.dzeta * jk.radial_k;
    }
    if (other.energy.dzeta != Real(0) && self.bond.r < model.triplet(ei, other.element, self.element).outer) {
      const ZetaTerm<Real> kj =
          zeta_term_of(model, ei, other.element, self.element, other.bond, self.bond, self.fc, costheta);
      angular += other.energy.dzeta * kj.angular;
      radial_self += other.energy.dzeta * kj.radial_k;
      radial_other += other.energy.dzeta * kj.radial_j;
    }
    sum.add(self.bond, other.bond, costheta, angular, radial_self);
    if constexpr (Tally) {
      OuterGradient<Real> on_self, on_other;
      on_self.add(self.bond, other.bond, costheta, angular, radial_self);
      on_other.add(other.bond, self.bond, costheta, angular, radial_other);
      triplets->add_outer(-1.0, self.bond.r * self.bond.u, on_self.total(self.bond));
      triplets->add_outer(-1.0, other.bond.r * other.bond.u, on_other.total(other.bond));
    }
  }
  return sum.total(self.bond);
}

/// What stock LAMMPS tallies per atom for one directed bond and its triplets: halves of the pair terms, thirds of the
/// triplet terms (a sixth at the centre, see general_gradient).
struct AtomShares {
  double energy;  ///< for either end
  Tensor6 centre, neighbour;
};

template <class Real>
TRIAD_HD AtomShares atom_shares(const BondRecord<Real> &record, const Tensor6 &triplets) {
  AtomShares shares;
  shares.energy = 0.5 * record.energy.energy;
  Tensor6 pair;
  pair.add_outer(-0.5 * double(record.energy.dr) * double(record.bond.r), record.bond.u, record.bond.u);
  for (int k = 0; k < 6; ++k) {
    shares.centre.v[k] = pair.v[k] + triplets.v[k] / 6;
    shares.neighbour.v[k] = pair.v[k] + triplets.v[k] / 3;
  }
  return shares;
}

}  // namespace triad
