// Forces and driving forces in one pass over the bonds, for steps in which each row of the pruned list has at most four
// entries and the forces are gathered.
#pragma once

#include "engine/cuda/state/sum_kernels.cuh"
#include "forces/tersoff/cuda/driving_kernels.cuh"

namespace triad {
namespace cuda {

/// Computes the forces of a step with the driving forces on all atoms, in place of the force kernel. The force array
/// receives the parts of the centres, see GatherJob::with_stored_own(). `blocks`: sums of these forces over the bonds
/// of a block, which are those of the driving forces, since the others cancel.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block)
    four_driven_kernel(const Model model, const DrivingJob<Format> job, const DeviceState<Format> state,
                       ForceSums *blocks) {
  const PrunedListView &list = job.bonds.list;
  if (stopped(job.bonds)) return;
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  ForceSums sums;
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
    for (int axis = 0; axis < 3; ++axis) sums.force[axis] = force[axis];
    sums.count = 1;
    sums.mass = state.mass_of(i);
  }
  write_sums_of_block(sums, ForceSums::n_of_forces, blocks + blockIdx.x);
}

/// Gathers these forces and takes their mean acceleration away.
template <class Format>
struct GatherDrivenOp {
  DeviceState<Format> state;
  GatherJob<Format> gather;
  const ForceSums *sums;  ///< of the driving forces
  const StepGuard *guard;

  __device__ void operator()(std::size_t i) const {
    using Sum = typename Format::Sum;
    if (guard->stopped) return;
    const Vec3<Sum> f = gather.with_stored_own(i);
    const double mass = state.mass_of(i);
    state.force.set(i, {f.x - to_accumulator<Sum>(mass * sums->acceleration(0)),
                        f.y - to_accumulator<Sum>(mass * sums->acceleration(1)),
                        f.z - to_accumulator<Sum>(mass * sums->acceleration(2))});
  }
};

}  // namespace cuda
}  // namespace triad
