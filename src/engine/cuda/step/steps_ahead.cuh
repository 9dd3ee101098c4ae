// Batches of steps that the device makes without the host: without ghosts, or with ghosts that travel between GPUs. The
// host queues launches ahead of the device. From a share of the usual life of a pruned list on, each step renews the
// list if an atom has reached its displacement limit; the fused step kernel and several GPUs renew it in a step that is
// chosen ahead. Where the list expires earlier, the device stops, the host builds a new list, and the steps go on.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cuda/engine_parts.cuh"
#include "engine/cuda/step/list_in_batch.cuh"
#include "engine/cuda/step/step_graph.cuh"

namespace triad {
namespace cuda {

template <class Format>
class StepsAhead {
 public:
  /// `job` is the result of StepLauncher::job() and NoseHooverSteps::start(). `step_ns`: estimated time of a step in
  /// ns.
  StepsAhead(EngineParts<Format> &engine, double step_ns, const StepBatch &batch, StepJob<Format> &job,
             BatchResult &result)
      : engine_(engine),
        tersoff_(engine.tersoff),
        steps_(engine.steps),
        life_(engine.lists.life()),
        fused_steps_(engine.fused_steps),
        combined_(engine.combined_steps),
        stream_(engine.device.stream()),
        step_ns_(step_ns),
        batch_(batch),
        job_(job),
        result_(result),
        n_(batch.n_steps),
        peers_(engine.peers.peers(engine.steps.guard())),
        apart_(engine.lists.two_lists()),
        on_demand_(!engine.peers.connected()),
        makes_lists_(prepare_lists()),
        timed_every_(apart_ ? engine.peers.timed_waits_every(n_) : n_),
        neighbor_step_(-batch.list.ago),
        lists_{-engine.lists.life().age} {
    combined_.start(stream_);
    choose_kernels();
  }

  /// Makes the steps of the batch, or only those before LAMMPS's list expires; BatchResult::completed says how many.
  /// Throws LoopError.
  void run() {
    const volatile StepProgress &progress = engine_.device.reports().progress;
    for (long long idle = 0;;) {
      note_renewals(progress);
      if (progress.stopped) {
        if (!resume()) return;
      } else if (launched_ < n_ && launched_ - progress.completed < most_queued()) {
        if (launch_next()) {
          lists_.push_back(launched_);
          ++result_.pruned_lists;
        }
        idle = 0;
      } else if (progress.completed == n_) {
        note_renewals(progress);
        life_.age = n_ - lists_.back();
        engine_.peers.count_steps(n_);
        return;
      } else if (++idle % 4096 == 0) {
        const cudaError_t status = cudaStreamQuery(stream_);
        if (status != cudaErrorNotReady) check(status, "making steps");
      }
    }
  }

 private:
  static constexpr long long steady = 0;  // argument of launch_forces() for a step that is neither timed nor the last

  /// True if there are no ghosts and each atom has a row of at most four entries in the pruned list.
  bool rows_of_four() const {
    return engine_.ghosts.none() && tersoff_.can_refilter() && tersoff_.rows_of_four() &&
           engine_.lists.rows().n_rows == engine_.atoms.n();
  }
  /// True if nothing but the potential of TersoffDevice acts on the forces.
  bool only_main_forces() const {
    return engine_.terms.none() && batch_.pair_forces.empty() && batch_.force_changes.empty();
  }
  /// True if nothing happens between the end of a step and the forces of the next one but the motion of the atoms.
  bool only_motion() const { return batch_.ends.empty() && batch_.walls.empty() && batch_.samplings.empty(); }
  bool can_refilter() const { return tersoff_.can_refilter() && engine_.terms.can_refilter(); }
  /// True if the fused step kernel can make `steps` steps: rows_of_four(), one element, one mass, and one group that
  /// nve integrates without thermostats, pair forces or changes of the forces.
  bool fused_steps_fit(long long steps) const {
    return FusedSteps<Format>::exist && steps >= tuning::least_fused_steps && rows_of_four() &&
           tersoff_.one_element() && engine_.atoms.uniform_mass() > 0 && batch_.groups.size() == 1 &&
           batch_.groups[0].group_bit == 1 && batch_.langevin.empty() && !batch_.nose_hoover && only_main_forces() &&
           only_motion();
  }
  /// True if one kernel can compute the forces of a step and move the atoms: no ghosts, a row for each atom, and
  /// nothing that needs the forces before the atoms move.
  bool combined_steps_fit() const {
    return engine_.ghosts.none() && tersoff_.can_refilter() &&
           tersoff_.pruned_list().view().n_rows == engine_.atoms.n() && !tersoff_.pruned_list().view().centre &&
           combined_.fit(tersoff_) && only_main_forces() && batch_.ends.empty() && batch_.walls.empty() &&
           batch_.langevin.empty() && !batch_.nose_hoover;
  }
  /// Chooses the kernels of the remaining steps. The last step, which may need tallies, is always a plain one.
  void choose_kernels() {
    whole_ = fused_steps_fit(n_ - 1 - launched_);
    combines_ = !whole_ && combined_steps_fit();
  }

