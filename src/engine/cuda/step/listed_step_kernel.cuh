// The kernel of steps with actions at their ends that concern few atoms: for these, it ends the step, sums, changes the
// atoms, and starts the next step. It can move all other atoms too.
#pragma once

#include <cub/util_type.cuh>

#include "core/cuda/block_progress.cuh"
#include "core/cuda/copy_words.cuh"
#include "engine/cuda/step/end_kernels.cuh"
#include "engine/cuda/step/step_kernel.cuh"

namespace triad {
namespace cuda {

/// The first `blocks` blocks have one thread per atom of StepJob::listed. Each writes its sums, waits for the others of
/// them, and decides by itself, in copies of the actions. These blocks must be resident. No atom may be concerned by
/// two actions. Further blocks, if there are any, have one thread per atom, and move those that are not in
/// StepJob::listed. `Gathers`: the kernel gathers the forces. `arrived`: see wait_for_blocks().
template <class Format, bool Gathers>
__global__ void __launch_bounds__(tuning::kinetic_block, tuning::listed_blocks_per_sm)
    listed_step_kernel(const StepJob<Format> job, const EndsJob<Format> ends, unsigned blocks, unsigned *arrived) {
  if (blockIdx.x >= blocks) {
    const unsigned block = blockIdx.x - blocks;
    return move_atom<Format, true, true, MovedAtoms::Unlisted, Gathers>(job, last_first(block, gridDim.x - blocks),
                                                                        block == 0 && threadIdx.x == 0);
  }
  constexpr int n_sums = ExchangeSums::size, lanes = 32, warps = tuning::kinetic_block / lanes;
  static_assert(tuning::ends_at_once <= warps, "each action has a warp that decides");
  const DeviceState<Format> &state = job.state;
  const int k = static_cast<int>(blockIdx.x * tuning::kinetic_block + threadIdx.x);
  const bool mine = k < job.listed.count;
  const std::size_t i = job.listed[mine ? k : 0];
  __shared__ cub::Uninitialized<DeviceEndOfStep> copies[tuning::ends_at_once];

  // loads before the wait read only what the force kernel, which may still run, does not write
  MovingAtom<Format> atom(job, i, job.factors);
  atom.load_coord();
  typename GatherJob<Format>::Slots slots;
  if constexpr (Gathers) slots = job.gather.slots(i);
  const double m = state.mass_of(i);
  unsigned measured = 0, changed = 0;  // sets of actions
  for (int e = 0; e < ends.count; ++e) {
    const bool inside = mine && ends.end[e].block.contains(state, i);
    if (inside && ends.is_measured(e, i)) measured |= 1u << e;
    if (inside && ends.is_changed(e, i)) changed |= 1u << e;
  }
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
  if (mine) atom.end_step(f);
  for (int e = 0; e < ends.count; ++e) {
    PartialSums<n_sums> part;
    if (measured >> e & 1) add_exchange(part.v, m, atom.velocity(), f);
    ends.sums(e, blocks).write(blockIdx.x, part);
  }
  wait_for_blocks(arrived, blocks);
  // warp k adds up a part of the sums of action k % ends.count, and decides for action k
  const int warp = static_cast<int>(threadIdx.x) / lanes, parts = warps / ends.count;
  const bool first_lane = threadIdx.x % lanes == 0;
  __shared__ cub::Uninitialized<PartialSums<n_sums>> of_warp[warps];
  if (warp < parts * ends.count) {
    const PartialSums<n_sums> part =
        ends.sums(warp % ends.count, blocks).template total_by_warp<n_sums>(warp / ends.count, parts);
    if (first_lane) of_warp[warp].Alias() = part;
  }
  __syncthreads();
  if (warp < ends.count && first_lane) {
    PartialSums<n_sums> all = of_warp[warp].Alias();
    for (int p = 1; p < parts; ++p) all = all + of_warp[warp + p * ends.count].Alias();
    copies[warp].Alias().decide(all.v, ends.step());
  }
  __syncthreads();
  if (blockIdx.x == 0)  // all blocks have copied the actions
    for (int e = 0; e < ends.count; ++e) copy_words<tuning::kinetic_block>(ends.end[e].end, &copies[e].Alias());
  if (!mine) return;
  for (int e = 0; e < ends.count; ++e)
    if (changed >> e & 1) atom.exchange(copies[e].Alias().change, m, f);
  atom.start_step(f, completed);
  atom.store_velocity();
  atom.expect(f);
}

}  // namespace cuda
}  // namespace triad
