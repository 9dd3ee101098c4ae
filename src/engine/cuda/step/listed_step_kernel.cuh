// The kernel that moves the atoms which actions at the end of a step concern, where these atoms are few: it ends the
// step, sums, changes the atoms, and starts the next step.
#pragma once

#include <cub/util_type.cuh>

#include "core/cuda/block_progress.cuh"
#include "core/cuda/copy_words.cuh"
#include "engine/cuda/step/end_kernels.cuh"
#include "engine/cuda/step/step_kernel.cuh"

namespace triad {
namespace cuda {

/// One thread per atom of StepJob::listed. Each block writes its sums, waits for the others, and decides by itself, in
/// copies of the actions. All blocks must be resident. No atom may be concerned by two actions. `Gathers`: the kernel
/// gathers the forces. `arrived`: see wait_for_grid().
template <class Format, bool Gathers>
__global__ void __launch_bounds__(tuning::kinetic_block)
    listed_step_kernel(const StepJob<Format> job, const EndsJob<Format> ends, unsigned *arrived) {
  constexpr int n_sums = ExchangeSums::size;
  const DeviceState<Format> &state = job.state;
  const int k = static_cast<int>(blockIdx.x * tuning::kinetic_block + threadIdx.x);
  const bool mine = k < job.listed.count;
  const std::size_t i = job.listed[mine ? k : 0];
  __shared__ cub::Uninitialized<DeviceEndOfStep> copies[tuning::ends_at_once];

  // loads before the wait read only what the force kernel, which may still run, does not write
  MovingAtom<Format> atom(job, i, job.factors);
  typename GatherJob<Format>::Slots slots;
  if constexpr (Gathers) slots = job.gather.slots(i);
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  const int completed = job.guard->completed;
  for (int e = 0; e < ends.count; ++e) copy_words<tuning::kinetic_block>(&copies[e].Alias(), ends.end[e].end);
  Vec3<typename Format::Sum> sum;
  if constexpr (Gathers)
    sum = job.gather.force(i, slots);
  else
    sum = state.force.value(i);
  const auto f = DeviceState<Format>::converted(sum);
  if (mine) {
    if constexpr (Gathers) state.force.set(i, sum);
    atom.end_step(f);
    atom.store_velocity();
  }
  for (int e = 0; e < ends.count; ++e) {
    PartialSums<n_sums> part;
    if (mine && ends.is_measured(e, i)) ExchangeSumJob<Format>{state, ends.end[e].block}(part.v, i);
    ends.sums(e, gridDim.x).write(blockIdx.x, part);
  }
  wait_for_grid(arrived);
  for (int e = 0; e < ends.count; ++e) {
    const PartialSums<n_sums> all = ends.sums(e, gridDim.x).template total<n_sums>();
    if (threadIdx.x == 0) copies[e].Alias().decide(all.v, ends.step());
  }
  __syncthreads();
  if (blockIdx.x == 0)  // all blocks have copied the actions
    for (int e = 0; e < ends.count; ++e) copy_words<tuning::kinetic_block>(ends.end[e].end, &copies[e].Alias());
  if (!mine) return;
  for (int e = 0; e < ends.count; ++e)
    if (ends.is_changed(e, i)) ExchangeOp<Format>{state, ends.end[e].block, copies[e].Alias().change}(i);

  MovingAtom<Format> next(job, i, job.factors);  // with what the actions have changed
  next.load_coord();
  next.start_step(f, completed);
  next.store_velocity();
  next.expect(f);
}

}  // namespace cuda
}  // namespace triad
