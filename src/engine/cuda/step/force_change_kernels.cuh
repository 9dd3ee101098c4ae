// Kernels and operations that sum the forces on a group and change them.
#pragma once

#include <type_traits>

#include "core/cuda/step_guard.cuh"
#include "dynamics/force_change.h"
#include "engine/cuda/state/device_state.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"
#include "engine/tuning.h"
#include "forces/tersoff/cuda/gradients.cuh"

namespace triad {
namespace cuda {

/// Sums of the forces on a group, and of the positions if `anchor` is not null. `gather`: completes driving forces
/// first.
template <class Format>
struct ForceSumJob {
  DeviceState<Format> state;
  int bit;               ///< bit of the group; 0 for all atoms
  const double *anchor;  ///< [n][3], or null: no sums of positions
  const int *crossings;  ///< [n][3], or null if no atom has crossed the box
  const StepGuard *guard;
  GatherJob<Format> gather = {};
  const double *tether = nullptr;  ///< [n][3] points of springs, or null
  bool along[3] = {};              ///< axes of the springs

  __device__ void add(ForceSums &sums, std::size_t i) const {
    if (gather.reverse) state.force.set(i, gather.with_stored_own(i, gather.slots(i)));
    if (bit && !(state.mask[i] & bit)) return;
    sums.count += 1;
    sums.mass += state.mass_of(i);
    for (int axis = 0; axis < 3; ++axis) sums.force[axis] += from_accumulator(state.force.component(i, axis));
    if (!anchor) return;
    const Vec3<double> x = state.position(anchor, i);
    sums.position[0] += x.x;
    sums.position[1] += x.y;
    sums.position[2] += x.z;
    if (tether) {
      const double *const t = tether + 3 * i, at[3] = {x.x, x.y, x.z};
      for (int axis = 0; axis < 3; ++axis)
        if (along[axis]) sums.stretch += (at[axis] - t[axis]) * (at[axis] - t[axis]);
    }
    if (!crossings) return;
    for (int axis = 0; axis < 3; ++axis) sums.crossings[axis] += crossings[3 * i + axis];
  }
};

/// Sums per block. Does nothing if the steps have stopped.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    force_sums_kernel(const ForceSumJob<Format> job, ForceSums *blocks) {
  if (job.guard && job.guard->stopped) return;
  ForceSums sums;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(job.state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    job.add(sums, i);
  write_block_sum<tuning::kinetic_block>(sums, blocks + blockIdx.x);
}

/// The sum of n_blocks blocks, in one block, so that the order of the additions is fixed. If `peers` has other ranks,
/// also the sum over the ranks.
static __global__ void __launch_bounds__(tuning::kinetic_block)
    total_force_sums_kernel(const ForceSums *blocks, int n_blocks, const StepGuard *guard, ForceSums *total,
                            const Peers peers, ForceSums *of_all_ranks) {
  if (guard && guard->stopped) return;
  ForceSums sums;
  for (int b = static_cast<int>(threadIdx.x); b < n_blocks; b += static_cast<int>(blockDim.x))
    for (int k = 0; k < ForceSums::size; ++k) sums[k] += blocks[b][k];
  write_block_sum<tuning::kinetic_block>(sums, total);
  if (!peers.ranks) return;
  sums = peers.sum(*total);
  if (threadIdx.x == 0) *of_all_ranks = sums;
}

template <class Format>
struct ChangeForceOp {
  DeviceState<Format> state;
  ForceChange change;      ///< `drag` and `tether` are in device memory
  const double *anchor;    ///< [n][3]
  const int *type;         ///< [n], only for Drag
  const ForceSums *sums;   ///< of the group on all ranks, only for Average
  const StepGuard *guard;  ///< of the steps, or null
  int *bad;                ///< receives 1 + index of an atom whose force is out of the accumulators' range

  __device__ void operator()(std::size_t i) const {
    if (guard && guard->stopped) return;
    const bool drags = change.kind == ForceChange::Kind::Drag, averages = change.kind == ForceChange::Kind::Average;
    const bool springs = change.kind == ForceChange::Kind::Spring;
    const double coefficient = drags ? change.drag[type[i]] : change.stiffness;
    const auto u = state.velocity(i);
    double measure[3] = {u.x, u.y, u.z};
    if (springs) {
      const double *const t = change.tether + 3 * i;
      const Vec3<double> x = state.position(anchor, i);
      measure[0] = x.x - t[0];
      measure[1] = x.y - t[1];
      measure[2] = x.z - t[2];
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (!change.along[axis]) continue;
      const double f = change.changed(axis, from_accumulator(state.force.component(i, axis)),
                                      averages ? sums->mean(axis) : 0, coefficient, measure[axis]);
      if (!state.set_force(i, axis, f)) *bad = static_cast<int>(i) + 1;
    }
  }
};

/// f += driving force - mass * acceleration.
template <class Format>
struct DriveOp {
  DeviceState<Format> state;
  ForceArray<Format> driving;
  const ForceSums *sums;   ///< of the driving forces on the group
  const StepGuard *guard;  ///< of the steps, or null
  int *bad;                ///< as in ChangeForceOp

  __device__ void operator()(std::size_t i) const {
    if (guard && guard->stopped) return;
    const double mass = state.mass_of(i);
    for (int axis = 0; axis < 3; ++axis) {
      const double f = from_accumulator(state.force.component(i, axis)) + from_accumulator(driving.component(i, axis)) -
                       mass * sums->acceleration(axis);
      if (!state.set_force(i, axis, f)) *bad = static_cast<int>(i) + 1;
    }
  }
};

}  // namespace cuda
}  // namespace triad
