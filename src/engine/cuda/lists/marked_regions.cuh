// Regions of space whose atoms are marked, such as those of actions at the end of steps, and the check that the marks
// suffice until the next neighbour list.
#pragma once

#include "dynamics/heat_exchange.h"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

struct MarkedRegions {
  /// The atoms of a group in a block.
  struct Region {
    BlockRegion block;
    int group_bits;  ///< 0: all atoms
    bool operator==(const Region &other) const { return group_bits == other.group_bits && block == other.block; }
  };
  int count = 0;
  Region region[tuning::ends_at_once];

  /// Bit k is set if an atom at x with the group bits `mask` may be in region k after a displacement by `margin`.
  __device__ int near(const double *x, int mask, double margin) const {
    int bits = 0;
    for (int k = 0; k < count; ++k)
      if ((region[k].group_bits == 0 || (mask & region[k].group_bits)) && region[k].block.is_near(x, margin))
        bits |= 1 << k;
    return bits;
  }
};

/// What a kernel that makes a neighbour list needs to check the marks.
struct MarkCheck {
  const MarkedRegions *regions = nullptr;  ///< in device memory, or null: there are no marks
  const int *marks = nullptr;              ///< [n] bit k: the atom is marked for region k
  double margin = 0;                       ///< largest displacement until the next list

  /// True if atom i, at x in the box with the group bits mask[i], may reach a region for which it is not marked. Not
  /// without `regions`.
  __device__ __forceinline__ bool misses(int i, const double *x, const int *mask) const {
    return regions->near(x, mask[i], margin) & ~marks[i];
  }
};

}  // namespace cuda
}  // namespace triad