  long long most_queued() const {
    if (whole_ && fused_steps_.at_once()) return 2 * tuning::most_steps_at_once;
    return std::clamp(static_cast<long long>(tuning::queued_ns / step_ns_),
                      static_cast<long long>(tuning::min_queued_steps),
                      static_cast<long long>(tuning::max_queued_steps));
  }

  bool renewal_is_due(long long step) const {
    return step - lists_.back() >= life_.steps && life_.all_refilter && can_refilter();
  }
  /// Number of steps in a launch of several steps: up to the next renewal of the pruned list.
  int steps_at_once() const {
    const auto left = static_cast<long long>(std::ceil(life_.steps)) + lists_.back() - launched_;
    return static_cast<int>(
        std::min(n_ - 1 - launched_, std::clamp(left, 1ll, static_cast<long long>(tuning::most_steps_at_once))));
  }

  /// True if step `step` must be able to make the neighbour list: from a share of the usual life of these lists on.
  /// Combined steps need TersoffDevice::reach() of each list, which the host finds.
  bool list_may_expire(long long step) const {
    const double from = engine_.lists.neighbor_life().steps;
    return makes_lists_ && !combines_ && from <= tuning::longest_before_list && step - neighbor_step_ >= from &&
           step <= batch_.list.own_until && can_refilter();
  }

  /// Notes the last lists that the device has made or renewed on demand.
  void note_renewals(const volatile StepProgress &progress) {
    const long long renewed = progress.list_step, listed = progress.neighbor_step;  // written in the reverse order
    if (listed > neighbor_step_) {
      engine_.lists.neighbor_life().note_renewal(listed - neighbor_step_);
      neighbor_step_ = listed;
      if (listed > lists_.back()) lists_.push_back(listed);
    }
    if (renewed <= lists_.back()) return;
    life_.note_renewal(renewed - lists_.back());
    lists_.push_back(renewed);
  }

  /// Called after the device has stopped: renews the lists that have expired and computes the forces of the step in
  /// which the device stopped. Returns false if LAMMPS must renew its list first.
  bool resume() {
    StepGuard guard = steps_.read_guard();
    const long long step = guard.completed + 1;  // this step's atoms have moved already
    if (step <= last_whole_) fused_steps_.recover(job_, static_cast<int>(last_whole_ - step), stream_);
    engine_.throw_stop(guard);
    const bool expired = engine_.lists.expired(batch_.list, guard.reasons());
    tersoff_.set_lists_until_choice(guard.lists_to_choice);
    if (expired && !make_list(step, guard)) {
      result_.list_expired = true;
      result_.completed = guard.completed;
      return false;
    }
    launched_ = step;
    last_whole_ = 0;
    waiting_ = false;
    graph_.clear();
    if (expired || (guard.reasons() & (stop_pruned_list | stop_renewal))) {
      while (lists_.back() > launched_) lists_.pop_back();  // launched after the stop, and skipped
      lists_.back() = std::max<long long>(lists_.back(), guard.list_step);
      const long long age = launched_ - lists_.back();
      lists_.push_back(launched_);
      guard.list_step = static_cast<int>(launched_);
      if (!expired) {
        const bool listed = guard.neighbor_step == step;  // a neighbour list was made, and its pruned list did not fit
        const bool outgrown = age > 0 && (guard.reasons() & stop_pruned_list) && !listed;
        if (outgrown) life_.steps = std::max(1.0, tuning::share_of_list_life * double(age));
        if (outgrown) tersoff_.note_life(guard.list_age = static_cast<int>(age));
        tersoff_.keep_skin();
        ++result_.late_pruned_lists;
      }
      engine_.lists.build_pruned_list();
      engine_.lists.set_built();
      makes_lists_ = prepare_lists();  // with another number of slots, the kernel of the lists has another grid
    }
    guard.lists_to_choice = tersoff_.lists_until_choice();
    if (tersoff_.accumulates()) tersoff_.clear_forces();
    steps_.start_guard(guard);
    combined_.start(stream_);
    combined_.note_step_of_another_kernel();
    if (apart_) engine_.peers.start_interior();
    engine_.terms.take_positions(steps_.guard(), nullptr);
    launch_forces(launched_, true);
    choose_kernels();
    return true;
  }

