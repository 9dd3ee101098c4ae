// What goes into the Tersoff kernels and comes out of them: positions in their format; forces, tallies and totals in
// LAMMPS's.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "core/tuning.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// Rows of three numbers pass through shared memory, so that a warp reads whole lines.
template <class Format, class Position = typename PositionOf<Format>::type>
__global__ void __launch_bounds__(tuning::store_block)
    store_positions_kernel(int n, const double *__restrict__ x, ElementsView element, PositionScale scale,
                           const Position *__restrict__ reference, Position *position, PositionFlags *flags) {
  __shared__ double staged[3 * tuning::store_block];
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(tuning::store_block);
  const double *const source = x + 3 * first;
  const std::size_t count = 3 * (n - first);
  TRIAD_UNROLL
  for (int part = 0; part < 3; ++part) {
    const unsigned k = part * tuning::store_block + threadIdx.x;
    if (k < count) staged[k] = source[k];
  }
  const int i = static_cast<int>(first) + threadIdx.x;
  const bool mine = i < n;
  const int own_element = mine ? element[i] : 0;
  Position own_reference = {};
  if (mine && reference) own_reference = load(reference + i);
  __syncthreads();
  if (!mine) return;
  const double *const xi = staged + 3 * threadIdx.x;
  Position p;
  store(p, xi, own_element, scale);
  if (reference && element.watched && position[i].element != p.element) flags->moved = 1;
  position[i] = p;
  if (!storable(xi, scale)) flags->bad_position = i + 1;
  if (!reference) return;
  const Moved moved = moved_from(own_reference, p, scale);
  if (moved == Moved::Little) return;
  flags->nearly_moved = 1;
  if (moved == Moved::TooFar) flags->moved = 1;
}

/// The value, which becomes 0.
template <class T>
__device__ __forceinline__ T take(T &value) {
  const T old = value;
  value = T(0);
  return old;
}

/// The accumulators are read, and the rows of three leave, in whole lines; the last atoms first, which are what the
/// cache still holds. Each thread has the numbers of a few atoms under way.
template <class Format, bool add>
__global__ void __launch_bounds__(tuning::collect_block)
    collect_forces_kernel(std::size_t n, ForceArray<Format> accumulated, double *force) {
  constexpr unsigned block = tuning::collect_block, each = tuning::collect_atoms, atoms = each * block;
  __shared__ double row[3 * atoms];
  const std::size_t first = (gridDim.x - 1 - blockIdx.x) * static_cast<std::size_t>(atoms);
  const unsigned count = static_cast<unsigned>(n - first < atoms ? n - first : atoms);
  double *const target = force + 3 * first;
  double present[3 * each];
  TRIAD_UNROLL
  for (unsigned k = 0; k < 3 * each; ++k) {
    const unsigned at = k * block + threadIdx.x;
    present[k] = add && at < 3 * count ? target[at] : 0;
  }
  decltype(accumulated.value(0)) sum[each];
  TRIAD_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    const unsigned i = k * block + threadIdx.x;
    if (i < count) sum[k] = accumulated.value(first + i);
  }
  TRIAD_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    const unsigned i = k * block + threadIdx.x;
    if (i >= count) continue;
    accumulated.clear(first + i);
    row[3 * i] = from_accumulator(sum[k].x);
    row[3 * i + 1] = from_accumulator(sum[k].y);
    row[3 * i + 2] = from_accumulator(sum[k].z);
  }
  __syncthreads();
  TRIAD_UNROLL
  for (unsigned k = 0; k < 3 * each; ++k) {
    const unsigned at = k * block + threadIdx.x;
    if (at < 3 * count) target[at] = present[k] + row[at];
  }
}

template <class Accumulator>
__global__ void collect_tally_kernel(std::size_t n, Accumulator *accumulated, double *target) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  target[i] = from_accumulator(take(accumulated[i]));
}

/// One block sums the totals of all blocks; every thread takes the same share in every run.
static __global__ void sum_totals_kernel(unsigned blocks, const BlockTotals *block_totals, BlockTotals *total) {
  constexpr int threads = 256;
  using Reduce = cub::BlockReduce<double, threads>;
  __shared__ typename Reduce::TempStorage space;
  for (int k = 0; k < 7; ++k) {
    double sum = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += threads) sum += block_totals[b].v[k];
    sum = Reduce(space).Sum(sum);
    if (threadIdx.x == 0) total->v[k] = sum;
    __syncthreads();
  }
}

}  // namespace cuda
}  // namespace triad
