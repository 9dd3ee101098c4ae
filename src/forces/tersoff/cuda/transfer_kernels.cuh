// Conversion between LAMMPS's arrays and the formats of the Tersoff kernels: positions in, forces and tallies out.
#pragma once

#include "core/cuda/block_sums.cuh"
#include "core/cuda/warp.cuh"
#include "core/tuning.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// Stores positions in the format of the kernels, and checks displacements if `reference` is not null. The rows of
/// three numbers pass through shared memory, which makes the loads coalesced.
template <class Format, class Position = typename PositionOf<Format>::type>
__global__ void __launch_bounds__(tuning::store_block)
    store_positions_kernel(int n, const double *__restrict__ x, ElementsView element, PositionScale scale,
                           const Position *__restrict__ reference, Position *position, PositionFlags *flags,
                           ListExpiry expiry) {
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
  bool expired = reference && element.watched && position[i].element != p.element;
  position[i] = p;
  if (!storable(xi, scale)) flags->bad_position = i + 1;
  if (!reference) return;
  const Moved moved = moved_from(own_reference, p, scale);
  if (moved != Moved::Little) flags->nearly_moved = 1;
  expired |= moved == Moved::TooFar;
  if (!expired) return;
  flags->moved = 1;
  expiry.note();
}

/// Returns the value and sets it to 0.
template <class T>
__device__ __forceinline__ T take(T &value) {
  const T old = value;
  value = T(0);
  return old;
}

/// Forces in accumulators, as a source of collect_forces_kernel().
template <class Format>
struct AccumulatedForces {
  using Sum = typename Format::Sum;
  ForceArray<Format> force;

  __device__ __forceinline__ Vec3<Sum> value(std::size_t i) const { return force.value(i); }
  __device__ __forceinline__ void clear(std::size_t i) const { force.clear(i); }
};
/// The same for forces that are gathered, on atoms that have rows. Each step stores anew what the force kernels store.
template <class Format>
struct GatheredForces {
  using Sum = typename Format::Sum;
  GatherJob<Format> gather;

  __device__ __forceinline__ Vec3<Sum> value(std::size_t i) const { return gather.force(i, gather.slots(i)); }
  __device__ __forceinline__ void clear(std::size_t) const {}
};

/// Converts forces to rows of three numbers and clears their accumulators. Loads and stores are coalesced by way of
/// shared memory. Blocks go from the last atoms to the first, since the L2 cache holds what was written last; each
/// thread has several atoms, so that several loads are in flight.
template <class Source, bool add>
__global__ void __launch_bounds__(tuning::collect_block)
    collect_forces_kernel(std::size_t n, const Source source, double *force) {
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
  Vec3<typename Source::Sum> sum[each];
  TRIAD_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    const unsigned i = k * block + threadIdx.x;
    if (i < count) sum[k] = source.value(first + i);
  }
  TRIAD_UNROLL
  for (unsigned k = 0; k < each; ++k) {
    const unsigned i = k * block + threadIdx.x;
    if (i >= count) continue;
    source.clear(first + i);
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

/// One block of totals_block threads sums the totals of all blocks in a fixed order.
constexpr int totals_block = 256;
static __global__ void sum_totals_kernel(unsigned blocks, const BlockTotals *block_totals, BlockTotals *total) {
  constexpr int size = BlockTotals::size;
  PartialSums<size> mine;
#pragma unroll 4
  for (unsigned b = threadIdx.x; b < blocks; b += totals_block) {
    TRIAD_UNROLL
    for (int k = 0; k < size; ++k) mine.v[k] += block_totals[b].v[k];
  }
  mine = sum_over_block<totals_block>(mine);
  if (threadIdx.x != 0) return;
  TRIAD_UNROLL
  for (int k = 0; k < size; ++k) total->v[k] = mine.v[k];
}

/// Finds TersoffDevice::reach() for lists in which row i is that of atom i, and the owners of all ghosts are known: one
/// thread per row. `index_mask`: bits of an entry that hold the index, see ImageNames.
static __global__ void __launch_bounds__(tuning::store_block)
    reach_kernel(const DeviceNeighborList rows, int index_mask, const ListedGhosts ghosts, int *largest) {
  const int i = static_cast<int>(blockIdx.x * tuning::store_block + threadIdx.x);
  int reach = 0;
  if (i < rows.n_rows) {
    const int *const first = rows.neighbour + (rows.offset ? rows.offset[i] : i * rows.row_stride);
    const int n = rows.offset ? static_cast<int>(rows.offset[i + 1] - rows.offset[i]) : rows.length[i];
    const std::size_t stride = rows.offset ? 1 : rows.entry_stride;
    for (int k = 0; k < n; ++k)
      reach = max(reach, index_distance(i, ghosts.receiver(first[k * stride] & rows.mask & index_mask), rows.n_rows));
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) reach = max(reach, __shfl_xor_sync(all_lanes, reach, lanes));
  if (threadIdx.x % 32 == 0) atomicMax(largest, reach);
}

}  // namespace cuda
}  // namespace triad
