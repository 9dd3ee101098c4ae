// Sums over atoms in an order that does not depend on the scheduling of threads.
#pragma once

#include "core/cuda/block_sums.cuh"
#include "dynamics/kinetic.h"
#include "engine/cuda/state/motion_ops.cuh"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// Counts this block; true in all its threads if it is the last of n blocks to call the function. What thread 0 of the
/// other blocks wrote to global memory before is then visible. `counter` is 0 before the first and after the last call.
static __device__ __forceinline__ bool is_last_block(unsigned *counter, unsigned n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(counter, 1u) == n - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

/// Sums of blocks of kinetic_block threads in device memory. Those of one kind are neighbours, since one block adds
/// those of all blocks.
struct SumsOfBlocks {
  double *sum = nullptr;  ///< [kinds][blocks]
  unsigned blocks = 0;

  /// Writes the sums over the threads of a block. All its threads call this.
  template <int Sums>
  __device__ __forceinline__ void write(unsigned block, const PartialSums<Sums> &mine) const {
    const PartialSums<Sums> part = sum_over_block<tuning::kinetic_block>(mine);
    if (threadIdx.x == 0) set(block, part);
  }
  template <int Sums>
  __device__ __forceinline__ void set(unsigned block, const PartialSums<Sums> &sums) const {
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) sum[k * blocks + block] = sums.v[k];
  }
  /// The first `Sums` sums over the blocks from `first` to `last`, exclusive. All threads of a block call this and
  /// receive the sums.
  template <int Sums>
  __device__ __forceinline__ PartialSums<Sums> total(unsigned first, unsigned last) const {
    return sums_by_warps<Sums, tuning::kinetic_block>(
        [&](int k) { return sum_of_lane(of_all(k) + first, last - first); });
  }
  /// The same over all blocks.
  template <int Sums>
  __device__ __forceinline__ PartialSums<Sums> total() const {
    return total<Sums>(0, blocks);
  }
  /// The same by one warp, all of whose threads call this and receive the sums. Takes less time with few blocks, and
  /// other warps can add up other sums meanwhile.
  template <int Sums>
  __device__ __forceinline__ PartialSums<Sums> total_by_warp() const {
    constexpr unsigned lanes = 32;
    PartialSums<Sums> all;
    for (unsigned block = threadIdx.x % lanes; block < blocks; block += lanes) {
      TRIAD_UNROLL
      for (int k = 0; k < Sums; ++k) all.v[k] += __ldcg(of_all(k) + block);
    }
    __syncwarp();
    for (int other = lanes / 2; other > 0; other /= 2) {
      TRIAD_UNROLL
      for (int k = 0; k < Sums; ++k) all.v[k] += __shfl_xor_sync(all_lanes, all.v[k], other);
    }
    return all;
  }
  /// Sum k of all blocks.
  __device__ __forceinline__ const double *of_all(int k) const { return sum + k * blocks; }
};

/// Sums of blocks, added up by groups of neighbouring blocks, so that a single block can add the sums of all groups.
struct SumsOfGroups {
  SumsOfBlocks of_blocks, of_groups;
  unsigned per_group = 1;       ///< blocks; if it is 1, `of_blocks` is not used
  unsigned *arrived = nullptr;  ///< [groups] counts of blocks; zero before and after each kernel

  static unsigned blocks_per_group(unsigned blocks) {
    return blocks > tuning::most_ungrouped_blocks ? tuning::thermostat_blocks_per_group : 1;
  }
  static unsigned groups_of(unsigned blocks) {
    return (blocks + blocks_per_group(blocks) - 1) / blocks_per_group(blocks);
  }
  /// Writes the sums over the threads of a block; the last block of a group adds those of the group. All threads of a
  /// block call this.
  template <int Sums>
  __device__ __forceinline__ void write(unsigned block, const PartialSums<Sums> &mine) const {
    if (per_group == 1) return of_groups.write(block, mine);
    of_blocks.write(block, mine);
    const unsigned group = block / per_group, first = group * per_group;
    const unsigned size = min(per_group, of_blocks.blocks - first);
    if (!is_last_block(arrived + group, size)) return;
    const PartialSums<Sums> sums = of_blocks.total<Sums>(first, first + size);
    if (threadIdx.x == 0) of_groups.set(group, sums);
  }
};

/// Writes the sums over the threads of a block. `All`: a class with the number `size` of sums and the operator []. All
/// threads of the block call this.
template <int Threads, class All>
__device__ __forceinline__ void write_block_sum(const All &mine, All *block) {
  PartialSums<All::size> part;
  TRIAD_UNROLL
  for (int k = 0; k < All::size; ++k) part.v[k] = mine[k];
  part = sum_over_block<Threads>(part);
  if (threadIdx.x != 0) return;
  TRIAD_UNROLL
  for (int k = 0; k < All::size; ++k) (*block)[k] = part.v[k];
}

/// Writes the sums over the threads of all blocks of a grid, always added in the same order. `blocks`: memory for the
/// sums of each block. `arrived`: see is_last_block(). All threads of the grid call this once.
template <int Threads, class All>
__device__ __forceinline__ void write_grid_sum(const All &mine, All *blocks, All *sum, unsigned *arrived) {
  write_block_sum<Threads>(mine, blocks + blockIdx.x);
  if (!is_last_block(arrived, gridDim.x)) return;
  All all;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    TRIAD_UNROLL
    for (int k = 0; k < All::size; ++k) all[k] += __ldcg(&blocks[b][k]);
  }
  write_block_sum<Threads>(all, sum);
}

/// Kinetic sums of a group, after the queued motion `before` was carried out, which must not move atoms. `bit`: of the
/// group; 0 for all atoms. `blocks`, `sum`, `arrived`: as of write_grid_sum(). `guard`: of the steps, or null; if they
/// have stopped, the kernel does nothing.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    kinetic_kernel(const MotionOp<Format> before, int bit, KineticSums *blocks, KineticSums *sum, unsigned *arrived,
                   const StepGuard *guard) {
  if (guard && guard->stopped) return;
  const DeviceState<Format> &state = before.state;
  KineticSums mine;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const bool changes = before.motion.accelerates() && (before.motion.bit == 0 || (state.mask[i] & before.motion.bit));
    const auto u = changes ? before.accelerate(i) : state.velocity(i);
    if (bit && !(state.mask[i] & bit)) continue;
    const double v[3] = {u.x, u.y, u.z};
    add_kinetic(mine, state.mass_of(i), v);
  }
  write_grid_sum<tuning::kinetic_block>(mine, blocks, sum, arrived);
}

/// Velocity of an owned atom; zero outside a group.
template <class Format>
struct GroupVelocity {
  DeviceState<Format> state;
  int bit;  ///< bit of the group; 0 for all atoms
  __device__ Vec3<double> operator()(int i, int /*image*/ = 0) const {
    if (bit && !(state.mask[i] & bit)) return {0.0, 0.0, 0.0};
    const auto v = state.velocity(i);
    return {double(v.x), double(v.y), double(v.z)};
  }
};

/// Copies velocities of atoms to a buffer; atoms outside the group get zeros.
template <class Format>
struct PackVelocityOp {
  GroupVelocity<Format> velocity_of;
  const int *atom;  ///< [copies]
  double *target;   ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    const Vec3<double> v = velocity_of(atom[k]);
    target[3 * k] = v.x;
    target[3 * k + 1] = v.y;
    target[3 * k + 2] = v.z;
  }
};

}  // namespace cuda
}  // namespace triad
