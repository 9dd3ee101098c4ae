// Energy of the directed bonds of one centre, and the gradient on each of its neighbours. Two loops evaluate the same
// terms: fully unrolled for a number of neighbours known at compile time, and bond by bond for any number. On a device,
// both round all sums of a bond alike: they add the terms in the order of the neighbours, where those of neighbours
// beyond the cutoff are zero. So the gradient on a neighbour depends neither on the loop nor on neighbours beyond the
// cutoff.
//
// The gradient on the centre is minus the sum over its neighbours; the caller accumulates it.
#pragma once

#include "dynamics/heat_current.h"
#include "forces/tersoff/element_models.h"

namespace triad {

/// Term k of zeta_ij. Where the cutoff fC(r_ik) is that of bond ik, the function takes it from `fc_k`.
template <class Model, class Real = typename Model::Real>
TRIAD_HD ZetaTerm<Real> zeta_term_of(const Model &model, int ei, int ej, int ek, const Bond<Real> &j,
                                     const Bond<Real> &k, const Dual<Real> &fc_k, Real costheta) {
  const auto &p = model.angular(ei, ej, ek);
  const Dual<Real> fc = model.cutoff_of_bond ? fc_k : cutoff(model.triplet(ei, ej, ek), k.r, k.rest);
  const Dual<Real> g = angle(p, costheta);
  if constexpr (Model::lambda3) return zeta_term(fc, g, distance(p, (j.r - k.r) + (j.rest - k.rest)));
  return zeta_term(fc, g);
}

/// Gradient on a neighbour during summation: a multiple of the unit vector of its bond, and the remaining vector.
template <class Real>
struct OuterGradient {
  Real along = Real(0);
  Vec3<Real> across = {Real(0), Real(0), Real(0)};

  /// Adds the gradient of cos(theta) between bonds `self` and `other` with coefficient `angular`, and of the distance
  /// with coefficient `radial`.
  TRIAD_HD void add(const Bond<Real> &self, const Bond<Real> &other, Real costheta, Real angular, Real radial) {
    const Real w = angular * self.inv_length;
    across = math::multiply_add(w, other.u, across);
    along = along + math::multiply_add(-w, costheta, radial);
  }
  TRIAD_HD Vec3<Real> total(const Bond<Real> &self) const { return math::multiply_add(along, self.u, across); }
};

/// Coefficients of the gradient of a pair of bonds j and k for OuterGradient::add(), from the terms with which the
/// bonds enter each other's zeta and the derivatives of the energies by zeta. The coefficient of cos(theta) is the same
/// for both neighbours; that of the distance is the one for neighbour j.
template <class Real>
TRIAD_HD Real angular_of_pair(Real dzeta_j, const ZetaTerm<Real> &jk, Real dzeta_k, const ZetaTerm<Real> &kj) {
  return math::sum_of_products(dzeta_j, jk.angular, dzeta_k, kj.angular);
}
template <bool Lambda3, class Real>
TRIAD_HD Real radial_of_pair(Real dzeta_j, const ZetaTerm<Real> &jk, Real dzeta_k, const ZetaTerm<Real> &kj) {
  const Real of_k = dzeta_k * kj.radial_k;
  if constexpr (Lambda3) return math::multiply_add(dzeta_j, jk.radial_j, of_k);
  return of_k;
}

/// Placeholder for a missing bond of a centre with fewer than N neighbours. Its distance exceeds every cutoff, so all
/// its terms are zero.
template <class Real>
TRIAD_HD Bond<Real> no_bond(Real distance) {
  return {{Real(0), Real(0), Real(0)}, distance, Real(0), Real(0)};
}

/// Calls visit(j, k, costheta, jk, kj) for each pair of the N bonds of a centre. `fc`: cutoffs of the bonds. `jk`,
/// `kj`: the terms with which bond k enters zeta of bond j, and bond j that of bond k.
template <int N, class Model, class Visit, class Real = typename Model::Real>
TRIAD_HD void for_unrolled_pairs(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N],
                                 const Dual<Real> (&fc)[N], const Visit &visit) {
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    TRIAD_UNROLL
    for (int k = j + 1; k < N; ++k) {
      const Real costheta = dot(bond[j].u, bond[k].u);
      visit(j, k, costheta, zeta_term_of(model, ei, e[j], e[k], bond[j], bond[k], fc[k], costheta),
            zeta_term_of(model, ei, e[k], e[j], bond[k], bond[j], fc[j], costheta));
    }
  }
}

