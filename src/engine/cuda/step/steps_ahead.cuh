// Batches of steps that the device makes without the host: without ghosts, or with ghosts that travel between GPUs. The
// host queues launches ahead of the device. From a share of the usual life of a pruned list on, some steps renew the
// list if an atom has reached its displacement limit; several GPUs renew it in a step that is chosen ahead. Where the
// list expires in another step, the device stops. The host then launches the renewal, or builds the list, and the steps
// go on.
#pragma once

#include <string>

#include "engine/cuda/engine_parts.cuh"
#include "engine/cuda/step/step_graph.cuh"
#include "engine/cuda/step/step_rules.h"

namespace triad {
namespace cuda {

template <class Format>
class StepsAhead {
 public:
  /// `job` is the result of StepLauncher::job(), ChangingBox::start() and ThermostatSteps::start(). `step_ns`:
  /// estimated time of a step in ns. `grids_wait`: WaitingGrids::allowed().
  StepsAhead(EngineParts<Format> &engine, double step_ns, bool grids_wait, const StepBatch &batch, StepJob<Format> &job,
             BatchResult &result)
      : engine_(engine),
        tersoff_(engine.tersoff),
        steps_(engine.steps),
        combined_(engine.combined_steps),
        graphs_(engine.step_graphs),
        stream_(engine.device.stream()),
        step_ns_(step_ns),
        grids_wait_(grids_wait),
        batch_(batch),
        job_(job),
        result_(result),
        n_(batch.n_steps),
        peers_(engine.peers.peers(engine.steps.guard())),
        two_lists_(engine.lists.two_lists()),
        on_demand_(!engine.peers.connected()),
        makes_lists_(prepare_lists()),
        timed_every_(two_lists_ ? engine.peers.timed_waits_every(n_) : n_),
        schedule_(batch, engine.lists.life(), engine.lists.neighbor_life(), engine.lists.averages(), on_demand_) {
    graphs_.forget();
    combined_.begin(engine.thermostat.moving(job), grids_wait);
    combined_.start(&engine_.device.steps()->counts);
    choose_kernels();
  }

  /// Makes the steps of the batch, or only those before the neighbour list expires if the engine cannot make the next
  /// one; BatchResult::completed says how many. Behind the last step, its end is queued too. Throws LoopError.
  void run() {
    const volatile StepProgress &progress = engine_.device.reports().progress;
    for (long long idle = 0;;) {
      note_renewals(progress);
      if (progress.stopped) {
        if (!resume()) return;
      } else if (launched_ < n_ && launched_ - progress.completed < steps_to_queue(step_ns_)) {
        if (launch_next()) {
          schedule_.add_renewal(launched_);
          ++result_.pruned_lists;
        }
        idle = 0;
      } else if (launched_ == n_ && !end_launched_) {
        steps_.launch_end(batch_, job_, n_, engine_.ends, engine_.samples);
        end_launched_ = true;
      } else if (progress.completed == n_) {
        note_renewals(progress);
        schedule_.finish(n_);
        engine_.peers.count_steps(n_);
        return;
      } else if (++idle % 4096 == 0) {
        check_device(progress);
      }
    }
  }

 private:
  /// Throws LoopError if the device has failed, or has finished its work without the report for which run() waits.
  void check_device(const volatile StepProgress &progress) const {
    const long long before = progress.completed, expected = launched_ - (forces_pending() ? 1 : 0);
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) return;
    check(status, "making steps");
    if (!progress.stopped && progress.completed == before && before < expected)
      throw LoopError("the GPU has finished its work but reports only " + std::to_string(before) + " of " +
                      std::to_string(expected) + " steps; please report this as an error of Triad");
  }

  static constexpr long long steady = 0;  // argument of launch_forces() for a step that is neither timed nor the last

