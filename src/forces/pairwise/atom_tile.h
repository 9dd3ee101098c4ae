// Tiles of 32 slots, for loops over all pairs. Kernels of formulas include this header too, so it needs no library.
#pragma once

#include "simd/qualifiers.h"

namespace triad {

/// 32 slots, of which the first `count` hold atoms.
struct AtomTile {
  int count;
  int type;  ///< from 0; 0 for laws without coefficients by type
  int side;  ///< PairAtomsView::side
  int unused;
};

constexpr int tile_width = 32;

/// True if atoms of these two sides interact.
TRIAD_HD bool acts(int side_a, int side_b) { return ((side_a & 1) && (side_b & 2)) || ((side_b & 1) && (side_a & 2)); }

}  // namespace triad
