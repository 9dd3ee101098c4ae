// Batches of steps in which the host exchanges ghosts in each step.
#pragma once

#include <omp.h>

#include <utility>

#include "engine/cuda/engine_parts.cuh"
#include "engine/cuda/step/list_in_batch.cuh"

namespace triad {
namespace cuda {

/// Makes the steps of the batch, or only those before the neighbour list expires if the engine cannot make the next
/// one; BatchResult::completed says how many. `job` is the result of StepLauncher::job() and ThermostatSteps::start().
/// Collective. Throws LoopError.
template <class Format>
void make_steps_with_host(EngineParts<Format> &engine, const StepBatch &batch, StepJob<Format> &job,
                          BatchResult &result) {
  TersoffDevice<Format> &tersoff = engine.tersoff;
  StepLauncher<Format> &steps = engine.steps;
  EngineGhosts<Format> &ghosts = engine.ghosts;
  const int n_owned = ghosts.layout().n_owned;
  int &moved = engine.device.reports().moved;
  for (long long step = 1; step <= batch.n_steps; ++step) {
    steps.launch_between(batch, job, step - 1, engine.ends, engine.samples);
    double start = omp_get_wtime();
    ghosts.forward();
    result.halo_seconds += omp_get_wtime() - start;
    engine.device.for_each(
        ghosts.n(),
        LimitOp<Format>{tersoff.positions() + n_owned, tersoff.references() + n_owned, tersoff.scale(), &moved},
        "checking displacements of ghosts");
    engine.terms.take_positions(steps.guard(), nullptr);
    StepGuard guard = steps.read_guard();
    engine.throw_stop(guard);
    const bool ghosts_moved = std::exchange(moved, 0) != 0;
    const bool check = ghosts.on_any_rank((guard.reasons() & stop_list) != 0);
    const bool expired = check && engine.lists.expired(batch.list, stop_list);
    if (check) guard.far = 0;
    if (expired && !make_list_in_batch(engine, batch, step, nullptr, job, guard, result)) {
      result.list_expired = true;
      return;
    }
    if (expired || (guard.reasons() & stop_pruned_list) || ghosts_moved) {
      engine.lists.build_pruned_list();
      if (tersoff.accumulates()) tersoff.clear_forces();  // the forces of the last step, if these were gathered
      if (!expired) ++result.late_pruned_lists;
    }
    if (guard.reasons() || expired) steps.start_guard(guard);
    tersoff.launch_forces(batch.tallies_of(step), steps.guard());
    engine.add_terms(batch.tallies_of(step));
    engine.samples.sum_totals(batch, step);
    start = omp_get_wtime();
    ghosts.reverse();
    const double seconds = omp_get_wtime() - start;
    result.halo_seconds += seconds;
    result.force_seconds -= seconds;  // the clock of the force phase includes the exchange
    if (!batch.pair_forces.empty()) steps.add_pair_forces(batch, step);
    engine.force_changes.launch(batch, step == batch.n_steps, steps.guard());
    engine.thermostat.step_on_host(batch, job, step, ghosts.exchange());
    result.completed = step;
  }
}

}  // namespace cuda
}  // namespace triad
