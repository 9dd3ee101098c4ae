// Batches of steps that the device makes without the host: without ghosts, or with ghosts that travel between GPUs. The
// host queues launches ahead of the device. It renews the pruned list before the estimated end of the list's life;
// where the list expires earlier, the device stops, the host builds a new list, and the steps go on.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cuda/cuda_engine_forces_impl.cuh"
#include "engine/cuda/cuda_engine_launches_impl.cuh"
#include "engine/cuda/cuda_engine_peers_impl.cuh"
#include "engine/cuda/lists/cuda_engine_lists_impl.cuh"
#include "engine/cuda/pair_force_impl.cuh"

namespace triad {
namespace cuda {

template <class Format>
class StepsAhead {
 public:
  StepsAhead(CudaEngine<Format> &engine, const StepBatch &batch, StepJob<Format> &job, BatchResult &result)
      : s_(engine),
        batch_(batch),
        job_(job),
        result_(result),
        n_(batch.n_steps),
        peers_(engine.with_peers_ ? engine.peer_halo_.peers(engine.guard_.data()) : Peers()),
        apart_(engine.two_lists()),
        timed_every_(apart_ ? engine.timed_waits_every(n_) : n_),
        halo_(apart_ ? engine.halo_stream_ : engine.stream_),
        lists_{-engine.list_age_} {
    choose_kernels();
  }

  /// Makes the steps of the batch, or only those before LAMMPS's list expires; BatchResult::completed says how many.
  /// Throws LoopError.
  void run() {
    const volatile StepProgress &progress = s_.reports_[0].progress;
    for (long long idle = 0;;) {
      if (progress.stopped) {
        if (!resume()) return;
      } else if (launched_ < n_ && launched_ - progress.completed < most_queued()) {
        if (launch_next()) {
          lists_.push_back(launched_);
          ++result_.pruned_lists;
        }
        idle = 0;
      } else if (progress.completed == n_) {
        s_.list_age_ = n_ - lists_.back();
        if (s_.with_peers_) s_.peer_halo_.count_steps(n_);
        return;
      } else if (++idle % 4096 == 0) {
        const cudaError_t status = cudaStreamQuery(s_.stream_);
        if (status != cudaErrorNotReady) check(status, "making steps");
      }
    }
  }

 private:
  static constexpr long long steady = 0;  // argument of launch_forces() for a step that is neither timed nor the last

  /// Chooses the kernels of the remaining steps. The last step, which may need tallies, is always a plain one.
  void choose_kernels() {
    whole_ = s_.fused_steps_fit(batch_, n_ - 1 - launched_);
    few_ = s_.persistent_step(batch_, job_);
  }

  long long most_queued() const {
    if (few_ || (whole_ && s_.fused_steps_.at_once())) return 2 * tuning::most_steps_at_once;
    return std::clamp(static_cast<long long>(tuning::queued_ns / s_.step_ns_),
                      static_cast<long long>(tuning::min_queued_steps),
                      static_cast<long long>(tuning::max_queued_steps));
  }

  bool renewal_is_due() const {
    return launched_ - lists_.back() >= s_.list_life_ && s_.all_refilter_ && s_.tersoff_.can_refilter();
  }
  /// Number of steps in a launch of several steps: up to the next renewal of the pruned list.
  int steps_at_once() const {
    const auto left = static_cast<long long>(std::ceil(s_.list_life_)) + lists_.back() - launched_;
    return static_cast<int>(
        std::min(n_ - 1 - launched_, std::clamp(left, 1ll, static_cast<long long>(tuning::most_steps_at_once))));
  }

  /// Called after the device has stopped: renews the lists that have expired and computes the forces of the step in
  /// which the device stopped. Returns false if LAMMPS must renew its list first.
  bool resume() {
    const StepGuard guard = s_.read_guard();
    const long long step = guard.completed + 1;  // this step's atoms have moved already
    if (step <= last_whole_) s_.fused_steps_.recover(job_, static_cast<int>(last_whole_ - step), s_.stream_);
    s_.throw_stop(guard);
    const bool expired = s_.list_expired(batch_, guard.stop);
    if (expired && !make_list(step)) {
      result_.list_expired = true;
      result_.completed = guard.completed;
      return false;
    }
    launched_ = step;
    last_whole_ = 0;
    if (expired || (guard.stop & stop_pruned_list)) {
      s_.build_pruned_list();
      s_.listed_ = s_.checked_ = true;
      graph_.clear();
      while (lists_.back() > launched_) lists_.pop_back();  // launched after the stop, and skipped
      const long long age = launched_ - lists_.back();
      lists_.push_back(launched_);
      if (!expired) {
        if (age > 0) s_.list_life_ = std::max(1.0, tuning::share_of_list_life * double(age));
        ++result_.late_pruned_lists;
      }
    }
    if (!s_.tersoff_.gathers()) s_.tersoff_.clear_forces();
    s_.start_guard(guard);
    start_halo();
    launch_forces(launched_);
    choose_kernels();
    return true;
  }

  /// Makes a neighbour list on the device that replaces LAMMPS's list, if the batch allows this in step `step`. Returns
  /// true if the list was made.
  bool make_list(long long step) {
    const ListRule &rule = batch_.list;
    if (!rule.box || step > rule.own_until) return false;
    const double start = omp_get_wtime();
    const bool made = s_.make_list(*rule.box);
    result_.list_seconds += omp_get_wtime() - start;
    if (!made) return false;
    const double *const factors = job_.factors;
    job_ = s_.step_job(batch_);
    job_.factors = factors;
    job_.ago = static_cast<int>(-step);
    const long long age = result_.lists ? step - result_.last_list : rule.ago + step;
    if (age == std::max(rule.every, rule.delay)) ++result_.dangerous_lists;
    result_.last_list = step;
    ++result_.lists;
    return true;
  }

