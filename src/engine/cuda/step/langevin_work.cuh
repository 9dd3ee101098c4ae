// Work of Langevin thermostats in a step.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/step/step_kernel.cuh"

namespace triad {
namespace cuda {

/// The atoms of the thermostats whose work is summed.
struct TalliedThermostats {
  int count = 0;
  int which[tuning::max_groups];               ///< numbers of the thermostats
  GroupMembers members[tuning::max_groups];    ///< atoms of their groups
  unsigned blocks_before[tuning::max_groups];  ///< blocks of the thermostats before each
};

/// Sums the power of the forces of thermostats over the atoms of their groups. Runs before the step kernel, and
/// computes the noise, the gathered forces and the velocities at the end of the step of these atoms as that kernel
/// does. The groups are usually a small part of the atoms, so this costs less than sums in the step kernel. The order
/// of the additions is fixed.
template <class Format, bool Gathers>
__global__ void __launch_bounds__(tuning::step_block)
    langevin_work_kernel(const StepJob<Format> job, const TalliedThermostats tallied) {
  int t = 0;
  while (t + 1 < tallied.count && blockIdx.x >= tallied.blocks_before[t + 1]) ++t;
  const int which = tallied.which[t];
  const GroupMembers members = tallied.members[t];
  const unsigned block = blockIdx.x - tallied.blocks_before[t];
  const int k = static_cast<int>(block * blockDim.x + threadIdx.x);
  const bool mine = k < members.count;
  const std::size_t i = members[mine ? k : 0];
  MovingAtom<Format> atom(job, i, job.factors);
  typename GatherJob<Format>::Slots slots;
  if constexpr (Gathers) slots = job.gather.slots(i);
  wait_for_previous_kernel();
  const int stopped = job.guard->stopped, completed = job.guard->completed;
  Vec3<typename Format::Sum> sum;
  if constexpr (Gathers)
    sum = job.gather.force(i, slots);
  else
    sum = job.state.force.value(i);
  if (stopped) return;
  double power = atom.end_step_with_power(which, DeviceState<Format>::converted(sum), completed);
  if (!mine) power = 0;
  using Reduce = cub::BlockReduce<double, tuning::step_block>;
  __shared__ typename Reduce::TempStorage space;
  power = Reduce(space).Sum(power);
  if (threadIdx.x != 0) return;
  LangevinWork &work = job.langevin[which].work[block];
  work.sum += power;
  work.last = power;
}

}  // namespace cuda
}  // namespace triad
