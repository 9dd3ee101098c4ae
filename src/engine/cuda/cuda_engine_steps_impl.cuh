// CudaEngine: batches of whole steps.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "engine/cuda/step/steps_ahead.cuh"

namespace triad {
namespace cuda {

/// True if LAMMPS's neighbour list has expired. `reasons`: why steps have stopped, on any rank. Collective. Throws
/// LoopError if an atom has moved so far that wrapped coordinates become ambiguous.
template <class Format>
bool CudaEngine<Format>::list_expired(const StepBatch &batch, int reasons) {
  if (!(reasons & stop_list)) return false;
  if (batch.list.check) return on_any_rank(moved(batch.list.limit));
  const double range = 4294967296.0 / tersoff_.scale().per_length;
  if (moved(range / 4)) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "an atom has moved more than %g since the neighbour list was built; let neigh_modify check "
                  "displacements, or build lists more often",
                  range / 4);
    throw LoopError(text);
  }
  return false;
}

template <class Format>
BatchResult CudaEngine<Format>::run_steps(const StepBatch &batch) {
  select();
  flush();
  summed_bit_ = 0;
  tersoff_.drop_forces();
  BatchResult result;
  if (!checked_) forward_halo();
  keep_pruned_list();
  StepJob<Format> job = step_job(batch);
  start_guard(StepGuard());
  start_thermostat(batch, job);
  all_refilter_ = true;
  if (with_peers_) agree_on_list_life();
  if (!runs_ahead()) {
    advance_with_ghosts(batch, job, result);
  } else {
    result.completed = batch.n_steps;
    if (atoms_.n_owned) StepsAhead<Format>(*this, batch, job, result).run();
  }
  checked_ = !result.list_expired;
  if (!result.list_expired) {
    launch_move<true, false>(job);
    if (batch.last.any_total()) result.totals = read_totals();
  }
  const StepGuard guard = read_guard();
  reports_[0].progress.stopped = 0;  // pair forces outside of batches must not see the stop
  check_forces();
  read_thermostat(batch);
  const double wait = median_wait() * result.completed;
  result.halo_seconds += wait;
  result.force_seconds +=
      1e-9 * guard.spent[phase_forces] - wait - result.list_seconds;  // the phase's clock includes both
  result.integrate_seconds += 1e-9 * guard.spent[phase_moving];
  // aims at a list in which the fastest atom uses the share share_of_list_life of its squared limit
  if (guard.used > 0) list_life_ *= std::clamp(tuning::share_of_list_life / std::sqrt(double(guard.used)), 0.5, 1.25);
  if (guard.completed) step_ns_ = double(guard.spent[phase_forces] + guard.spent[phase_moving]) / guard.completed;
  return result;
}

template <class Format>
void CudaEngine<Format>::throw_stop(const StepGuard &guard) {
  if (guard.bad_atom) throw_bad_position(guard.bad_atom - 1);
  if (guard.stop & stop_position)
    throw LoopError(
        "an atom of another rank moved much too far in one step; check for overlapping atoms and for the "
        "time step");
  if (guard.stop & stop_peer) peer_halo_.check_ranks();
  if (guard.stop & stop_peer) throw LoopError("another rank has sent no ghosts; its GPU or its process has stopped");
}

/// True if there are no ghosts and each atom has a row of at most four entries in the pruned list.
template <class Format>
bool CudaEngine<Format>::rows_of_four() const {
  return alone() && tersoff_.can_refilter() && tersoff_.rows_of_four() && rows_.view().n_rows == atoms_.n_owned;
}

/// True if the fused step kernel can make `steps` steps: rows_of_four(), one element, one mass, and one group that nve
/// integrates without thermostats or pair forces.
template <class Format>
bool CudaEngine<Format>::fused_steps_fit(const StepBatch &batch, long long steps) const {
  return FusedSteps<Format>::exist && steps >= tuning::least_fused_steps && rows_of_four() && tersoff_.one_element() &&
         uniform_mass_ > 0 && batch.groups.size() == 1 && batch.groups[0].group_bit == 1 && batch.langevin.empty() &&
         !batch.nose_hoover && batch.pair_forces.empty();
}

/// True if the persistent step kernel can make several steps in one launch: rows_of_four(), and all of the kernel's
/// blocks are resident at once.
template <class Format>
bool CudaEngine<Format>::persistent_step(const StepBatch &batch, const StepJob<Format> &job) const {
  return rows_of_four() && batch.pair_forces.empty() &&
         persistent_blocks_fit(tersoff_, job.factors != nullptr, atoms_.n_owned);
}

/// Makes steps one by one, where the host exchanges ghosts in each step.
template <class Format>
void CudaEngine<Format>::advance_with_ghosts(const StepBatch &batch, const StepJob<Format> &job, BatchResult &result) {
  for (long long step = 1; step <= batch.n_steps; ++step) {
    if (step == 1)
      launch_move<false, true>(job);
    else
      launch_move<true, true>(job);
    double start = omp_get_wtime();
    forward_halo();
    result.halo_seconds += omp_get_wtime() - start;
    const std::size_t n_ghosts = layout_.host_ghost.size();
    for_each(n_ghosts,
             LimitOp<Format>{tersoff_.positions() + layout_.n_owned, tersoff_.references() + layout_.n_owned,
                             tersoff_.scale(), &reports_.data()->moved},
             "checking displacements of ghosts");
    StepGuard guard = read_guard();
    throw_stop(guard);
    const bool ghosts_moved = std::exchange(reports_[0].moved, 0) != 0;
    const bool look = on_any_rank((guard.stop & stop_list) != 0);
    if (look && list_expired(batch, stop_list)) {
      result.list_expired = true;
      return;
    }
    if ((guard.stop & stop_pruned_list) || ghosts_moved) {
      build_pruned_list();
      ++result.late_pruned_lists;
    }
    if (guard.stop) start_guard(guard);
    tersoff_.launch_forces(step == batch.n_steps ? batch.last : TallyRequest(), guard_.data());
    start = omp_get_wtime();
    reverse_halo();
    const double seconds = omp_get_wtime() - start;
    result.halo_seconds += seconds;
    result.force_seconds -= seconds;  // the clock of the force phase includes the exchange
    if (!batch.pair_forces.empty()) add_pair_forces(batch, step);
    step_thermostat(batch, job, step);
    result.completed = step;
  }
}

template <class Format>
std::unique_ptr<MdEngine> make_engine_cuda_format(const TersoffSetup &setup, int device, int n_threads) {
  return std::make_unique<CudaEngine<Format>>(setup, device, n_threads);
}

}  // namespace cuda
}  // namespace triad
