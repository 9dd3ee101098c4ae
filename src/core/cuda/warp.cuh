// What kernels share that exchange values between the lanes of a warp.
#pragma once

#include "simd/qualifiers.h"

namespace triad {
namespace cuda {

/// Mask of all lanes of a warp, for the functions of CUDA whose names end in _sync.
constexpr unsigned all_lanes = 0xffffffffu;

/// Inclusive prefix sum of the values of the lanes of a warp. All lanes call this, in blocks of one dimension.
__device__ __forceinline__ int inclusive_sum_of_warp(int value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  TRIAD_UNROLL
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(all_lanes, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

}  // namespace cuda
}  // namespace triad
