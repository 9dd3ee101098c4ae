// Flat walls that reflect atoms, as stock fix wall/reflect.
#pragma once

#include "core/portable_math.h"

namespace triad {

struct ReflectingWall {
  int axis = 0;
  bool upper = false;  ///< atoms stay below the wall, otherwise above it
  double at = 0;       ///< length units
};

/// Walls that act on the atoms of a group after the drift of a step, in this order.
struct ReflectingWalls {
  static constexpr int most = 6;
  int group_bit = 1;
  int count = 0;
  ReflectingWall wall[most];

  /// Reflects the position x and the velocity v of an atom. Returns the length by which the position has changed, or 0.
  template <class Velocity>
  TRIAD_HD double reflect(double *x, Velocity *v) const {
    double moved = 0;
    for (int k = 0; k < count; ++k) {
      const ReflectingWall &one = wall[k];
      double &c = x[one.axis];
      if (!(one.upper ? c > one.at : c < one.at)) continue;
      const double beyond = one.upper ? c - one.at : one.at - c;
      c = one.upper ? one.at - beyond : one.at + beyond;
      v[one.axis] = -v[one.axis];
      moved += 2 * beyond;
    }
    return moved;
  }
};

}  // namespace triad
