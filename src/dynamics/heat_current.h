// The heat current of a many-body potential: J = sum_i (e_i v_i + W_i v_i), energy times velocity. W_i is the virial of
// atom i, of one of two kinds; doc/user/reference/heat_current.md derives the formula for the centroid virials.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// Kinds of per-atom virials: the centroid virials of BondTally, and those of compute stress/atom, which divide each
/// term equally among its atoms.
enum class AtomVirial { Centroid, Thirds };

/// The heat current and its convective part, energy * velocity.
struct HeatCurrent {
  double total[3] = {0, 0, 0};
  double convective[3] = {0, 0, 0};
};

/// The heat current of atoms, split by the components of their velocities: flow[k] is the sum of W_ab v_b, where ab is
/// component k of a centroid virial (xx yy zz xy xz yz yx zx zy). Energy * velocity.
struct HeatFlow {
  static constexpr int row[9] = {0, 1, 2, 0, 0, 1, 1, 2, 2}, column[9] = {0, 1, 2, 1, 2, 2, 0, 0, 1};

  double flow[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  double convective[3] = {0, 0, 0};

  static constexpr int size = 12;
  TRIAD_HD double &operator[](int k) { return k < 9 ? flow[k] : convective[k - 9]; }
  TRIAD_HD double operator[](int k) const { return k < 9 ? flow[k] : convective[k - 9]; }
  TRIAD_HD void operator+=(const HeatFlow &other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
};

/// Adds the contribution of an atom with velocity v[3], energy (kinetic and potential) and virial[components] (energy
/// units): nine components in the order of HeatFlow, or the first six of a symmetric virial.
TRIAD_HD void add_tallied_flow(HeatFlow &sum, const double *v, double energy, const double *virial, int components) {
  const double of_column[9] = {v[0], v[1], v[2], v[1], v[2], v[2], v[0], v[0], v[1]};
  for (int k = 0; k < 9; ++k) sum.flow[k] += virial[k < components ? k : k - 3] * of_column[k];
  for (int d = 0; d < 3; ++d) sum.convective[d] += energy * v[d];
}

inline HeatCurrent current_of(const HeatFlow &sum) {
  HeatCurrent current;
  for (int d = 0; d < 3; ++d) current.total[d] = current.convective[d] = sum.convective[d];
  for (int k = 0; k < 9; ++k) current.total[HeatFlow::row[k]] += sum.flow[k];
  return current;
}

/// The driving force of the homogeneous nonequilibrium method on an atom with centroid virial `virial` in a field
/// (1/length): force_b = sum over a of field_a W_ab. Its power, summed over atoms, is the field times the heat current
/// without its convective part. Fan, Dong, Harju, Ala-Nissila, Phys. Rev. B 99, 064308 (2019), without the convective
/// term.
inline void driving_force(const double *field, const double *virial, double *force) {
  for (int d = 0; d < 3; ++d) force[d] = 0;
  for (int k = 0; k < 9; ++k) force[HeatFlow::column[k]] += field[HeatFlow::row[k]] * virial[k];
}

}  // namespace triad
