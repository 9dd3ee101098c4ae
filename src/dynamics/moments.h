// Sums of positions relative to a point of each atom, for the centre of mass, the radius of gyration and the mean
// squared displacement.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// Sums over atoms, with d = position - point of the atom, in LAMMPS's units of mass, length and velocity.
struct MomentSums {
  double md[3] = {0, 0, 0};                    ///< m d
  double mdd[6] = {0, 0, 0, 0, 0, 0};          ///< m d d: xx yy zz xy xz yz
  double d[3] = {0, 0, 0}, dd[3] = {0, 0, 0};  ///< d, and d^2 along each axis
  double v[3] = {0, 0, 0};                     ///< velocity
  double mass = 0, count = 0;

  static constexpr int size = 20;
  /// The sums in the order above.
  TRIAD_HD double &operator[](int k) {
    return k < 3    ? md[k]
           : k < 9  ? mdd[k - 3]
           : k < 12 ? d[k - 9]
           : k < 15 ? dd[k - 12]
           : k < 18 ? v[k - 15]
           : k < 19 ? mass
                    : count;
  }
  TRIAD_HD void operator+=(MomentSums other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
  TRIAD_HD void add(double m, const double *by, const double *velocity) {
    for (int k = 0; k < 3; ++k) {
      md[k] += m * by[k];
      mdd[k] += m * by[k] * by[k];
      d[k] += by[k];
      dd[k] += by[k] * by[k];
      v[k] += velocity[k];
    }
    mdd[3] += m * by[0] * by[1];
    mdd[4] += m * by[0] * by[2];
    mdd[5] += m * by[1] * by[2];
    mass += m;
    count += 1;
  }
};

}  // namespace triad