  bool can_refilter() const { return tersoff_.can_refilter() && engine_.terms.can_refilter(); }
  /// True if one kernel may compute the forces of most rows and pass them to a consumer: no ghosts, a row for each
  /// atom, no further terms.
  bool allows_combined_kernel() const {
    const PrunedListView list = tersoff_.pruned_list().view();
    return engine_.ghosts.none() && tersoff_.can_refilter() && list.n_rows == engine_.atoms.n() && !list.centre &&
           engine_.terms.none();
  }
  /// True if that kernel can move the atoms.
  bool combined_steps_fit() const {
    return allows_combined_kernel() && combined_.fit(tersoff_, job_) && allows_combined_steps(batch_) &&
           steps_.allows_combined(batch_, job_, engine_.ends, combined_);
  }
  /// True if that kernel can sum the kinetic energy for a thermostat, and the virial for a barostat.
  bool measuring_fits() const {
    return job_.n_thermostats == 1 && allows_combined_kernel() && combined_.launches().fit_many(tersoff_) &&
           only_terms(batch_);
  }
  /// Chooses the kernels of the remaining steps, except those with tallies, which are always plain ones. Another choice
  /// needs another graph.
  void choose_kernels() {
    const bool combined = combined_steps_fit(), measures = !combined && measuring_fits();
    const bool moves_with_thermostat = !measures && engine_.ghosts.none() && job_.n_langevin == 0 && !job_.box_path &&
                                       !acts_at_end_of_each_step(batch_) &&
                                       combined_.takes_thermostat(tersoff_, batch_.has_barostat());
    const bool same =
        combined == use_combined_ && measures == measures_ && moves_with_thermostat == moves_with_thermostat_;
    if (!same) graphs_.forget();
    use_combined_ = combined;
    measures_ = measures;
    moves_with_thermostat_ = moves_with_thermostat;
  }
  bool forces_pending() const { return combined_.pending() == Pending::Forces; }
  CombinedSteps<Format> *pending() { return combined_.pending() == Pending::Nothing ? nullptr : &combined_; }
  /// What is pending after a step, except after resume() and after driving forces.
  Pending usually_pending() const {
    return use_combined_ ? Pending::Forces : moves_with_thermostat_ ? Pending::Thermostat : Pending::Nothing;
  }

  /// True if all steps are launched with renewals, as parts of graphs where possible: see
  /// tuning::atoms_per_sm_of_renewals.
  bool renews_in_graphs() const {
    const bool few = engine_.atoms.n() <= tersoff_.multiprocessors() * tuning::atoms_per_sm_of_renewals;
    return few && on_demand_ && steps_.records() && allows_graphs(batch_) && n_ >= tuning::least_steps_for_graph &&
           !batch_.has_barostat() && engine_.terms.none() && tersoff_.gathers() && schedule_.is_short_lived();
  }
  /// True if a step can make the neighbour list. Where launches need the reach of this list, only the host finds it.
  bool steps_make_lists() const {
    const bool reach_needed = (use_combined_ || measures_) && combined_.launches().need_reach(tersoff_);
    return makes_lists_ && !reach_needed;
  }
  /// The renewals for which step `step` is to be launched.
  Renewals renewals_of(long long step) const {
    if (!can_refilter()) return Renewals::None;
    const bool in_graphs = renews_in_graphs();
    if (steps_make_lists() && schedule_.neighbor_list_may_expire(step, in_graphs)) return Renewals::Lists;
    return in_graphs || schedule_.renewal_is_due(step) ? Renewals::PrunedList : Renewals::None;
  }
  /// In a graph, every so many steps renew lists.
  static int steps_per_renewal(Renewals renewals) {
    return renewals == Renewals::PrunedList ? tuning::steps_per_renewal : 1;
  }
  /// Notes the last lists that the device has made or renewed on demand.
  void note_renewals(const volatile StepProgress &progress) {
    const long long renewed = progress.list_step, listed = progress.neighbor_step;  // written in the reverse order
    schedule_.note_progress(renewed, listed);
  }

  // What follows a stop of the device is in steps_ahead_stop_impl.cuh.
  bool resume();
  Box box_of(long long step) const;
  bool list_expired(long long step, const StepGuard &guard, Box &box);
  bool renews_after_stop(int reasons) const;
  void note_life(long long age);
  bool make_list(long long step, const Box &box, StepGuard &guard);
  bool prepare_lists();

  /// Launches one or more steps. Returns true if the last of these steps renews the pruned list unconditionally, as
  /// several GPUs do. The device counts renewals on demand.
  bool launch_next() {
    const Renewals renewals = renewals_of(launched_ + 1);
    StepGraph &graph = graphs_.of(renewals);
    if (graph.weight() != weight_of(renewals)) graph.forget();
    if (!steps_fit_graph(renewals)) return launch_plain_step(renewals);
    launch_graph(renewals);
    return false;
  }

  /// AveragedReferences::weight() in steps with these renewals.
  double weight_of(Renewals renewals) const {
    return renewals == Renewals::None ? 1 : engine_.lists.averages().weight();
  }

