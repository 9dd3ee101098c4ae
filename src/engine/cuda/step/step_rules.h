// Rules for the steps that a device makes ahead of the host: what a batch allows, how many launches are queued, and in
// which steps lists are renewed. Plain decisions of the host, without launches.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/cuda/lists/averaged_references.h"
#include "engine/cuda/lists/list_life.h"
#include "engine/step_batch.h"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// True if a batch adds nothing to the forces of the engine's terms.
inline bool only_terms(const StepBatch &batch) { return batch.pair_forces.empty() && batch.force_changes.empty(); }

/// True if one kernel can compute the forces of a step and move atoms: nothing but one of StepBatch::thermostats in a
/// box that stays, for which CombinedSteps::fit() decides, needs the forces of all atoms before the atoms move.
/// StepLauncher::allows_combined() looks at what concerns some of them.
inline bool allows_combined_steps(const StepBatch &batch) {
  const bool thermostat_in_changing_box = batch.changes_box() && !batch.thermostats.empty();
  return only_terms(batch) && batch.walls.empty() && !thermostat_in_changing_box;
}

/// True if all actions at the end of steps act in each step. Their launches then have the same arguments in every step.
inline bool acts_at_end_of_each_step(const StepBatch &batch) {
  const auto always = [](const EndOfStep *end) { return end->every == 1; };
  return !batch.ends.empty() && std::all_of(batch.ends.begin(), batch.ends.end(), always);
}
/// True if there are at least as many steps between the actions at the end of steps as a graph contains.
inline bool acts_at_end_of_few_steps(const StepBatch &batch) {
  const auto rarely = [](const EndOfStep *end) { return end->every > tuning::steps_of_graph; };
  return std::all_of(batch.ends.begin(), batch.ends.end(), rarely);
}

/// True if steps of a batch can be parts of a CUDA graph unless is_interrupted(): their launches have the same
/// arguments in every step, and nothing happens between the end of a step and the forces of the next one but the motion
/// of the atoms, their reflection, and actions in each step.
inline bool allows_graphs(const StepBatch &batch) {
  return only_terms(batch) && (acts_at_end_of_each_step(batch) || acts_at_end_of_few_steps(batch));
}

/// True if the launches from the end of step `first` to the forces of step `last`, counted from 1, are not all alike:
/// there is a sample at the end of one of the steps `first` to `last` - 1, a sample of energy and virial in one of the
/// steps `first` + 1 to `last`, or an action, not of each step, at the end of one of the steps `first` to `last`, whose
/// forces cannot remain pending.
inline bool is_interrupted(const StepBatch &batch, long long first, long long last) {
  const bool acts = !batch.ends.empty() && !acts_at_end_of_each_step(batch);
  for (long long step = first; (batch.samples() || acts) && step <= last; ++step) {
    const std::int64_t number = batch.first_step + step - 1;
    if (acts && batch.acts_at_end_of(number)) return true;
    if (step < last && batch.samples_at_end_of(number)) return true;
    if (step > first && batch.samples_totals_of(number)) return true;
  }
  return false;
}

/// Number of steps that the host keeps queued. `step_ns`: estimated time of a step in ns.
inline long long steps_to_queue(double step_ns) {
  const double least = tuning::min_queued_steps, most = tuning::max_queued_steps;
  return static_cast<long long>(step_ns > 0 ? std::clamp(tuning::queued_ns / step_ns, least, most) : most);
}

/// The steps of a batch, counted from 1, in which lists are renewed. Updates the lives of the lists.
class ListSchedule {
 public:
  /// `pruned`, `neighbor`: the lives of the pruned lists and of the neighbour lists. `averages`: the references of the
  /// pruned lists. `on_demand`: a renewal of the pruned list takes place if it has expired, which need not be foreseen.
  ListSchedule(const StepBatch &batch, ListLife &pruned, ListLife &neighbor, AveragedReferences &averages,
               bool on_demand)
      : batch_(batch),
        pruned_(pruned),
        neighbor_(neighbor),
        averages_(averages),
        on_demand_(on_demand),
        neighbor_step_(-batch.list.ago),
        renewals_{-pruned.age} {}

