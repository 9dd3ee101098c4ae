// CudaStepper: whole steps.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "md/cuda/pair_force_impl.cuh"
#include "md/cuda/stepper_forces_impl.cuh"
#include "md/cuda/stepper_launches_impl.cuh"
#include "md/cuda/stepper_lists_impl.cuh"
#include "md/cuda/stepper_peers_impl.cuh"

namespace triad {
namespace cuda {

/// What a stop means for LAMMPS's list: true if it has expired. Collective with several ranks, where `reasons` are
/// those of all.
template <class Format>
bool CudaStepper<Format>::list_expired(const StepBatch &batch, int reasons) {
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
BatchResult CudaStepper<Format>::advance(const StepBatch &batch) {
  select();
  flush();
  summed_bit_ = 0;
  BatchResult result;
  if (!checked_) forward_halo();
  keep_short_list();
  StepJob<Format> job = step_job(batch);
  start_guard(StepGuard());
  start_thermostat(batch, job);
  all_refilter_ = true;
  if (with_peers_) agree_on_list_life();
  if (runs_ahead())
    advance_ahead(batch, job, result);
  else
    advance_with_ghosts(batch, job, result);
  checked_ = !result.list_expired;
  if (!result.list_expired) {
    launch_move<true, false>(job);
    if (batch.last.any_total()) result.totals = read_totals();
  }
  const StepGuard guard = read_guard();
  reports_[0].progress.stopped = 0;  // for pair forces outside of steps
  check_forces();
  read_thermostat(batch);
  const double wait = median_wait() * result.completed;
  result.halo_seconds += wait;
  result.force_seconds += 1e-9 * guard.spent[phase_forces] - wait;
  result.integrate_seconds += 1e-9 * guard.spent[phase_moving];
  if (guard.used > 0)  // so that the atom that goes farthest uses that share of its limit
    list_life_ *= std::clamp(tuning::share_of_list_life / std::sqrt(double(guard.used)), 0.5, 1.25);
  if (guard.completed) step_ns_ = double(guard.spent[phase_forces] + guard.spent[phase_moving]) / guard.completed;
  return result;
}

template <class Format>
void CudaStepper<Format>::throw_stop(const StepGuard &guard) {
  if (guard.bad_atom) throw_bad_position(guard.bad_atom - 1);
  if (guard.stop & stop_position)
    throw LoopError(
        "an atom of another rank moved much too far in one step; check for overlapping atoms and for the "
        "time step");
  if (guard.stop & stop_peer) throw LoopError("another rank has sent no ghosts; its GPU or its process has stopped");
}

/// Whether every atom has a row of up to four, without ghosts.
template <class Format>
bool CudaStepper<Format>::rows_of_four() const {
  return alone() && tersoff_.can_refilter() && rows_.view().n_rows == atoms_.n_owned;
}

/// Whether `steps` steps can be whole steps of one kernel each: one kind of atom, in such rows.
template <class Format>
bool CudaStepper<Format>::whole_steps_fit(const StepBatch &batch, long long steps) const {
  return WholeSteps<Format>::exist && steps >= tuning::least_whole_steps && rows_of_four() && tersoff_.one_element() &&
         uniform_mass_ > 0 && batch.groups.size() == 1 && batch.groups[0].group_bit == 1 && batch.langevin.empty() &&
         !batch.nose_hoover && batch.pair_forces.empty();
}

/// Whether several steps can be one kernel, in which atoms are moved and forces computed in turn.
template <class Format>
bool CudaStepper<Format>::few_atoms(const StepBatch &batch, const StepJob<Format> &job) const {
  return rows_of_four() && batch.pair_forces.empty() &&
         few_atoms_run_at_once(tersoff_, job.factors != nullptr, atoms_.n_owned);
}

/// A list in the place of LAMMPS's that has expired in a step, if the batch allows it; its steps go on with it.
template <class Format>
bool CudaStepper<Format>::renew_list(const StepBatch &batch, StepJob<Format> &job, long long step,
                                     BatchResult &result) {
  const ListRule &rule = batch.list;
  if (!rule.box || step > rule.own_until || !make_list(*rule.box)) return false;
  const double *const factors = job.factors;
  job = step_job(batch);
  job.factors = factors;
  job.ago = static_cast<int>(-step);
  const long long age = result.lists ? step - result.last_list : rule.ago + step;
  if (age == std::max(rule.every, rule.delay)) ++result.dangerous_lists;
  result.last_list = step;
  ++result.lists;
  return true;
}

/// Steps that need nothing of the host, which only keeps the device supplied: without ghosts, or with those that travel
/// between GPUs. The host renews short lists in time, as far as it knows how long they last, and builds those that have
/// expired.
template <class Format>
void CudaStepper<Format>::advance_ahead(const StepBatch &batch, StepJob<Format> &job, BatchResult &result) {
  const long long n = batch.n_steps;
  result.completed = n;
  if (atoms_.n_owned == 0) return;
  const Peers peers = with_peers_ ? peer_halo_.peers(guard_.data()) : Peers();
  const long long most =
      std::clamp(static_cast<long long>(tuning::queued_ns / step_ns_), static_cast<long long>(tuning::min_queued_steps),
                 static_cast<long long>(tuning::max_queued_steps));
  const bool apart = two_lists();
  const long long timed_every = apart ? timed_waits_every(n) : n;
  const cudaStream_t halo = apart ? halo_stream_ : stream_;
  const auto start_halo = [&] {
    if (!apart) return;
    moved_.record(stream_);
    moved_.hold(halo);
  };
  constexpr long long steady = 0;  // for launch_forces: of any step that is neither timed nor the last
  const auto launch_forces = [&](long long step) {
    const TallyRequest request = step == n ? batch.last : TallyRequest();
    tersoff_.launch_forces(request, guard_.data());
    if (apart) tersoff_.launch_boundary(request, guard_.data(), halo);
    if (with_peers_) return_to_peers(peers, halo);
    if (apart) {
      exchanged_.record(halo);
      wait_for_ghosts(step != steady && step % timed_every == 0);
    }
    if (!batch.pair_forces.empty() && !add_pair_forces(batch, step)) return;
    launch_thermostat(batch, job, step == n, peers);
  };
  const volatile StepProgress &progress = reports_[0].progress;
  long long launched = 0, idle = 0, last_whole = 0;
  bool whole = whole_steps_fit(batch, n - 1);  // all but the last, which may be tallied
  bool few = few_atoms(batch, job);
  std::vector<long long> lists = {-list_age_};  // steps of short lists, launched ones included
  const auto renewal_is_due = [&] {
    return launched - lists.back() >= list_life_ && all_refilter_ && tersoff_.can_refilter();
  };
  const long long most_at_once = 2 * tuning::most_steps_at_once;
  const auto steps_at_once = [&] {  // up to the next renewal
    const auto left = static_cast<long long>(std::ceil(list_life_)) + lists.back() - launched;
    return std::clamp(left, 1ll, static_cast<long long>(tuning::most_steps_at_once));
  };
  // as far as neither list nor clock is due; to record a graph takes as long as tens of steps
  StepGraph graph;
  constexpr int together = tuning::steps_of_graph;
  const auto steps_fit_graph = [&] {
    const long long then = launched + together;
    return records_ && batch.pair_forces.empty() && launched > 0 && then < n &&
           then / timed_every == launched / timed_every &&
           (graph.recorded() || n - launched >= tuning::least_steps_for_graph) &&
           (then - lists.back() < list_life_ || !all_refilter_ || !tersoff_.can_refilter());
  };
  const auto launch_graph = [&] {
    if (!graph.recorded()) {
      graph.record(stream_, [&] {
        for (int k = 0; k < together; ++k) {
          launch_move<true, true>(job);
          start_halo();
          if (with_peers_) send_to_peers(peers, halo);
          launch_forces(steady);
        }
      });
    }
    graph.launch(stream_);
    launched += together;
  };
  for (;;) {
    if (progress.stopped) {
      const StepGuard guard = read_guard();
      const long long step = guard.completed + 1;  // this step's atoms have moved already
      if (step <= last_whole) whole_steps_.recover(job, static_cast<int>(last_whole - step), stream_);
      throw_stop(guard);
      const bool expired = list_expired(batch, guard.stop);
      if (expired && !renew_list(batch, job, step, result)) {
        result.list_expired = true;
        result.completed = guard.completed;
        return;
      }
      launched = step;
      last_whole = 0;
      if (apart) tersoff_.clear_forces();
      if (expired || (guard.stop & stop_short_list)) {
        build_short_list();
        listed_ = true;
        graph.clear();
        while (lists.back() > launched) lists.pop_back();  // launched in vain, behind the stop
        const long long age = launched - lists.back();
        lists.push_back(launched);
        if (!expired) {
          if (age > 0) list_life_ = std::max(1.0, tuning::share_of_list_life * double(age));
          ++result.late_short_lists;
        }
      }
      start_guard(guard);
      start_halo();
      launch_forces(launched);
      whole = whole_steps_fit(batch, n - 1 - launched);
      few = few_atoms(batch, job);
    } else if (launched < n &&
               launched - progress.completed < (few || (whole && whole_steps_.at_once()) ? most_at_once : most)) {
      const StopFlags flags = {&guard_.data()->stopped, &guard_.data()->stop};
      bool renews = false;
      if (whole && launched + 1 < n) {
        if (!whole_steps_.under_way()) whole_steps_.begin(job, tersoff_, launched > 0, stream_);
        const int steps = whole_steps_.at_once() ? static_cast<int>(std::min(n - 1 - launched, steps_at_once())) : 1;
        whole_steps_.launch_steps(job, tersoff_, static_cast<int>(launched + 1), steps, chains_, stream_);
        last_whole = launched += steps;
        renews = renewal_is_due();
        if (renews)
          tersoff_.refilter_short_list(rows_.view(), whole_steps_.positions(job), guard_.data(),
                                       whole_steps_.stop_flags(guard_.data()));
      } else if (few && launched + 1 < n) {
        const int steps = static_cast<int>(std::min(n - 1 - launched, steps_at_once()));
        launch_few_atoms(
            FewAtomsJob<Format>{job, steps, launched > 0, batch.first_step, thermostat_.data(), kinetic_.data()},
            tersoff_, stream_);
        launched += steps;
        renews = renewal_is_due();
        if (renews) tersoff_.refilter_short_list(rows_.view(), tersoff_.positions(), guard_.data(), flags);
      } else if (!whole_steps_.under_way() && steps_fit_graph()) {
        launch_graph();
      } else {
        if (whole_steps_.under_way()) whole_steps_.end(job, static_cast<int>(launched), stream_);
        if (launched == 0)
          launch_move<false, true>(job);
        else
          launch_move<true, true>(job);
        ++launched;
        renews = renewal_is_due();
        if (renews && apart) tersoff_.refilter_short_list(rows_.view(), tersoff_.positions(), guard_.data(), flags);
        start_halo();
        if (with_peers_) send_to_peers(peers, halo);
        if (renews && apart) tersoff_.refilter_boundary(rows_.boundary(), guard_.data(), flags, halo);
        if (renews && !apart) tersoff_.refilter_short_list(rows_.view(), tersoff_.positions(), guard_.data(), flags);
        launch_forces(launched);
      }
      if (renews) {
        lists.push_back(launched);
        ++result.short_lists;
      }
      idle = 0;
    } else if (progress.completed == n) {
      list_age_ = n - lists.back();
      if (with_peers_) peer_halo_.count_steps(n);
      return;
    } else if (++idle % 4096 == 0) {
      const cudaError_t status = cudaStreamQuery(stream_);
      if (status != cudaErrorNotReady) check(status, "making steps");
    }
  }
}

/// Steps with ghosts, one after the other: each waits for the positions of its ghosts.
template <class Format>
void CudaStepper<Format>::advance_with_ghosts(const StepBatch &batch, const StepJob<Format> &job, BatchResult &result) {
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
    if ((guard.stop & stop_short_list) || ghosts_moved) {
      build_short_list();
      ++result.late_short_lists;
    }
    if (guard.stop) start_guard(guard);
    tersoff_.launch_forces(step == batch.n_steps ? batch.last : TallyRequest(), guard_.data());
    start = omp_get_wtime();
    reverse_halo();
    const double seconds = omp_get_wtime() - start;
    result.halo_seconds += seconds;
    result.force_seconds -= seconds;  // whose clock runs on
    if (!batch.pair_forces.empty()) add_pair_forces(batch, step);
    step_thermostat(batch, job, step);
    result.completed = step;
  }
}

template <class Format>
std::unique_ptr<Stepper> make_stepper_cuda_format(const TersoffSetup &setup, int device, int n_threads) {
  return std::make_unique<CudaStepper<Format>>(setup, device, n_threads);
}

}  // namespace cuda
}  // namespace triad