  bool launch_plain_step(Renewals renewals) {
    const bool renews = renewals != Renewals::None;
    StepJob<Format> job = job_with(renewals);
    if (!forces_pending()) {
      combined_.note_step_of_another_kernel(use_combined_);
      job.stop = combined_.stop_word(steps_.guard());
    }
    steps_.launch_between(batch_, job, launched_, engine_.ends, engine_.samples, pending());
    ++launched_;
    launch_renewals(renewals);
    engine_.box.note_renewal(renews && !on_demand_);
    if (use_combined_ && launched_ < n_ && !batch_.tallies_of(launched_).any_total() &&
        !steps_.ends_need_forces(batch_, job_, launched_, engine_.ends))
      combined_.set_pending(Pending::Forces);
    else
      launch_forces(launched_, renews);
    return renews && !on_demand_;
  }

  /// The argument of the kernel that moves the atoms in a step with these renewals.
  StepJob<Format> job_with(Renewals renewals) {
    StepJob<Format> job = job_;
    if (renewals == Renewals::None || !on_demand_) return job;
    job.path = engine_.lists.renew_paths();
    if (renews_in_graphs()) job.steps_ahead = steps_per_renewal(renewals) - 1;
    return job;
  }

  /// Launches what stands between the motion of the atoms and their forces: the exchange of positions and renewals.
  /// With few atoms, the kernel for both lists takes less time in vain than the two for a pruned list.
  void launch_renewals(Renewals renewals) {
    const bool renews = renewals != Renewals::None;
    engine_.terms.take_positions(steps_.guard(), nullptr);
    if (renews && !on_demand_) engine_.lists.expected_paths().extrapolate(1);
    const StopFlags flags = steps_.stop_flags(on_demand_, combined_.stop_word(steps_.guard()));
    if (renews && two_lists_) refilter(tersoff_.positions(), flags);
    exchange_positions();
    if (renews && two_lists_) tersoff_.refilter_boundary(engine_.lists.boundary(), steps_.guard(), flags);
    if (!renews || two_lists_) return;
    if (renewals == Renewals::Lists || (renews_in_graphs() && steps_make_lists()))
      engine_.lists.launch_on_demand(steps_.guard(), flags, steps_.launches_dependent());
    else
      refilter(tersoff_.positions(), flags);
  }

  /// True if the next steps_of_graph steps can be launched as one CUDA graph: the batch allows graphs, all of these
  /// steps are due for the same renewals, none is timed or interrupted, and enough steps are left to pay for the
  /// recording, which takes as long as tens of steps. Only the first and the last step are compared: once renewals are
  /// due, they are due in more than steps_of_graph steps in a row (tuning::most_renewals_in_vain). If forces are
  /// pending, the first kernel of the graph expects that the step before has the same renewals as the last step of the
  /// graph.
  bool steps_fit_graph(Renewals renewals) const {
    const long long then = launched_ + tuning::steps_of_graph;
    const bool renews = renewals != Renewals::None;
    const StepGraph &graph = graphs_.of(renewals);
    return steps_.records() && allows_graphs(batch_) && launched_ > 0 && then < n_ && (!renews || renews_in_graphs()) &&
           combined_.pending() == usually_pending() && !(forces_pending() && tersoff_.new_list() != renews) &&
           !engine_.box.notes_renewal() && !is_interrupted(batch_, launched_, then) &&
           (graph.recorded() ? graph.phase() == combined_.phase() : n_ - launched_ >= tuning::least_steps_for_graph) &&
           then / timed_every_ == launched_ / timed_every_ && renewals_of(then) == renewals;
  }

  void launch_graph(Renewals renewals) {
    engine_.box.note_renewal(false);  // the device knows of that of the step before, see ChangingBox::notes_renewal()
    StepGraph &graph = graphs_.of(renewals);
    if (!graph.recorded()) {
      if (renewals != Renewals::None) engine_.lists.renew_paths();  // memory that a recording could not allocate
      graph.record(combined_.phase(), weight_of(renewals), stream_, [&] {
        for (int k = 1; k <= tuning::steps_of_graph; ++k) {
          const Renewals now = k % steps_per_renewal(renewals) == 0 ? renewals : Renewals::None;
          steps_.launch_between(batch_, job_with(now), launched_ + k - 1, engine_.ends, engine_.samples, pending());
          launch_renewals(now);
          if (!forces_pending()) launch_forces(steady, now != Renewals::None);
        }
      });
    }
    graph.launch(stream_);
    launched_ += tuning::steps_of_graph;
  }

