// Sums over atoms in an order that does not depend on the scheduling of threads.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "dynamics/kinetic.h"
#include "engine/cuda/state/motion_ops.cuh"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// Sums of `Sums` quantities.
template <int Sums>
struct PartialSums {
  double v[Sums] = {};
  __device__ __forceinline__ PartialSums operator+(const PartialSums &other) const {
    PartialSums sum;
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) sum.v[k] = v[k] + other.v[k];
    return sum;
  }
};

/// Sum over the threads of a block; thread 0 receives it.
template <int Threads, int Sums>
__device__ __forceinline__ PartialSums<Sums> sum_over_block(const PartialSums<Sums> &mine) {
  using Reduce = cub::BlockReduce<PartialSums<Sums>, Threads>;
  __shared__ typename Reduce::TempStorage space;
  __syncwarp();  // threads of a warp that have left a loop one by one would add one by one
  const PartialSums<Sums> sum = Reduce(space).Reduce(mine, [](const auto &a, const auto &b) { return a + b; });
  __syncthreads();
  return sum;
}

/// The part of one thread of a warp in the sum of n numbers in device memory. All threads of the warp call this.
static __device__ __forceinline__ double sum_of_lane(const double *number, unsigned n) {
  constexpr unsigned at_once = 8, lanes = 32;  // eight loads are in flight
  const unsigned lane = threadIdx.x % lanes;
  double sum = 0;
#pragma unroll 1
  for (unsigned begin = 0; begin < n; begin += at_once * lanes) {
    double part[at_once];
    TRIAD_UNROLL
    for (unsigned p = 0; p < at_once; ++p) {
      const unsigned k = begin + p * lanes + lane;
      part[p] = k < n ? __ldcg(number + k) : 0.0;
    }
    TRIAD_UNROLL
    for (unsigned p = 0; p < at_once; ++p) sum += part[p];
  }
  return sum;
}

/// `Sums` sums, each by a warp of the block: sum k is that of of_lane(k) over the lanes of a warp. All threads of the
/// block call this and receive the sums.
template <int Sums, int Threads, class OfLane>
__device__ __forceinline__ PartialSums<Sums> sums_by_warps(const OfLane &of_lane) {
  constexpr int lanes = 32, warps = Threads / lanes;
  using Reduce = cub::WarpReduce<double>;
  __shared__ typename Reduce::TempStorage space[warps];
  __shared__ PartialSums<Sums> sums;
  const int warp = threadIdx.x / lanes;
  __syncthreads();  // no thread still reads the sums of the call before
#pragma unroll 1
  for (int k = warp; k < Sums; k += warps) {
    const double sum = Reduce(space[warp]).Sum(of_lane(k));
    if (threadIdx.x % lanes == 0) sums.v[k] = sum;
  }
  __syncthreads();
  return sums;
}

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

/// Kinetic sums of a group per block, after the queued motion `before` was carried out, which must not move atoms.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    kinetic_kernel(const MotionOp<Format> before, int bit, KineticSums *blocks) {
  const DeviceState<Format> &state = before.state;
  KineticSums sum;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const bool changes = before.motion.accelerates() && (before.motion.bit == 0 || (state.mask[i] & before.motion.bit));
    const auto u = changes ? before.accelerate(i) : state.velocity(i);
    if (bit && !(state.mask[i] & bit)) continue;
    const double v[3] = {u.x, u.y, u.z};
    add_kinetic(sum, state.mass_of(i), v);
  }
  write_block_sum<tuning::kinetic_block>(sum, blocks + blockIdx.x);
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
