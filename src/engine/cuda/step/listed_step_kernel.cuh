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
/// two actions. `MovesAll`: further blocks have one thread per atom, and move those that are not in StepJob::listed;
/// otherwise all blocks are of the first kind. With the other atoms, the kernel needs more registers, and is launched
/// for few atoms only, whose few blocks a warp can add up. `Gathers`: the kernel gathers the forces. `arrived`: see
/// wait_for_blocks().
template <class Format, bool Gathers, bool MovesAll>
__global__ void __launch_bounds__(tuning::kinetic_block)
    listed_step_kernel(const StepJob<Format> job, const EndsJob<Format> ends, unsigned blocks, unsigned *arrived) {
  if constexpr (MovesAll)
    if (blockIdx.x >= blocks) {
      const unsigned block = blockIdx.x - blocks;
      return move_atom<Format, true, true, MovedAtoms::Unlisted, Gathers>(job, last_first(block, gridDim.x - blocks),
                                                                          block == 0 && threadIdx.x == 0);
    }
  constexpr int n_sums = ExchangeSums::size, lanes = 32;
  static_assert(tuning::ends_at_once * lanes <= tuning::kinetic_block, "each action has a warp that decides");
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
  const int own = static_cast<int>(threadIdx.x) / lanes;  // the action for which this warp decides
  PartialSums<n_sums> of_own;
  if constexpr (MovesAll) {
    if (own < ends.count) of_own = ends.sums(own, blocks).template total_by_warp<n_sums>();
  } else {
    for (int e = 0; e < ends.count; ++e) {
      const PartialSums<n_sums> all = ends.sums(e, blocks).template total<n_sums>();
      if (e == own) of_own = all;
    }
  }
  if (own < ends.count && threadIdx.x % lanes == 0) copies[own].Alias().decide(of_own.v, ends.step());
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
