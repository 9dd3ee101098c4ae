// The heat current of a many-body potential: J = sum_i (e_i v_i + W_i v_i), energy times velocity, with W_i the virial
// of atom i whose nine components are those of BondTally (forces/tersoff/tersoff_atom.h); doc/user/reference/heat_current.md derives
// it.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// Current, and its convective part.
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

/// Adds energy times velocity.
TRIAD_HD void add_energy_flow(HeatCurrent &sum, double x, double y, double z) {
  const double flow[3] = {x, y, z};
  for (int d = 0; d < 3; ++d) {
    sum.convective[d] += flow[d];
    sum.total[d] += flow[d];
  }
}

/// Adds the share of an atom with velocity v, energy (kinetic and potential) and `virial` xx yy zz xy xz yz yx zx zy.
TRIAD_HD void add_heat_current(HeatCurrent &sum, const double *v, double energy, const double *virial) {
  const double flow[3] = {virial[0] * v[0] + virial[3] * v[1] + virial[4] * v[2],
                          virial[6] * v[0] + virial[1] * v[1] + virial[5] * v[2],
                          virial[7] * v[0] + virial[8] * v[1] + virial[2] * v[2]};
  add_energy_flow(sum, energy * v[0], energy * v[1], energy * v[2]);
  for (int d = 0; d < 3; ++d) sum.total[d] += flow[d];
}

}  // namespace triad
