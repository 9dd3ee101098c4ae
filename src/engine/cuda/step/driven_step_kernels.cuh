// Forces and driving forces in one pass over the bonds, for steps in which each row of the pruned list has at most four
// entries and the forces are gathered.
#pragma once

#include "dynamics/force_change.h"
#include "engine/cuda/state/sum_kernels.cuh"
#include "forces/tersoff/cuda/driving_kernels.cuh"

namespace triad {
namespace cuda {

/// Sums of the driving forces over the bonds of each block: number k of ForceSums is at value[k * n_blocks + block].
struct DrivingBlocks {
  double *value;
  int n_blocks;
};

/// Computes the forces of a step with the driving forces on all atoms, in place of the force kernel. The force array
/// receives the parts of the centres, see GatherJob::with_stored_own(). `blocks` receives the sums of these forces,
/// which are those of the driving forces, since the others cancel.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block)
    four_driven_kernel(const Model model, const DrivingJob<Format> job, const DeviceState<Format> state,
                       const DrivingBlocks blocks) {
  const PrunedListView &list = job.bonds.list;
  wait_for_previous_kernel();
  if (stopped(job.bonds)) return;
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  PartialSums<ForceSums::n_of_forces> sums;
  if (i < static_cast<std::size_t>(list.n_rows)) {
    const std::size_t stride = list.n_rows;
    const FourDriven<Format> found = drive_four<true>(model, job, static_cast<int>(i), i, stride);
    double force[3] = {found.centre.x, found.centre.y, found.centre.z};
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (found.entry[k] == static_cast<int>(i)) continue;
      const auto &g = found.gradient[k];
      job.check_range(g, static_cast<int>(i));
      job.bonds.gradient.store(i + k * stride, g);
      force[0] -= g.x;
      force[1] -= g.y;
      force[2] -= g.z;
    }
    job.set(static_cast<int>(i), found.centre);
    TRIAD_UNROLL
    for (int axis = 0; axis < 3; ++axis) sums.v[axis] = force[axis];
    sums.v[3] = 1;
    sums.v[4] = state.mass_of(i);
  }
  sums = sum_over_block<tuning::four_block>(sums);
  if (threadIdx.x != 0) return;
  TRIAD_UNROLL
  for (int k = 0; k < ForceSums::n_of_forces; ++k) blocks.value[k * blocks.n_blocks + blockIdx.x] = sums.v[k];
}

/// The sum of all blocks, in one block, so that the order of the additions is fixed.
static __global__ void __launch_bounds__(tuning::total_block)
    total_driving_kernel(const DrivingBlocks blocks, const StepGuard *guard, ForceSums *total) {
  wait_for_previous_kernel();
  if (guard->stopped) return;
  PartialSums<ForceSums::n_of_forces> sums;
  for (int b = static_cast<int>(threadIdx.x); b < blocks.n_blocks; b += tuning::total_block) TRIAD_UNROLL
  for (int k = 0; k < ForceSums::n_of_forces; ++k) sums.v[k] += blocks.value[k * blocks.n_blocks + b];
  sums = sum_over_block<tuning::total_block>(sums);
  if (threadIdx.x != 0) return;
  for (int k = 0; k < ForceSums::n_of_forces; ++k) (*total)[k] = sums.v[k];
}

/// The force on atom i from the gradients of four_driven_kernel(), without the mean acceleration.
template <class Format>
__device__ __forceinline__ Vec3<typename Format::Sum> driven_force(const DeviceState<Format> &state,
                                                                   const GatherJob<Format> &gather,
                                                                   const ForceSums &sums, std::size_t i) {
  using Sum = typename Format::Sum;
  const Vec3<Sum> f = gather.with_stored_own(i);
  const double mass = state.mass_of(i);
  return {f.x - to_accumulator<Sum>(mass * sums.acceleration(0)),
          f.y - to_accumulator<Sum>(mass * sums.acceleration(1)),
          f.z - to_accumulator<Sum>(mass * sums.acceleration(2))};
}

/// Gathers these forces, in steps in which no thermostat does so.
template <class Format>
struct GatherDrivenOp {
  DeviceState<Format> state;
  GatherJob<Format> gather;
  const ForceSums *sums;  ///< of the driving forces
  const StepGuard *guard;

  __device__ void operator()(std::size_t i) const {
    if (!guard->stopped) state.force.set(i, driven_force(state, gather, *sums, i));
  }
};

}  // namespace cuda
}  // namespace triad