/// The cutoffs and the energies of the N bonds of a centre.
template <class Real, int N>
struct UnrolledBonds {
  Dual<Real> fc[N];
  BondEnergy<Real> energy[N];

  template <class Model>
  TRIAD_HD UnrolledBonds(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N]) {
    Real zeta[N];
    TRIAD_UNROLL
    for (int j = 0; j < N; ++j) {
      fc[j] = cutoff(model.bond(ei, e[j]), bond[j].r, bond[j].rest);
      zeta[j] = Real(0);
    }
    for_unrolled_pairs(model, ei, e, bond, fc,
                       [&](int j, int k, Real, const ZetaTerm<Real> &jk, const ZetaTerm<Real> &kj) {
                         zeta[j] = jk.added_to(zeta[j]);
                         zeta[k] = kj.added_to(zeta[k]);
                       });
    TRIAD_UNROLL
    for (int j = 0; j < N; ++j) energy[j] = bond_energy(model.bond(ei, e[j]), fc[j], bond[j].r, zeta[j], bond[j].rest);
  }
};

/// Processes a centre with N neighbours, with every term in registers. Writes the gradients on the neighbours and the
/// energies of the directed bonds.
template <int N, class Model, class Real = typename Model::Real>
TRIAD_HD void tersoff_unrolled(const Model &model, int ei, const int (&e)[N], const Bond<Real> (&bond)[N],
                               Vec3<Real> (&gradient)[N], Real (&energy)[N]) {
  const UnrolledBonds<Real, N> bonds(model, ei, e, bond);
  OuterGradient<Real> sum[N];
  Real dzeta[N];
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    energy[j] = bonds.energy[j].energy;
    sum[j].along = bonds.energy[j].dr;
    dzeta[j] = bonds.energy[j].dzeta;
  }
  for_unrolled_pairs(
      model, ei, e, bond, bonds.fc,
      [&](int j, int k, Real costheta, const ZetaTerm<Real> &jk, const ZetaTerm<Real> &kj) {
        const Real angular = angular_of_pair(dzeta[j], jk, dzeta[k], kj);
        sum[j].add(bond[j], bond[k], costheta, angular, radial_of_pair<Model::lambda3>(dzeta[j], jk, dzeta[k], kj));
        sum[k].add(bond[k], bond[j], costheta, angular, radial_of_pair<Model::lambda3>(dzeta[k], kj, dzeta[j], jk));
      });
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) gradient[j] = sum[j].total(bond[j]);
}

/// A neighbour in the general path: geometry, followed by the quantities on which the energy of its bond depends.
template <class Real>
struct alignas(16) BondRecord {
  Bond<Real> bond;
  Dual<Real> fc;
  BondEnergy<Real> energy;
  int element;
};

/// Returns a record with geometry and cutoff term.
template <class Model, class Real = typename Model::Real>
TRIAD_HD BondRecord<Real> make_record(const Model &model, int ei, int ej, const Bond<Real> &bond) {
  return {bond, cutoff(model.bond(ei, ej), bond.r, bond.rest), {Real(0), Real(0), Real(0)}, ej};
}

/// The bond after k, or the first one after k = -1, that is not bond j. Lanes of a GPU that compute different bonds of
/// a centre take the same number of steps: in step m each reads record m or m + 1.
TRIAD_HD int next_bond(int k, int j) { return k + 1 + (k + 1 == j); }