  bool prepare_lists() {
    const bool found = engine_.sums.ends().atoms().atom != nullptr;  // the host finds these atoms with each list
    return on_demand_ && !found && batch_.pair_forces.empty() && engine_.lists.prepare_on_demand(batch_.list);
  }
  bool make_list(long long step, StepGuard &guard) {
    if (!make_list_in_batch(engine_, batch_, step, job_, guard, result_)) return false;
    peers_ = engine_.peers.peers(steps_.guard());  // of the new ghosts
    makes_lists_ = prepare_lists();
    engine_.lists.neighbor_life().note_renewal(step - neighbor_step_);
    neighbor_step_ = step;
    return true;
  }

  /// Launches one or more steps. Returns true if a renewal of the pruned list was launched after them.
  bool launch_next() {
    if (whole_ && launched_ + 1 < n_) return launch_fused_steps();
    if (!fused_steps_.under_way() && steps_fit_graph()) {
      launch_graph();
      return false;
    }
    return launch_plain_step();
  }

  bool launch_fused_steps() {
    if (!fused_steps_.under_way()) {
      tersoff_.complete_forces(steps_.guard());
      fused_steps_.begin(job_, tersoff_, launched_ > 0, stream_);
    }
    const int steps = fused_steps_.at_once() ? steps_at_once() : 1;
    fused_steps_.launch_steps(job_, tersoff_, static_cast<int>(launched_ + 1), steps, steps_.chains(), stream_);
    last_whole_ = launched_ += steps;
    const bool renews = renewal_is_due(launched_);
    if (renews) {
      engine_.lists.set_travel(nullptr);  // the velocities are those of the fused steps
      refilter(fused_steps_.positions(job_), fused_steps_.stop_flags(steps_.guard()));
    }
    return renews;
  }

  bool launch_plain_step() {
    if (fused_steps_.under_way()) fused_steps_.end(job_, static_cast<int>(launched_), stream_);
    const bool lists = list_may_expire(launched_ + 1), renews = lists || renewal_is_due(launched_ + 1);
    StepJob<Format> job = job_;
    if (renews && on_demand_) {
      job.travel = engine_.lists.renew_travel();
      job.travel_time = engine_.lists.travel_time();
    }
    if (waiting_) {
      combined_.launch_forces_and_move(job, tersoff_, steps_.chains(), stream_);
    } else {
      steps_.launch_between(batch_, job, launched_, engine_.sums);
      combined_.note_step_of_another_kernel();
    }
    ++launched_;
    engine_.terms.take_positions(steps_.guard(), nullptr);
    if (renews && !on_demand_) engine_.lists.estimate_travel();
    const StopFlags flags = steps_.stop_flags(on_demand_, combined_.stop_word(steps_.guard()));
    if (renews && apart_) refilter(tersoff_.positions(), flags);
    exchange_positions();
    if (renews && apart_) tersoff_.refilter_boundary(engine_.lists.boundary(), steps_.guard(), flags);
    if (lists) {
      engine_.lists.launch_on_demand(steps_.guard(), flags, steps_.chains());
      tersoff_.forget_reach();
    } else if (renews && !apart_) {
      refilter(tersoff_.positions(), flags);
    }
    waiting_ = combines_ && launched_ < n_ && !batch_.samples_at_end_of(batch_.first_step + launched_ - 1);
    if (!waiting_) launch_forces(launched_, renews);
    return renews && !on_demand_;
  }

  /// True if none of the next steps_of_graph steps renews a list or is timed, and if enough steps are left to pay for
  /// the recording, which takes as long as tens of steps.
  bool steps_fit_graph() const {
    const long long then = launched_ + tuning::steps_of_graph;
    return steps_.records() && batch_.pair_forces.empty() && batch_.force_changes.empty() && only_motion() &&
           launched_ > 0 && then < n_ && waiting_ == combines_ && !(waiting_ && tersoff_.new_list()) &&
           (!graph_.recorded() || graph_phase_ == combined_.phase()) &&
           then / timed_every_ == launched_ / timed_every_ && !list_may_expire(then) &&
           (graph_.recorded() || n_ - launched_ >= tuning::least_steps_for_graph) &&
           (then - lists_.back() < life_.steps || !life_.all_refilter || !can_refilter());
  }

