// Several steps in one cooperative kernel, for so few atoms that all blocks are resident at once; any precision, any
// number of elements. A step consists of the same device functions as step_kernel, four_neighbour_kernel and
// thermostat_kernel, with a grid-wide barrier in place of each launch, and gives the same bits. The velocity of an atom
// stays in registers.
#pragma once

#include <cooperative_groups.h>

#include "engine/cuda/step/step_kernel.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

namespace cg = cooperative_groups;

/// Argument of persistent_step_kernel besides ForceJob.
template <class Format>
struct PersistentStepJob {
  StepJob<Format> step;
  int n_steps;
  bool ends;                     ///< the kernel first ends the step whose forces are there
  std::int64_t first_step;       ///< number of the first step that the guard counts
  DeviceThermostat *thermostat;  ///< used with StepJob::factors
  KineticSums *blocks;           ///< [blocks] used with StepJob::factors
  bool incomplete;               ///< the forces of the step before are gradients that must be gathered
};

/// One thread per atom. Every atom must have a row of at most four entries.
template <class Format, class Model, bool Thermostat>
__global__ void __launch_bounds__(tuning::four_block)
    persistent_step_kernel(const Model model, const PersistentStepJob<Format> job, const ForceJob<Format> forces) {
  constexpr int N = 4;
  const StepJob<Format> &step = job.step;
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x, n = step.state.n;
  const bool mine = i < n;
  const std::size_t at = mine ? i : 0;
  StepGuard &guard = *step.guard;
  if (guard.stopped) return;
  const int completed = guard.completed;
  // each block advances its own copy of the chain, with the same result
  __shared__ alignas(DeviceThermostat) unsigned char thermostat_space[Thermostat ? sizeof(DeviceThermostat) : 1];
  DeviceThermostat &thermostat = *reinterpret_cast<DeviceThermostat *>(thermostat_space);
  if constexpr (Thermostat) {
    if (threadIdx.x == 0) thermostat = *job.thermostat;
    __syncthreads();
  }
  MovingAtom<Format> atom(step, at, Thermostat ? thermostat.factors : nullptr);
  atom.load_coord();
  int entry[N];
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) entry[k] = forces.list.neighbour[k * n + at];
  Emitter<Format, false> emit(forces);
  const GatherJob<Format> &gather = step.gather;
  typename GatherJob<Format>::Slots slots = {};
  if (forces.gathers()) slots = gather.slots(at);
  const auto force = [&](bool incomplete) {
    return DeviceState<Format>::converted(incomplete ? gather.force(at, slots) : step.state.force.value(at));
  };
  auto f = force(job.incomplete);
  const auto grid = cg::this_grid();
  for (int s = 0; s < job.n_steps; ++s) {
    if (i == 0) guard.enter(phase_moving);
    if (mine) {
      if (job.ends || s > 0) {
        if (step.n_langevin) f = atom.with_noise(f, completed + s);
        atom.end_step(f);
      }
      atom.start_step(f, completed + s);
    }
    grid.sync();
    if (stopped(forces)) break;
    if (mine) {
      emit.start_centre();
      add_forces_of_four(model, forces, static_cast<int>(i), static_cast<unsigned>(i), static_cast<unsigned>(n), entry,
                         emit);
    }
    if (!Thermostat && s + 1 == job.n_steps) break;
    grid.sync();
    f = force(forces.gathers());
    if constexpr (Thermostat) {
      if (i == 0) guard.enter(phase_moving);
      KineticSums of_atom;
      if (mine) add_kicked(of_atom, step, i, atom.velocity(), f, thermostat.batch.measured_bit);
      write_sum_of_block<KineticSums::n_diagonal>(of_atom, job.blocks);
      grid.sync();
      const KineticSums sum = sum_of_blocks<KineticSums::n_diagonal>(job.blocks);
      if (threadIdx.x == 0) advance_chain(&thermostat, sum, job.first_step + completed + s, true);
      __syncthreads();
    }
  }
  if (mine) atom.store_velocity();
  if (Thermostat && i == 0) *job.thermostat = thermostat;
}

static_assert(tuning::kinetic_block == tuning::four_block, "both kernels must add in the same order");

inline unsigned persistent_step_blocks(int n) { return blocks_for(n, tuning::four_block); }

/// Calls use(kernel, model) with the kernel for the format, the model and the thermostat.
template <class Format, class Use>
void with_persistent_step_kernel(const TersoffDevice<Format> &tersoff, bool thermostat, Use &&use) {
  tersoff.with_kernel_model([&](const auto &model) {
    using Model = std::decay_t<decltype(model)>;
    use(thermostat ? persistent_step_kernel<Format, Model, true> : persistent_step_kernel<Format, Model, false>, model);
  });
}

/// True if the blocks for n atoms can all be resident on the device at once.
template <class Format>
bool persistent_blocks_fit(const TersoffDevice<Format> &tersoff, bool thermostat, int n) {
  const unsigned blocks = persistent_step_blocks(n);
  bool fit = blocks <= unsigned(tuning::kinetic_blocks);
  with_persistent_step_kernel(tersoff, thermostat, [&](auto kernel, const auto &) {
    fit = fit && run_at_once(kernel, blocks, tuning::four_block, tersoff.multiprocessors());
  });
  return fit;
}

template <class Format>
void launch_persistent_step(PersistentStepJob<Format> job, TersoffDevice<Format> &tersoff, cudaStream_t stream) {
  job.incomplete = tersoff.incomplete();
  const ForceJob<Format> forces = tersoff.take_step_forces(job.step.guard);
  job.step.gather = tersoff.view_gather();
  with_persistent_step_kernel(tersoff, job.step.factors != nullptr, [&](auto kernel, const auto &model) {
    launch_at_once(persistent_step_blocks(job.step.state.n), tuning::four_block, stream, "launching steps of few atoms",
                   kernel, model, job, forces);
  });
}

}  // namespace cuda
}  // namespace triad