  /// Behind the kernel that moves the atoms. The forces of the interior start beside the exchange.
  void exchange_positions() {
    if (!engine_.peers.connected()) return;
    if (two_lists_) engine_.peers.start_interior();
    engine_.peers.exchange_positions(peers_, steps_.launches_dependent(), tersoff_.references());
  }

  /// Launches the forces of a step, and the thermostat unless that remains pending. `new_list`: the kernels before have
  /// renewed the pruned list of boundary atoms.
  void launch_forces(long long step, bool new_list) {
    combined_.set_pending(Pending::Nothing);
    const TallyRequest asked = batch_.tallies_of(step);
    TallyRequest request = asked;
    request.virial = request.virial || batch_.has_barostat();
    const bool tallies = request.any_total();  // a batch has no others
    if (!tallies && launch_driven_forces(step, false)) return;
    if (measures_ && step != n_ && !asked.any_total())
      return engine_.thermostat.launch_with_forces(job_, combined_.launches());
    tersoff_.launch_forces(request, steps_.guard(), two_lists_ ? cudaStream_t(engine_.peers.interior()) : nullptr);
    if (two_lists_) tersoff_.launch_boundary(request, steps_.guard(), !new_list && steps_.launches_dependent());
    if (engine_.peers.connected()) engine_.peers.exchange_forces(peers_, steps_.launches_dependent());
    if (two_lists_) engine_.peers.finish_interior(step != steady && step % timed_every_ == 0);
    engine_.add_terms(request);
    engine_.samples.sum_totals(batch_, step);
    if (!batch_.pair_forces.empty() && !steps_.add_pair_forces(batch_, step)) return;
    if (tallies && launch_driven_forces(step, true)) return;
    engine_.force_changes.launch(batch_, step == n_, steps_.guard());
    if (moves_with_thermostat_ && step != n_ && !(step != steady && steps_.acts_at_end_of(batch_, step))) {
      combined_.set_pending(engine_.thermostat.moving_barostat(job_));
    } else {
      engine_.thermostat.launch(job_, step == n_, peers_);
    }
  }

  /// Launches a step's forces, driving forces and thermostat with one pass over the bonds, if such a pass can compute
  /// all forces; returns false if not. `again` as in ForceChanges::launch_with_forces().
  bool launch_driven_forces(long long step, bool again) {
    if (!batch_.pair_forces.empty() || !engine_.terms.none() || !engine_.ghosts.none() || !tersoff_.can_refilter() ||
        engine_.lists.rows().n_rows != engine_.atoms.n())
      return false;
    StepJob<Format> job = job_;
    job.driving = engine_.force_changes.launch_with_forces(batch_, again, steps_.launches_dependent(), steps_.guard());
    if (!job.driving) return false;
    if (!job.factors) engine_.force_changes.gather_driven(job.driving, steps_.guard());
    engine_.thermostat.launch(job, step == n_, peers_);
    return true;
  }

  void refilter(const typename PositionOf<Format>::type *positions, const StopFlags &flags) {
    tersoff_.refilter_pruned_list(engine_.lists.rows(), positions, steps_.guard(), flags);
    engine_.terms.refilter(steps_.guard(), flags);
  }

  EngineParts<Format> &engine_;
  TersoffDevice<Format> &tersoff_;
  StepLauncher<Format> &steps_;
  CombinedSteps<Format> &combined_;
  StepGraphs &graphs_;
  const cudaStream_t stream_;
  const double step_ns_;
  const bool grids_wait_;
  const StepBatch &batch_;
  StepJob<Format> &job_;
  BatchResult &result_;
  const long long n_;
  Peers peers_;
  const bool two_lists_;  // the forces of boundary atoms have a list of their own
  const bool on_demand_;  // a step with a renewal renews the pruned list only if an atom has reached its limit
  bool makes_lists_;      // steps may make the neighbour list if that has expired
  const long long timed_every_;
  long long launched_ = 0;
  bool end_launched_ = false;  // StepLauncher::launch_end()
  bool measures_ = false;      // the kernel that computes forces also sums what thermostat and barostat need
  // With the start of a step are launched:
  bool use_combined_ = false;           // the forces of the step before
  bool moves_with_thermostat_ = false;  // otherwise the thermostat of the step before
  ListSchedule schedule_;
};

}  // namespace cuda
}  // namespace triad