  /// True if step `step` is to be launched with a renewal of the pruned list. Where a list outlives those before it,
  /// launches in vain end after most_renewals_in_vain steps.
  bool renewal_is_due(long long step) const {
    const double over = static_cast<double>(step - renewals_.back()) - pruned_.steps;
    return pruned_.all_refilter && over >= 0 && !(on_demand_ && over >= tuning::most_renewals_in_vain);
  }
  /// True if pruned lists are so short-lived that all steps may be launched with a renewal, see
  /// tuning::longest_before_renewals. The renewals then have the same arguments.
  bool is_short_lived() const {
    return pruned_.all_refilter && pruned_.steps <= tuning::longest_before_renewals && averages_.is_settled();
  }
  /// True if step `step` is to be launched with a kernel that makes the neighbour list on demand: from a share of the
  /// usual life of these lists on. `in_graphs`: that launch is part of a graph, so that longer lives pay, until a list
  /// clearly outlives those before it.
  bool neighbor_list_may_expire(long long step, bool in_graphs) const {
    const double longest = in_graphs ? tuning::longest_before_list_in_graphs : tuning::longest_before_list;
    const double over = static_cast<double>(step - neighbor_step_) - neighbor_.steps;
    const double in_vain = std::max<double>(tuning::most_renewals_in_vain, neighbor_.steps / 4);
    return neighbor_.steps <= longest && over >= 0 && !(in_graphs && over > in_vain) && step <= batch_.list.own_until;
  }

  /// Step with the last renewal of the pruned list that was queued or noted; not above 0 if it was before the batch.
  long long last_renewal() const { return renewals_.back(); }
  /// Notes that a renewal of the pruned list is queued in a step.
  void add_renewal(long long step) { renewals_.push_back(step); }
  /// Notes the last lists that the device has made on demand: StepProgress::list_step and StepProgress::neighbor_step.
  void note_progress(long long list_step, long long neighbor_step) {
    if (neighbor_step > neighbor_step_) {
      note_neighbor_list(neighbor_step);
      if (neighbor_step > renewals_.back()) renewals_.push_back(neighbor_step);
    }
    if (list_step <= renewals_.back()) return;
    note_life(list_step - renewals_.back());
    renewals_.push_back(list_step);
  }
  /// Notes that a pruned list which may be renewed on demand has lasted for `steps` steps.
  void note_life(long long steps) {
    pruned_.note_renewal(steps);
    averages_.note_life(static_cast<double>(steps));
  }
  /// Notes that a neighbour list was made in a step.
  void note_neighbor_list(long long step) {
    neighbor_.note_renewal(step - neighbor_step_);
    neighbor_step_ = step;
  }
  /// Notes that the device has stopped in a step, and drops the queued renewals behind that step, which it has skipped.
  void note_stop(long long step) {
    while (renewals_.back() > step) renewals_.pop_back();
  }
  /// Notes that the host makes the pruned list in the step of note_stop(). `list_step`: StepGuard::list_step. Returns
  /// the age of the list before.
  long long note_pruned_list(long long step, long long list_step) {
    renewals_.back() = std::max(renewals_.back(), list_step);
    const long long age = step - renewals_.back();
    renewals_.push_back(step);
    return age;
  }
  /// To be called at the end of the batch, of which the first `completed` steps were made.
  void finish(long long completed) { pruned_.age = completed - renewals_.back(); }

 private:
  const StepBatch &batch_;
  ListLife &pruned_, &neighbor_;
  AveragedReferences &averages_;
  const bool on_demand_;
  long long neighbor_step_;          // step with the last neighbour list
  std::vector<long long> renewals_;  // steps in which the pruned list was renewed, or in which a renewal is queued
};

}  // namespace cuda
}  // namespace triad
