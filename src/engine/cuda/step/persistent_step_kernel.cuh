// Several steps in one kernel, for so few atoms that all threads run at once: in the format of the state, any precision
// and any number of elements. A step is what step_kernel, four_neighbour_kernel and thermostat_kernel do, to the same
// bits, with a wait of all threads behind each instead of a launch; what only its own thread reads of an atom stays in
// registers.
#pragma once

#include <cooperative_groups.h>

#include "engine/cuda/step/step_kernel.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

namespace cg = cooperative_groups;

/// What such a kernel reads and writes besides the forces.
template <class Format>
struct PersistentStepJob {
  StepJob<Format> step;
  int n_steps;
  bool ends;                     ///< a step is under way, which the first one ends
  std::int64_t first_step;       ///< number of the guard's first one
  DeviceThermostat *thermostat;  ///< where factors are used
  KineticSums *blocks;           ///< [blocks] likewise
  bool incomplete;               ///< forces of the step before are to be gathered, as those of all steps are then
};

/// For atoms all of whose rows are of up to four entries.
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
  // each block advances the chain, to the same numbers
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
  for (int k = 0; k < N; ++k) entry[k] = forces.list.four_neighbour[k * n + at];
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

static_assert(tuning::kinetic_block == tuning::four_block, "these kernels add up in the same order");

inline unsigned persistent_step_blocks(int n) { return blocks_for(n, tuning::four_block); }

/// Calls use(kernel, model) with the one that fits.
template <class Format, class Use>
void with_persistent_step_kernel(const TersoffDevice<Format> &tersoff, bool thermostat, Use &&use) {
  tersoff.with_kernel_model([&](const auto &model) {
    using Model = std::decay_t<decltype(model)>;
    use(thermostat ? persistent_step_kernel<Format, Model, true> : persistent_step_kernel<Format, Model, false>, model);
  });
}

/// Whether n atoms are few enough on the device in use.
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
