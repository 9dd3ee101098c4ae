// The heat current of an atom from its energy and virial.
#pragma once

#include "dynamics/heat_current.h"

namespace triad {

/// Adds the contribution of an atom with velocity v[3], energy (kinetic and potential) and virial[components] (energy
/// units): nine components in the order of HeatFlow, or the first six of a symmetric virial.
TRIAD_HD void add_tallied_flow(HeatFlow &sum, const double *v, double energy, const double *virial, int components) {
  const double of_column[9] = {v[0], v[1], v[2], v[1], v[2], v[2], v[0], v[0], v[1]};
  for (int k = 0; k < 9; ++k) sum.flow[k] += virial[k < components ? k : k - 3] * of_column[k];
  for (int d = 0; d < 3; ++d) sum.convective[d] += energy * v[d];
}

}  // namespace triad
