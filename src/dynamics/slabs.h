// Slabs of equal width that are normal to one axis, as the bins of stock compute chunk/atom bin/1d, and sums over the
// atoms in each slab.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// The slabs of a box. The coordinate of a position x is the sum of weight[d] * (x[d] - origin[d]): a Cartesian
/// coordinate in length units, or a fraction of a box edge.
struct Slabs {
  double weight[3] = {0, 0, 1}, origin[3] = {0, 0, 0};
  bool periodic = true;      ///< coordinates outside of [low, high) are moved back by one period
  double low = 0, high = 1;  ///< the box
  double first = 0;          ///< lower face of the first slab
  double width = 1;          ///< of a slab
  int count = 1;
  bool drops_above = false;  ///< positions above the last slab are in none

  bool operator==(const Slabs &other) const {
    bool same = periodic == other.periodic && low == other.low && high == other.high && first == other.first &&
                width == other.width && count == other.count && drops_above == other.drops_above;
    for (int d = 0; d < 3; ++d) same = same && weight[d] == other.weight[d] && origin[d] == other.origin[d];
    return same;
  }
  /// Returns the slab of a position. Positions below the first slab or above the last one count as in these, unless
  /// drops_above: then -1 is returned for positions above.
  TRIAD_HD int of(const double *x) const {
    double c = 0;
    for (int d = 0; d < 3; ++d) c += weight[d] * (x[d] - origin[d]);
    if (periodic) {
      if (c < low) c += high - low;
      if (c >= high) c -= high - low;
    }
    const double at = (c - first) * (1 / width);
    if (!(at >= 0)) return 0;
    return at < count ? static_cast<int>(at) : drops_above ? -1 : count - 1;
  }
};

/// Sums over the atoms of a group in one slab, in LAMMPS's units of mass and velocity.
struct SlabSums {
  double count = 0, mass = 0;
  double mvv = 0;  ///< m v^2

  static constexpr int size = 3;
  /// The sums in the order count, mass, m v^2.
  TRIAD_HD double &operator[](int k) { return k == 0 ? count : k == 1 ? mass : mvv; }
  TRIAD_HD void add(double m, const double *v) {
    count += 1;
    mass += m;
    mvv += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
};

/// Sums of virials over the atoms of a group in one slab, xx yy zz xy xz yz, in energy units.
struct SlabVirials {
  double virial[6] = {0, 0, 0, 0, 0, 0};

  static constexpr int size = 6;
  TRIAD_HD double &operator[](int k) { return virial[k]; }
  /// Adds the virial[6] of an atom with velocity v[3], and `kinetic` times v v.
  TRIAD_HD void add(const double *of_atom, double kinetic, const double *v) {
    const double vv[6] = {v[0] * v[0], v[1] * v[1], v[2] * v[2], v[0] * v[1], v[0] * v[2], v[1] * v[2]};
    for (int k = 0; k < 6; ++k) virial[k] += of_atom[k] + kinetic * vv[k];
  }
};

}  // namespace triad