/// Computes zeta_ij and the energy of bond j of a centre with n records; 0 beyond the cutoff of the bond. `record`: an
/// array, or an object from which record[k] makes record k.
template <class Model, class Records, class Real = typename Model::Real>
TRIAD_HD BondEnergy<Real> general_bond_energy(const Model &model, int ei, int j, int n, const Records &record) {
  const BondRecord<Real> &self = record[j];
  if (self.fc.value == Real(0)) return {Real(0), Real(0), Real(0)};
  Real zeta = 0;
  for (int k = next_bond(-1, j); k < n; k = next_bond(k, j)) {
    const BondRecord<Real> other = record[k];
    if (!model.cutoff_of_bond && other.bond.r >= model.triplet(ei, self.element, other.element).outer) continue;
    zeta = zeta_term_of(model, ei, self.element, other.element, self.bond, other.bond, other.fc,
                        dot(self.bond.u, other.bond.u))
               .added_to(zeta);
  }
  return bond_energy(model.bond(ei, self.element), self.fc, self.bond.r, zeta, self.bond.rest);
}

/// 3x3 tensor of products d (x) f: xx yy zz xy xz yz; with nine components also yx zx zy.
template <int Components>
struct Tensor {
  double v[Components] = {};

  template <class Real>
  TRIAD_HD void add_outer(double scale, const Vec3<Real> &d, const Vec3<Real> &f) {
    v[0] += scale * d.x * f.x;
    v[1] += scale * d.y * f.y;
    v[2] += scale * d.z * f.z;
    v[3] += scale * d.x * f.y;
    v[4] += scale * d.x * f.z;
    v[5] += scale * d.y * f.z;
    if constexpr (Components == 9) {
      v[6] += scale * d.y * f.x;
      v[7] += scale * d.z * f.x;
      v[8] += scale * d.z * f.y;
    }
  }
};
using Tensor6 = Tensor<6>;
using Tensor9 = Tensor<9>;

/// Contributions of bond j of a centre to the per-atom tallies of the centre and of neighbour j.
///
/// Energy and `virial` follow stock LAMMPS: halves of the pair terms, thirds of the triplet terms. `centroid` is the
/// many-body virial W_a = sum_b (r_a - m_b) (x) F_a,b over directed bonds b. m_b is the midpoint of bond b, the
/// position to which the per-atom energy assigns the bond, and F_a,b is the force on atom a that derives from the
/// energy of bond b. With this virial J = sum_a (E_a v_a + W_a v_a) is the heat current: Fan et al., Phys. Rev. B 92,
/// 094301 (2015); Boone, Babaei, Wilmer, J. Chem. Theory Comput. 15, 5579 (2019).
struct BondTally {
  double energy;  ///< contribution to each of the two atoms
  Tensor6 centre_virial, neighbour_virial;
  Tensor9 centre_centroid, neighbour_centroid;
};