  void launch_graph() {
    if (!graph_.recorded()) {
      graph_phase_ = combined_.phase();
      graph_.record(stream_, [&] {
        for (int k = 0; k < tuning::steps_of_graph; ++k) {
          if (waiting_) {
            combined_.launch_forces_and_move(job_, tersoff_, steps_.chains(), stream_);
            continue;
          }
          steps_.template launch_move<true, true>(job_);
          exchange_positions();
          engine_.terms.take_positions(steps_.guard(), nullptr);
          launch_forces(steady, false);
        }
      });
    }
    graph_.launch(stream_);
    launched_ += tuning::steps_of_graph;
  }

  /// Behind the kernel that moves the atoms. The forces of the interior start beside the exchange.
  void exchange_positions() {
    if (!engine_.peers.connected()) return;
    if (apart_) engine_.peers.start_interior();
    engine_.peers.exchange_positions(peers_, steps_.chains(), tersoff_.references());
  }

  /// `new_list`: the kernels before have renewed the pruned list of boundary atoms.
  void launch_forces(long long step, bool new_list) {
    const TallyRequest request = step == n_ ? batch_.last : TallyRequest();
    const bool tallies = request.any_total() || request.any_per_atom();
    if (!tallies && launch_driven_forces(step, false)) return;
    // with tallies in one stream, since arrays for them may be cleared
    const bool beside = apart_ && !tallies;
    tersoff_.launch_forces(request, steps_.guard(), beside ? cudaStream_t(engine_.peers.interior()) : nullptr);
    if (apart_) tersoff_.launch_boundary(request, steps_.guard(), beside && !new_list && steps_.chains());
    if (engine_.peers.connected()) engine_.peers.exchange_forces(peers_, steps_.chains());
    if (beside) engine_.peers.finish_interior(step != steady && step % timed_every_ == 0);
    engine_.add_terms(request);
    if (!batch_.pair_forces.empty() && !steps_.add_pair_forces(batch_, step)) return;
    if (tallies && launch_driven_forces(step, true)) return;
    engine_.force_changes.launch(batch_, step == n_, steps_.guard());
    engine_.thermostat.launch(batch_, job_, step == n_, peers_);
  }

  /// Launches a step's forces, driving forces and thermostat with one pass over the bonds, if such a pass can compute
  /// all forces; returns false if not. `again` as in ForceChanges::launch_with_forces().
  bool launch_driven_forces(long long step, bool again) {
    if (!batch_.pair_forces.empty() || !engine_.terms.none() || !engine_.ghosts.none() || !tersoff_.can_refilter() ||
        engine_.lists.rows().n_rows != engine_.atoms.n())
      return false;
    StepJob<Format> job = job_;
    job.driving = engine_.force_changes.launch_with_forces(batch_, again, steps_.chains(), steps_.guard());
    if (!job.driving) return false;
    if (!job.factors) engine_.force_changes.gather_driven(job.driving, steps_.guard());
    engine_.thermostat.launch(batch_, job, step == n_, peers_);
    return true;
  }

  void refilter(const typename PositionOf<Format>::type *positions, const StopFlags &flags) {
    tersoff_.refilter_pruned_list(engine_.lists.rows(), positions, steps_.guard(), flags);
    engine_.terms.refilter(steps_.guard(), flags);
  }

  EngineParts<Format> &engine_;
  TersoffDevice<Format> &tersoff_;
  StepLauncher<Format> &steps_;
  PrunedListLife &life_;
  FusedSteps<Format> &fused_steps_;
  CombinedSteps<Format> &combined_;
  const cudaStream_t stream_;
  const double step_ns_;
  const StepBatch &batch_;
  StepJob<Format> &job_;
  BatchResult &result_;
  const long long n_;
  Peers peers_;
  const bool apart_;      // the forces of boundary atoms have a list of their own
  const bool on_demand_;  // plain steps renew the pruned list if an atom has reached its limit
  bool makes_lists_;      // and make the neighbour list if that has expired
  const long long timed_every_;
  StepGraph graph_;
  int graph_phase_ = 0;  // CombinedSteps::phase() in which the graph starts and ends
  long long launched_ = 0, last_whole_ = 0;
  long long neighbor_step_;       // step with the last neighbour list
  bool whole_ = false;            // the remaining steps use the fused step kernel
  bool combines_ = false;         // the remaining steps launch the forces of a step with the start of the next one
  bool waiting_ = false;          // the forces of the last launched step are not launched yet
  std::vector<long long> lists_;  // steps in which the pruned list was renewed or in which a renewal is queued
};

}  // namespace cuda
}  // namespace triad
