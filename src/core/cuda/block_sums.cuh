// Sums over threads and over numbers in device memory, in an order that does not depend on the scheduling of threads.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "core/cuda/warp.cuh"
#include "simd/qualifiers.h"

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
  // Lanes that have left a loop at different times may still run apart. Each part would execute the shuffles by itself.
  __syncwarp();
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
  __shared__ PartialSums<Sums> sums;
  const int warp = threadIdx.x / lanes;
  __syncthreads();  // no thread still reads the sums of the call before
#pragma unroll 1
  for (int k = warp; k < Sums; k += warps) {
    double sum = of_lane(k);
    for (int other = lanes / 2; other > 0; other /= 2) sum += __shfl_xor_sync(all_lanes, sum, other);
    if (threadIdx.x % lanes == 0) sums.v[k] = sum;
  }
  __syncthreads();
  return sums;
}

}  // namespace cuda
}  // namespace triad
