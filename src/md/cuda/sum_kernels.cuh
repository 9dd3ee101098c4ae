// Sums over atoms, in an order that does not depend on timing.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "md/cuda/atom_ops.cuh"
#include "physics/heat_current.h"
#include "physics/kinetic.h"

namespace triad {
namespace cuda {

/// Sums of a group per block, after `before`, which must not drift, has been applied to its own.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    kinetic_kernel(const MotionOp<Format> before, int bit, KineticSums *blocks) {
  const DeviceState<Format> &state = before.state;
  KineticSums sum;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const bool changes = before.motion.any() && (before.motion.bit == 0 || (state.mask[i] & before.motion.bit));
    const auto u = changes ? before.accelerate(i) : state.velocity(i);
    if (bit && !(state.mask[i] & bit)) continue;
    const double v[3] = {u.x, u.y, u.z};
    add_kinetic(sum, state.mass_of(i), v);
  }
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  TRIAD_UNROLL
  for (int k = 0; k < KineticSums::size; ++k) {
    const double total = Reduce(space).Sum(sum[k]);
    if (threadIdx.x == 0) blocks[blockIdx.x][k] = total;
    __syncthreads();
  }
}

/// Velocities of atoms into a buffer of three numbers each; atoms outside the group rest there.
template <class Format>
struct PackVelocityOp {
  DeviceState<Format> state;
  int bit;          ///< 0: all atoms
  const int *atom;  ///< [copies]
  double *target;   ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    const bool in_group = bit == 0 || (state.mask[atom[k]] & bit);
    const auto v = state.velocity(atom[k]);
    target[3 * k] = in_group ? v.x : 0;
    target[3 * k + 1] = in_group ? v.y : 0;
    target[3 * k + 2] = in_group ? v.z : 0;
  }
};

/// Heat current of n atoms, owned and ghosts, per block.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    heat_current_kernel(const DeviceState<Format> state, int n, int bit, double kinetic_factor, const double *energy,
                        const double *virial, const double *ghost_velocity, HeatCurrent *blocks) {
  HeatCurrent sum;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < static_cast<std::size_t>(n);
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    double e = energy[i], v[3];
    if (i < static_cast<std::size_t>(state.n)) {
      if (bit && !(state.mask[i] & bit)) continue;
      const auto u = state.velocity(i);
      v[0] = u.x;
      v[1] = u.y;
      v[2] = u.z;
      e += kinetic_factor * state.mass_of(i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    } else {
      for (int d = 0; d < 3; ++d) v[d] = ghost_velocity[3 * (i - state.n) + d];
    }
    add_heat_current(sum, v, e, virial + 9 * i);
  }
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  for (int k = 0; k < 6; ++k) {
    const double total = Reduce(space).Sum(k < 3 ? sum.total[k] : sum.convective[k - 3]);
    if (threadIdx.x == 0) (k < 3 ? blocks[blockIdx.x].total[k] : blocks[blockIdx.x].convective[k - 3]) = total;
    __syncthreads();
  }
}

}  // namespace cuda
}  // namespace triad