  /// Launches one or more steps. Returns true if a renewal of the pruned list was launched after them.
  bool launch_next() {
    if (whole_ && launched_ + 1 < n_) return launch_fused_steps();
    if (few_ && launched_ + 1 < n_) return launch_persistent_steps();
    if (!s_.fused_steps_.under_way() && steps_fit_graph()) {
      launch_graph();
      return false;
    }
    return launch_plain_step();
  }

  bool launch_fused_steps() {
    FusedSteps<Format> &fused_steps = s_.fused_steps_;
    if (!fused_steps.under_way()) {
      s_.tersoff_.complete_forces(s_.guard_.data());
      fused_steps.begin(job_, s_.tersoff_, launched_ > 0, s_.stream_);
    }
    const int steps = fused_steps.at_once() ? steps_at_once() : 1;
    fused_steps.launch_steps(job_, s_.tersoff_, static_cast<int>(launched_ + 1), steps, s_.chains_, s_.stream_);
    last_whole_ = launched_ += steps;
    const bool renews = renewal_is_due();
    if (renews) refilter(fused_steps.positions(job_), fused_steps.stop_flags(s_.guard_.data()));
    return renews;
  }

  bool launch_persistent_steps() {
    const int steps = steps_at_once();
    job_.clears_forces = !s_.tersoff_.gathers();
    launch_persistent_step(PersistentStepJob<Format>{job_, steps, launched_ > 0, batch_.first_step,
                                                     s_.thermostat_.data(), s_.kinetic_.data(), false},
                           s_.tersoff_, s_.stream_);
    launched_ += steps;
    const bool renews = renewal_is_due();
    if (renews) refilter(s_.tersoff_.positions(), stop_flags());
    return renews;
  }

  bool launch_plain_step() {
    if (s_.fused_steps_.under_way()) s_.fused_steps_.end(job_, static_cast<int>(launched_), s_.stream_);
    if (launched_ == 0)
      s_.template launch_move<false, true>(job_);
    else
      s_.template launch_move<true, true>(job_);
    ++launched_;
    const bool renews = renewal_is_due();
    if (renews && apart_) refilter(s_.tersoff_.positions(), stop_flags());
    start_halo();
    if (s_.with_peers_) s_.send_to_peers(peers_, halo_);
    if (renews && apart_) s_.tersoff_.refilter_boundary(s_.rows_.boundary(), s_.guard_.data(), stop_flags(), halo_);
    if (renews && !apart_) refilter(s_.tersoff_.positions(), stop_flags());
    launch_forces(launched_);
    return renews;
  }

  /// True if none of the next steps_of_graph steps renews a list or is timed, and if enough steps are left to pay for
  /// the recording, which takes as long as tens of steps.
  bool steps_fit_graph() const {
    const long long then = launched_ + tuning::steps_of_graph;
    return s_.records_ && batch_.pair_forces.empty() && launched_ > 0 && then < n_ &&
           then / timed_every_ == launched_ / timed_every_ &&
           (graph_.recorded() || n_ - launched_ >= tuning::least_steps_for_graph) &&
           (then - lists_.back() < s_.list_life_ || !s_.all_refilter_ || !s_.tersoff_.can_refilter());
  }

  void launch_graph() {
    if (!graph_.recorded()) {
      graph_.record(s_.stream_, [&] {
        for (int k = 0; k < tuning::steps_of_graph; ++k) {
          s_.template launch_move<true, true>(job_);
          start_halo();
          if (s_.with_peers_) s_.send_to_peers(peers_, halo_);
          launch_forces(steady);
        }
      });
    }
    graph_.launch(s_.stream_);
    launched_ += tuning::steps_of_graph;
  }

  /// Makes the stream of the exchange wait until the atoms have moved.
  void start_halo() {
    if (!apart_) return;
    s_.moved_.record(s_.stream_);
    s_.moved_.hold(halo_);
  }

  void launch_forces(long long step) {
    const TallyRequest request = step == n_ ? batch_.last : TallyRequest();
    s_.tersoff_.launch_forces(request, s_.guard_.data());
    if (apart_) s_.tersoff_.launch_boundary(request, s_.guard_.data(), halo_);
    if (s_.with_peers_) s_.return_to_peers(peers_, halo_);
    if (apart_) {
      s_.exchanged_.record(halo_);
      s_.wait_for_ghosts(step != steady && step % timed_every_ == 0);
    }
    if (!batch_.pair_forces.empty() && !s_.add_pair_forces(batch_, step)) return;
    s_.launch_thermostat(batch_, job_, step == n_, peers_);
  }

  StopFlags stop_flags() const { return {&s_.guard_.data()->stopped, &s_.guard_.data()->stop}; }
  void refilter(const typename PositionOf<Format>::type *positions, const StopFlags &flags) {
    s_.tersoff_.refilter_pruned_list(s_.rows_.view(), positions, s_.guard_.data(), flags);
  }

  CudaEngine<Format> &s_;
  const StepBatch &batch_;
  StepJob<Format> &job_;
  BatchResult &result_;
  const long long n_;
  const Peers peers_;
  const bool apart_;  // the exchange and the forces of boundary atoms have their own stream
  const long long timed_every_;
  const cudaStream_t halo_;
  StepGraph graph_;
  long long launched_ = 0, last_whole_ = 0;
  bool whole_ = false;            // the remaining steps use the fused step kernel
  bool few_ = false;              // the remaining steps use the persistent step kernel
  std::vector<long long> lists_;  // steps in which the pruned list was renewed or in which a renewal is queued
};

}  // namespace cuda
}  // namespace triad
