// StepsAhead: what follows a stop of the device. Lists that have expired are renewed, and the steps go on.
#pragma once

#include <utility>

#include "engine/cuda/step/list_in_batch.cuh"
#include "engine/cuda/step/steps_ahead.cuh"

namespace triad {
namespace cuda {

/// Called after the device has stopped: renews the lists that have expired and computes the forces of the step in
/// which the device stopped. Returns false if LAMMPS must renew its list first.
template <class Format>
bool StepsAhead<Format>::resume() {
  StepGuard guard = steps_.read_guard();
  const long long step = guard.completed + 1;  // this step's atoms have moved already
  engine_.throw_stop(guard);
  schedule_.note_progress(guard.list_step, guard.neighbor_step);  // the device may have gone on after the last look
  schedule_.note_stop(step);
  Box box;  // of this step, if it changes
  const bool expired = list_expired(step, guard, box);
  const bool renewed = !on_demand_ && schedule_.last_renewal() == step;  // by a renewal that was queued
  tersoff_.note_lists(guard);
  guard.list_age = 0;
  if (guard.reasons() & stop_list) guard.far = 0;  // list_expired() has looked
  if (expired && !make_list(step, box, guard)) {
    if (renewed && batch_.changes_box()) engine_.lists.drop_pruned_list();  // no kernel has noted the shifts of images
    result_.list_expired = true;
    result_.completed = guard.completed;
    schedule_.finish(guard.completed);
    engine_.peers.count_steps(step);
    return false;
  }
  launched_ = step;
  end_launched_ = false;
  engine_.box.note_renewal(renewed);
  const bool renews = !expired && renews_after_stop(guard.reasons());
  if (!renews && (expired || (guard.reasons() & (stop_pruned_list | stop_renewal)))) {
    const long long age = schedule_.note_pruned_list(launched_, guard.list_step);
    guard.list_step = static_cast<int>(launched_);
    if (!expired) {
      const bool listed = guard.neighbor_step == step;  // a neighbour list was made, and its pruned list did not fit
      const bool outgrown = age > 0 && (guard.reasons() & stop_pruned_list) && !listed;
      if (outgrown) note_life(age);
      tersoff_.inner_skin_choice().keep_skin();
      ++result_.late_pruned_lists;
    }
    // If the device has tried to renew the list in this step, the step has written the expected positions. They serve
    // the list of the host too, unless an atom is too far from its own.
    const bool expected = !expired && (guard.reasons() & stop_renewal) && !(guard.reasons() & stop_path);
    engine_.lists.build_pruned_list(expected);
    engine_.lists.set_built();
    graphs_.forget();
    makes_lists_ = prepare_lists();  // with another number of slots, the kernel of the lists has another grid
  }
  guard.lists_to_choice = tersoff_.inner_skin_choice().lists_until_choice();
  if (tersoff_.accumulates()) tersoff_.clear_forces();
  steps_.start_guard(guard, renews ? stop_pruned_list : 0);
  combined_.start(&engine_.device.steps()->counts);
  combined_.note_step_of_another_kernel(use_combined_);
  if (two_lists_) engine_.peers.start_interior();
  engine_.terms.take_positions(steps_.guard(), nullptr);
  if (renews) {
    tersoff_.drop_forces();  // those of the step before have been used, and those of this step follow
    engine_.lists.extrapolate_paths();
    refilter(tersoff_.positions(), steps_.stop_flags(true, combined_.stop_word(steps_.guard())));
  }
  choose_kernels();
  launch_forces(launched_, true);
  return true;
}

/// The box in which the atoms are in step `step`, in which the device has stopped, of a batch that changes the box.
template <class Format>
Box StepsAhead<Format>::box_of(long long step) const {
  if (!batch_.has_barostat()) return batch_.box_path->steps[step - 1].box;
  Box box;
  copy_to_host(&box, engine_.thermostat.box(), 1, stream_, "reading the box");
  engine_.device.wait("reading the box");
  return box;
}

/// True if the neighbour list has expired in step `step`, in which the device has stopped. In a box that changes, the
/// limit of the displacements is that of the box of this step, which the function returns in `box`; if no atom exceeds
/// this limit, the next steps have a new fixed limit.
template <class Format>
bool StepsAhead<Format>::list_expired(long long step, const StepGuard &guard, Box &box) {
  const int reasons = guard.reasons();
  ChangingBoxLimit *const limit = batch_.list.in_changing_box;
  if (!limit) return engine_.lists.expired(batch_.list, reasons);
  if (!(reasons & (stop_list | stop_box | stop_long_row))) return false;
  engine_.box.note_lists(batch_.list);
  box = box_of(step);
  if (reasons & stop_long_row) return true;
  if (batch_.list.looks_at(step - guard.neighbor_step) && engine_.lists.moved_on_any_rank(limit->limit_in(box)))
    return true;
  limit->note_vain_stop(box);
  limit->fix(box);
  engine_.box.take_limit(batch_.list);
  steps_.take_lists(batch_.list, engine_.lists, job_);
  makes_lists_ = prepare_lists();  // with the references of the new limit
  graphs_.forget();
  return false;
}

/// True if the device can renew the pruned list in the step in which it has stopped for `reasons`, as if the step had
/// been launched with a renewal.
template <class Format>
bool StepsAhead<Format>::renews_after_stop(int reasons) const {
  return on_demand_ && can_refilter() && (reasons & (stop_pruned_list | stop_renewal)) == stop_pruned_list;
}

/// Notes for how many steps the pruned list has lasted that has stopped the device.
template <class Format>
void StepsAhead<Format>::note_life(long long age) {
  if (on_demand_)
    schedule_.note_life(age);
  else
    engine_.lists.life().note_expiry(age);
  tersoff_.inner_skin_choice().note_life(static_cast<double>(age));
}

template <class Format>
bool StepsAhead<Format>::prepare_lists() {
  return grids_wait_ && on_demand_ && batch_.pair_forces.empty() &&
         engine_.lists.prepare_on_demand(batch_.list, engine_.box.of_steps(batch_.list, engine_.thermostat.box()),
                                         engine_.ends.mark_check(batch_));
}

template <class Format>
bool StepsAhead<Format>::make_list(long long step, const Box &box, StepGuard &guard) {
  const Box *const changed = batch_.list.in_changing_box ? &box : nullptr;
  if (!make_list_in_batch(engine_, batch_, step, changed, job_, guard, result_)) return false;
  peers_ = engine_.peers.peers(steps_.guard());  // of the new ghosts
  if (engine_.peers.connected()) {
    engine_.lists.life().note_used(std::exchange(guard.used, 0.0f));
    engine_.lists.life().agree(*engine_.ghosts.exchange(), can_refilter());
  }
  makes_lists_ = prepare_lists();
  schedule_.note_neighbor_list(step);
  return true;
}

}  // namespace cuda
}  // namespace triad
