// Sums of kinetic energy and momentum over atoms.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// Sums over atoms: m v v (xx yy zz xy xz yz), m v, m, in LAMMPS's units of mass and velocity.
struct KineticSums {
  double mvv[6] = {0, 0, 0, 0, 0, 0};
  double mv[3] = {0, 0, 0};
  double mass = 0;

  /// Numbers of all sums, of those of m v v, and of xx yy zz, which give the temperature.
  static constexpr int size = 10, n_tensor = 6, n_diagonal = 3;
  TRIAD_HD double &operator[](int k) { return k < 6 ? mvv[k] : k < 9 ? mv[k - 6] : mass; }
  TRIAD_HD double operator[](int k) const { return k < 6 ? mvv[k] : k < 9 ? mv[k - 6] : mass; }
  TRIAD_HD void operator+=(const KineticSums &other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
};

/// Temperature from m v v (xx yy zz). `per_degree`: mvv2e / (degrees of freedom * boltz).
TRIAD_HD double temperature_of(const double *mvv, double per_degree) { return (mvv[0] + mvv[1] + mvv[2]) * per_degree; }

TRIAD_HD void add_kinetic(KineticSums &sums, double mass, const double *v) {
  const double mv[3] = {mass * v[0], mass * v[1], mass * v[2]};
  sums.mvv[0] += mv[0] * v[0];
  sums.mvv[1] += mv[1] * v[1];
  sums.mvv[2] += mv[2] * v[2];
  sums.mvv[3] += mv[0] * v[1];
  sums.mvv[4] += mv[0] * v[2];
  sums.mvv[5] += mv[1] * v[2];
  for (int d = 0; d < 3; ++d) sums.mv[d] += mv[d];
  sums.mass += mass;
}

/// Transforms the sums as v_d *= factor[d] transforms the velocities.
TRIAD_HD void scale(KineticSums &sums, const double *factor) {
  for (int d = 0; d < 3; ++d) {
    sums.mvv[d] *= factor[d] * factor[d];
    sums.mv[d] *= factor[d];
  }
  sums.mvv[3] *= factor[0] * factor[1];
  sums.mvv[4] *= factor[0] * factor[2];
  sums.mvv[5] *= factor[1] * factor[2];
}

}  // namespace triad