/// Contribution of the energy of bond j of a centre with n records, whose energies are filled in, to the heat current.
/// The sum over bonds equals the sum over atoms of BondTally times velocity, with the virials of the kind `Kind`, but
/// needs no sums per atom. `v` is the velocity of the centre, neighbour_v(k) the velocity of neighbour k.
template <AtomVirial Kind, class Model, class NeighbourVelocity, class Real = typename Model::Real>
TRIAD_HD void add_bond_heat(const Model &model, int ei, int j, int n, const BondRecord<Real> *record,
                            const Vec3<Real> &v, const NeighbourVelocity &neighbour_v, HeatFlow &sum) {
  const BondRecord<Real> &self = record[j];
  const Vec3<Real> dj = self.bond.vector(), v_j = neighbour_v(j);
  OuterGradient<Real> on_j;
  Vec3<Real> on_others = {0, 0, 0};
  const auto add_flow = [&](const Vec3<Real> &d, const Vec3<Real> &force, const Vec3<Real> &u) {
    Tensor9 flow;
    flow.add_outer(1.0, d, Vec3<Real>{force.x * u.x, force.y * u.y, force.z * u.z});
    for (int c = 0; c < 9; ++c) sum.flow[c] += flow.v[c];
  };
  // adds a virial of which each atom has the share `share`; `u`: sum of the velocities of these atoms
  const auto add_shares = [&](const Tensor6 &virial, double share, const Vec3<Real> &u) {
    const double mean[3] = {share * u.x, share * u.y, share * u.z};
    add_tallied_flow(sum, mean, 0.0, virial.v, 6);
  };
  on_j.along = self.energy.dr;
  if (self.energy.dzeta != Real(0)) {
    for (int k = 0; k < n; ++k) {
      if (k == j) continue;
      const BondRecord<Real> &other = record[k];
      if (other.bond.r >= model.triplet(ei, self.element, other.element).outer) continue;
      const Real costheta = dot(self.bond.u, other.bond.u);
      const ZetaTerm<Real> jk = self.energy.dzeta * zeta_term_of(model, ei, self.element, other.element, self.bond,
                                                                 other.bond, other.fc, costheta);
      OuterGradient<Real> on_k;
      on_k.add(other.bond, self.bond, costheta, jk.angular, jk.radial_k);
      const Vec3<Real> gradient = on_k.total(other.bond), dk = other.bond.vector(), v_k = neighbour_v(k);
      if constexpr (Kind == AtomVirial::Centroid) {
        on_j.add(self.bond, other.bond, costheta, jk.angular, jk.radial_j);
        on_others = on_others + gradient;
        add_flow(dk + Real(-0.5) * dj, Real(-1) * gradient, v_k);
      } else {
        OuterGradient<Real> triplet_on_j;
        triplet_on_j.add(self.bond, other.bond, costheta, jk.angular, jk.radial_j);
        Tensor6 virial;
        virial.add_outer(-1.0, dj, triplet_on_j.total(self.bond));
        virial.add_outer(-1.0, dk, gradient);
        add_shares(virial, 1.0 / 3.0, v + v_j + v_k);
      }
    }
  }
  if constexpr (Kind == AtomVirial::Centroid) {
    const Vec3<Real> gradient = on_j.total(self.bond);
    add_flow(dj, Real(-0.5) * gradient, v_j);
    add_flow(dj, Real(-0.5) * (gradient + on_others), v);
  } else {
    Tensor6 virial;
    virial.add_outer(-double(self.energy.dr), dj, self.bond.u);
    add_shares(virial, 0.5, v + v_j);
  }
  const double half = 0.5 * self.energy.energy;
  sum.convective[0] += half * (double(v.x) + v_j.x);
  sum.convective[1] += half * (double(v.y) + v_j.y);
  sum.convective[2] += half * (double(v.z) + v_j.z);
}

/// The terms with which two bonds of a centre enter each other's zeta.
template <class Real>
struct ZetaPair {
  ZetaTerm<Real> jk, kj;  ///< of the energy of bond j, whose zeta contains bond k, and of the energy of bond k
};

/// `j`, `k`: records with energies. Terms beyond their cutoffs are 0, also those that are to be multiplied by a
/// derivative of 0.
template <class Model, class Real = typename Model::Real>
TRIAD_HD ZetaPair<Real> zeta_pair_of(const Model &model, int ei, const BondRecord<Real> &j, const BondRecord<Real> &k,
                                     Real costheta) {
  ZetaPair<Real> pair = {};
  const auto acts = [&](const BondRecord<Real> &bond, const BondRecord<Real> &third) {
    if (model.cutoff_of_bond) return true;  // then cutoff and derivatives are 0 where it does not
    return bond.energy.dzeta != Real(0) && third.bond.r < model.triplet(ei, bond.element, third.element).outer;
  };
  if (acts(j, k)) pair.jk = zeta_term_of(model, ei, j.element, k.element, j.bond, k.bond, k.fc, costheta);
  if (acts(k, j)) pair.kj = zeta_term_of(model, ei, k.element, j.element, k.bond, j.bond, j.fc, costheta);
  return pair;
}

