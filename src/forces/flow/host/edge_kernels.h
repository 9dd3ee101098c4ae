// The loop over edges on the host, compiled for several instruction sets (edge_kernels.cpp).
#pragma once

#include "core/precision.h"
#include "dynamics/shallow_water/settings.h"

namespace triad {

constexpr int edge_block = 64;  ///< edges per call; a multiple of the lanes of every register

/// Arrays of edges, in the formats of a precision (FloatFormats), padded to whole blocks.
struct FlowEdgesView {
  const void *state;             ///< State [n_all][4]: h, qx, qy, H
  const int *left, *right;       ///< [n_edges]
  const void *nx, *ny, *length;  ///< Real [n_edges], aligned to a register
  /// Real [6][n_edges] of EdgeFlux, times the length: mass, left_x, left_y, right_x, right_y, speed.
  void *flux;
  long long stride;  ///< n_edges
  double gravity, dry;
};

/// Computes the edges [first, first + edge_block).
using EdgeKernel = void (*)(const FlowEdgesView &edges, long long first);

using EdgeKernelOf = EdgeKernel(FlowFlux flux, Precision precision);
EdgeKernelOf edge_kernel_baseline;
#if defined(TRIAD_X86_ISAS)
EdgeKernelOf edge_kernel_avx2, edge_kernel_avx512;
#endif

}  // namespace triad
