// Sums over slabs, as whole multiples of units.
#pragma once

#include "core/cuda/warp.cuh"
#include "dynamics/slabs.h"
#include "engine/cuda/state/group_kernels.cuh"
#include "engine/cuda/state/sum_kernels.cuh"

namespace triad {
namespace cuda {

/// Sums of slabs as whole multiples of units that are so small that the errors do not matter, and so large that no sum
/// is out of range. The result then does not depend on the order of the additions.
struct SlabUnits {
  double per_unit[SlabVirials::size];  ///< multiples per unit of each sum
};

// The values of an atom that are summed.

template <class Format>
struct SlabSumsOf {
  using Sums = SlabSums;
  DeviceState<Format> state;
  __device__ Sums operator()(std::size_t i) const {
    const auto u = state.velocity(i);
    const double v[3] = {u.x, u.y, u.z};
    Sums mine;
    mine.add(state.mass_of(i), v);
    return mine;
  }
};

template <class Format>
struct SlabVirialsOf {
  using Sums = SlabVirials;
  DeviceState<Format> state;
  const double *virial;  ///< [n][6]
  double kinetic_factor;
  __device__ Sums operator()(std::size_t i) const {
    const auto u = state.velocity(i);
    const double v[3] = {u.x, u.y, u.z};
    Sums mine;
    mine.add(virial + 6 * i, kinetic_factor * state.mass_of(i), v);
    return mine;
  }
};

/// Sums the absolute values over a group, which bounds the sums over any of its atoms, and chooses the units in the
/// last block. `blocks`: [blocks of the grid][size of the values], `ended`: 0, see is_last_block().
template <class Values>
__global__ void __launch_bounds__(tuning::kinetic_block)
    slab_units_kernel(int n, const int *mask, int bit, const Values values, double *blocks, unsigned *ended,
                      SlabUnits *units, const StepGuard *guard) {
  if (guard && guard->stopped) return;
  constexpr int size = Values::Sums::size;
  PartialSums<size> bound;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    if (bit && !(mask[i] & bit)) continue;
    typename Values::Sums mine = values(i);
    TRIAD_UNROLL
    for (int k = 0; k < size; ++k) bound.v[k] += fabs(mine[k]);
  }
  bound = sum_over_block<tuning::kinetic_block>(bound);
  if (threadIdx.x == 0)
    for (int k = 0; k < size; ++k) blocks[size * blockIdx.x + k] = bound.v[k];
  if (!is_last_block(ended, gridDim.x)) return;
  bound = PartialSums<size>();
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
    for (int k = 0; k < size; ++k) bound.v[k] += blocks[size * b + k];
  bound = sum_over_block<tuning::kinetic_block>(bound);
  if (threadIdx.x != 0) return;
  for (int k = 0; k < size; ++k) {
    int exponent = 0;
    frexp(bound.v[k], &exponent);
    units->per_unit[k] = bound.v[k] > 0 ? ldexp(1.0, 61 - exponent) : 1;
  }
}

template <class Format>
struct SlabJob {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  int bit;               ///< bit of the group; 0 for all atoms
  Slabs slabs;
  const SlabUnits *units;
  unsigned long long *sums;  ///< [slabs.count][size of the values] output, which must be zero before
  const StepGuard *guard;    ///< of the steps, or null
};

/// All lanes of a warp call this. Lanes of one slab add up their values first, and make one addition per sum.
template <int size>
static __device__ __forceinline__ void add_to_slabs(unsigned long long *sums, int slab,
                                                    const long long (&values)[size]) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned left = __ballot_sync(all_lanes, slab >= 0); left;) {
    const int first = __shfl_sync(all_lanes, slab, __ffs(left) - 1);
    const bool in = slab == first;
    left &= ~__ballot_sync(all_lanes, in);
    TRIAD_UNROLL
    for (int k = 0; k < size; ++k) {
      long long total = in ? values[k] : 0;
      TRIAD_UNROLL
      for (int offset = 16; offset; offset /= 2) total += __shfl_xor_sync(all_lanes, total, offset);
      if (lane == static_cast<unsigned>(k))
        atomicAdd(sums + size * static_cast<std::size_t>(first) + k, static_cast<unsigned long long>(total));
    }
  }
}

/// `in_shared`: the block has shared memory for the sums of all slabs.
template <class Format, class Values>
__global__ void __launch_bounds__(tuning::kinetic_block)
    slab_sums_kernel(const SlabJob<Format> job, const Values of_atom, bool in_shared) {
  constexpr int size = Values::Sums::size;
  if (job.guard && job.guard->stopped) return;
  extern __shared__ unsigned long long of_block[];
  const DeviceState<Format> &state = job.state;
  const int n_sums = size * job.slabs.count;
  const SlabUnits units = *job.units;
  if (in_shared) {
    for (int k = threadIdx.x; k < n_sums; k += blockDim.x) of_block[k] = 0;
    __syncthreads();
  }
  for (std::size_t first = blockIdx.x * static_cast<std::size_t>(blockDim.x); first < static_cast<std::size_t>(state.n);
       first += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const std::size_t i = first + threadIdx.x;
    int slab = -1;
    long long values[size] = {};
    if (i < static_cast<std::size_t>(state.n) && (job.bit == 0 || (state.mask[i] & job.bit))) {
      const Vec3<double> at = state.position(job.anchor, i);
      const double x[3] = {at.x, at.y, at.z};
      slab = job.slabs.of(x);
      typename Values::Sums mine = of_atom(i);
      TRIAD_UNROLL
      for (int k = 0; k < size; ++k) values[k] = __double2ll_rn(mine[k] * units.per_unit[k]);
    }
    add_to_slabs(in_shared ? of_block : job.sums, slab, values);
  }
  if (!in_shared) return;
  __syncthreads();
  for (int k = threadIdx.x; k < n_sums; k += blockDim.x)
    if (of_block[k]) atomicAdd(job.sums + k, of_block[k]);
}

}  // namespace cuda
}  // namespace triad
