// How the warps of the kernels for longer rows share the rows of a pruned list.
#pragma once

#include "core/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {

/// The rows that a warp computes. `blocks_per_window` blocks share the rows of a window of
/// PrunedListView::order, where longer rows come first.
struct RowsOfWarp {
  int begin;   ///< of the window
  int size;    ///< rows of the window
  int first;   ///< first row of the warp, counted from `begin`
  int stride;  ///< from one group of rows of the warp to the next

  __device__ __forceinline__ RowsOfWarp(int n_rows, int rows_per_warp, unsigned blocks_per_window) {
    constexpr int lanes = 32, warps = tuning::bond_block / lanes;
    const int warp = static_cast<int>(threadIdx.x) / lanes;
    const unsigned window = blockIdx.x / blocks_per_window, block = blockIdx.x - window * blocks_per_window;
    begin = static_cast<int>(window) * PrunedListView::window;
    size = min(PrunedListView::window, n_rows - begin);
    first = (static_cast<int>(block) * warps + warp) * rows_per_warp;
    stride = static_cast<int>(blocks_per_window) * warps * rows_per_warp;
  }
};

}  // namespace cuda
}  // namespace triad
