// The heat current of a many-body potential: J = sum_i (e_i v_i + W_i v_i), energy times velocity. W_i is the virial of
// atom i with the nine components of BondTally (forces/tersoff/tersoff_atom.h). doc/user/reference/heat_current.md
// derives the formula.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// The heat current and its convective part, energy * velocity.
struct HeatCurrent {
  double total[3] = {0, 0, 0};
  double convective[3] = {0, 0, 0};

  TRIAD_HD void operator+=(const HeatCurrent &other) {
    for (int d = 0; d < 3; ++d) {
      total[d] += other.total[d];
      convective[d] += other.convective[d];
    }
  }
};

/// Adds a convective contribution (x, y, z), energy * velocity.
TRIAD_HD void add_energy_flow(HeatCurrent &sum, double x, double y, double z) {
  const double flow[3] = {x, y, z};
  for (int d = 0; d < 3; ++d) {
    sum.convective[d] += flow[d];
    sum.total[d] += flow[d];
  }
}

/// Adds the contribution of an atom with velocity v[3], energy (kinetic and potential) and virial[9] (xx yy zz xy xz yz
/// yx zx zy, energy units).
TRIAD_HD void add_heat_current(HeatCurrent &sum, const double *v, double energy, const double *virial) {
  const double flow[3] = {virial[0] * v[0] + virial[3] * v[1] + virial[4] * v[2],
                          virial[6] * v[0] + virial[1] * v[1] + virial[5] * v[2],
                          virial[7] * v[0] + virial[8] * v[1] + virial[2] * v[2]};
  add_energy_flow(sum, energy * v[0], energy * v[1], energy * v[2]);
  for (int d = 0; d < 3; ++d) sum.total[d] += flow[d];
}

}  // namespace triad