/// Gradient on neighbour j of a centre with n records whose energies are filled in. With Tally, `tally` also receives
/// the per-atom tallies; the sum over j of its members `centre_...` is the tally of the centre.
template <bool Tally, class Model, class Records, class Real = typename Model::Real>
TRIAD_HD Vec3<Real> general_gradient(const Model &model, int ei, int j, int n, const Records &record,
                                     BondTally *tally) {
  const BondRecord<Real> &self = record[j];
  OuterGradient<Real> sum, own;      // gradient on j of all energies, and of the energy of bond j
  Vec3<Real> on_others = {0, 0, 0};  // gradient of the energy of bond j on the other neighbours
  Tensor6 triplets;
  sum.along = self.energy.dr;
  if constexpr (Tally) {
    own.along = self.energy.dr;
    tally->neighbour_centroid = Tensor9();
  }
  const auto middle = [](const BondRecord<Real> &of, const Vec3<Real> &d) {
    const Vec3<Real> bond = of.bond.vector();
    return Vec3<Real>{d.x - Real(0.5) * bond.x, d.y - Real(0.5) * bond.y, d.z - Real(0.5) * bond.z};
  };
  for (int k = next_bond(-1, j); k < n; k = next_bond(k, j)) {
    const BondRecord<Real> other = record[k];
    const Real costheta = dot(self.bond.u, other.bond.u);
    const ZetaPair<Real> pair = zeta_pair_of(model, ei, self, other, costheta);
    const Real of_j = self.energy.dzeta, of_k = other.energy.dzeta;
    sum.add(self.bond, other.bond, costheta, angular_of_pair(of_j, pair.jk, of_k, pair.kj),
            radial_of_pair<Model::lambda3>(of_j, pair.jk, of_k, pair.kj));
    if constexpr (Tally) {
      const ZetaTerm<Real> jk = of_j * pair.jk, kj = of_k * pair.kj;
      const Vec3<Real> dj = self.bond.vector(), dk = other.bond.vector();
      OuterGradient<Real> j_of_j, k_of_j, j_of_k, k_of_k;
      j_of_j.add(self.bond, other.bond, costheta, jk.angular, jk.radial_j);
      k_of_j.add(other.bond, self.bond, costheta, jk.angular, jk.radial_k);
      j_of_k.add(self.bond, other.bond, costheta, kj.angular, kj.radial_k);
      k_of_k.add(other.bond, self.bond, costheta, kj.angular, kj.radial_j);
      const Vec3<Real> f_j = j_of_k.total(self.bond);
      triplets.add_outer(-1.0, dj, j_of_j.total(self.bond) + f_j);
      triplets.add_outer(-1.0, dk, k_of_j.total(other.bond) + k_of_k.total(other.bond));
      tally->neighbour_centroid.add_outer(-1.0, middle(other, dj), f_j);
      own.add(self.bond, other.bond, costheta, jk.angular, jk.radial_j);
      on_others = on_others + k_of_j.total(other.bond);
    }
  }
  if constexpr (Tally) {
    const Vec3<Real> dj = self.bond.vector(), u = self.bond.u;
    const Vec3<Real> on_self = own.total(self.bond);
    tally->neighbour_centroid.add_outer(-0.5, dj, on_self);
    tally->centre_centroid = Tensor9();
    tally->centre_centroid.add_outer(-0.5, dj, on_self + on_others);
    tally->energy = 0.5 * self.energy.energy;
    Tensor6 pair;
    pair.add_outer(-0.5 * double(self.energy.dr), dj, u);
    for (int c = 0; c < 6; ++c) {
      tally->centre_virial.v[c] = pair.v[c] + triplets.v[c] / 6;  // both neighbours add this term, hence 1/6
      tally->neighbour_virial.v[c] = pair.v[c] + triplets.v[c] / 3;
    }
  }
  return sum.total(self.bond);
}

}  // namespace triad
