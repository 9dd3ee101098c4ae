// run_style verlet/triad: batches of steps, which the engine makes alone.
#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "engine/tuning.h"
#include "fix.h"
#include "force.h"
#include "lammps/run/box_deformation.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/domain_box.h"
#include "modify.h"
#include "neighbor.h"
#include "output.h"
#include "platform.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace FixConst;

/// Returns a batch of the steps that the engine can make alone, up to and including the next step after which the host
/// must act. Sets eflag and vflag for the last one.
triad::StepBatch VerletTriad::plan(int done, int wanted) {
  triad::StepBatch batch;
  const bigint now = update->ntimestep;
  if (!state_.in_batches() || state_.next_step_needs_list()) return batch;
  check_sampling_fixes();
  bigint n = std::min({bigint(wanted - done), output->next - now, bigint(triad::tuning::steps_per_batch),
                       steps_to_forced_list() - 1, most_sampled_steps()});
  for (int i = 0; i < modify->nfix; ++i)
    if ((modify->fmask[i] & END_OF_STEP) && !ends_in_batches_.count(modify->fix[i]) &&
        !sampling_fixes_.count(modify->fix[i]) && !deforms_box(modify->fix[i]))
      n = std::min(n, steps_to_end_of_step(modify->fix[i], n));

  for (bigint s = 1; s <= n; ++s) {
    if (s > 1 && timer->check_timeout(done + static_cast<int>(s) - 1)) n = s - 1;
    if (s > n) break;
    set_tally_flags(now + s);
    triad::TallyRequest kept;
    const bool due = tallies_are_due(now + s, kept);
    if (s < n && is_sampled(now + s)) continue;
    if ((eflag & ENERGY_ATOM) || (vflag & (VIRIAL_ATOM | VIRIAL_CENTROID)) || kept.any_per_atom()) {
      n = s - 1;
      eflag = vflag = 0;
      if (n > 0) set_tally_flags(now + n);  // the new last step may have a sample, whose flags the loop has not kept
      break;
    }
    if (eflag || vflag || due) n = s;
  }
  if (const bigint planned = plan_box(n); planned < n) {
    n = planned;
    eflag = vflag = 0;  // those of a later step
    if (n > 0) set_tally_flags(now + n);
  }
  if (n <= 0) return batch;
  batch.n_steps = n;
  batch.first_step = now + 1;
  want_virial(now + n);
  batch.last.energy = eflag;
  batch.last.virial = vflag;
  batch.list.check = checks_displacements();
  batch.list.limit = displacement_limit();
  batch.list.ago = neighbor->ago;
  batch.list.delay = neighbor->delay;
  batch.list.every = neighbor->every;
  if (state_.engine_makes_lists() && batch.list.check) {
    box_ = list_box();
    batch.list.box = &box_;
    batch.list.own_until = next_sort() - now - 1;  // LAMMPS sorts atoms when it renews lists
  }
  const std::size_t n_ends = ends_in_batches_.size();
  if (!join_fixes(batch).empty()) return triad::StepBatch();
  // the n steps may reach beyond one in which a fix acts that does not join any more
  if (ends_in_batches_.size() < n_ends) return triad::StepBatch();
  if (batch.changes_box() && batch.list.check) {
    box_limit_.fix(box_of(domain));
    batch.list.in_changing_box = &box_limit_;
  }
  plan_samples(batch);
  return batch;
}

/// True on one rank, or if the engine could sum over the ranks at the start of the run and still can. An engine that
/// could not do so at the start counts as one that cannot: find_sampling_fixes() has chosen the fixes for that case.
bool VerletTriad::sums_over_ranks() const {
  return comm->nprocs == 1 || (sums_over_ranks_ && engine_->sums_over_ranks());
}

/// Plans the boxes of a batch of at most n steps if there is a fix deform. Returns the number of steps: n without such
/// a fix, and 0 if a batch would be too short.
bigint VerletTriad::plan_box(bigint n) {
  for (int i = 0; i < modify->nfix && n > 0; ++i) {
    if (!deforms_box(modify->fix[i])) continue;
    deformation_ = modify->fix[i];
    box_path_ = path_of_box(lmp, deformation_, update->ntimestep + 1, n, 0.5 * skin_);
    const bigint steps = static_cast<bigint>(box_path_.steps.size());
    return steps < std::min(n, bigint(triad::tuning::least_planned_boxes)) ? 0 : steps;
  }
  return n;
}

/// Sets the flags of a step for the virial if a fix reads the virial of each step.
void VerletTriad::want_virial(bigint step) {
  if (a_fix_reads_virial_) add_virial(step);
}

void VerletTriad::add_virial(bigint step) {
  if (!(vflag & (VIRIAL_PAIR | VIRIAL_FDOTR))) vflag += virial_style;
  update->vflag_global = step;
}

/// Number of steps up to the next one in which the end_of_step() of a fix acts, or at least `most`. The averaging fixes
/// return at once in steps without a sample.
bigint VerletTriad::steps_to_end_of_step(const Fix *fix, bigint most) const {
  const bigint now = update->ntimestep;
  const auto samples = sampling_steps_.find(fix);
  bigint steps = fix->nevery - now % fix->nevery;
  if (samples != sampling_steps_.end())
    while (steps < most && !samples->second.includes(now + steps)) steps += fix->nevery;
  return steps;
}

/// Runs a batch and returns the number of steps that were made.
int VerletTriad::run_batch(const triad::StepBatch &batch) {
  fields_.sync_engine(triad::field_all);
  timer->stamp();
  if (batch.box_path) update_box_of_engine();  // end_step() of the last step may have changed the box
  const triad::BatchResult result = engine_->run_steps(batch);
  if (batch.box_path)
    set_box(lmp, deformation_, batch.first_step, box_path_, std::min(result.completed, batch.n_steps - 1));
  stamp_timer(result);
  fields_.modify_engine(triad::field_state);
  use_samples(batch, result);
  pruned_lists_ += result.pruned_lists + result.late_pruned_lists;
  late_pruned_lists_ += result.late_pruned_lists;
  update->ntimestep += result.completed;
  batched_steps_ += result.completed;
  neighbor->ago =
      static_cast<int>(result.lists ? result.completed - result.last_list : neighbor->ago + result.completed);
  count_own_lists(result);
  if (!result.list_expired) {
    finish_batch(true);
    if (batch.changes_box()) update_box_of_engine();
    if (!pairs_.empty()) pairs_.take_totals(engine_->term_totals(), eflag, vflag);
    triad::TallyRequest none;
    if (tallies_are_due(update->ntimestep, none)) tallies_on_engine();
    end_step();
    return static_cast<int>(result.completed);
  }
  const double start = platform::walltime();  // of a step outside of the batch
  ++update->ntimestep;
  set_tally_flags(update->ntimestep);
  want_virial(update->ntimestep);
  finish_batch(false);
  if (++neighbor->ago == std::max(neighbor->every, neighbor->delay)) ++neighbor->ndanger;
  renew_list();
  finish_step();
  const double seconds = platform::walltime() - start;
  single_seconds_ += seconds;
  batch_seconds_ -= seconds;
  return static_cast<int>(result.completed) + 1;
}

/// Adds lists that the engine has made to LAMMPS's counts.
void VerletTriad::count_own_lists(const triad::BatchResult &result) {
  if (!result.lists) return;
  lists_made_ += result.lists;
  neighbor->ncalls += result.lists;
  neighbor->ndanger += result.dangerous_lists;
  list_count_ = neighbor->ncalls;
  state_.engine_renewed_list();
}

/// Splits the wall time of a batch into LAMMPS's timer categories, using the times that the engine measured.
void VerletTriad::stamp_timer(const triad::BatchResult &result) {
  wait_seconds_ += result.halo_seconds;
  timer->stamp(Timer::MODIFY);
  if (!timer->has_normal()) return;
  const auto move = [&](Timer::ttype to, double seconds) {
    timer->set_wall(to, timer->get_wall(to) + seconds);
    timer->set_wall(Timer::MODIFY, timer->get_wall(Timer::MODIFY) - seconds);
  };
  // not negative: waits are estimated from samples, and fix balance stops at weights that are not positive
  move(Timer::PAIR, std::max(0.0, result.force_seconds));
  move(Timer::COMM, result.halo_seconds);
  move(Timer::NEIGH, result.list_seconds);
}

/// True if a group whose temperature a thermostat of all steps controls may contain atoms that other fixes kick.
static bool measures_other_groups(const triad::StepBatch &batch) {
  const auto kicks = [](const triad::VerletGroup &group) { return group.half_kick != 0; };
  return std::count_if(batch.groups.begin(), batch.groups.end(), kicks) > 1 &&
         std::any_of(batch.thermostats.begin(), batch.thermostats.end(),
                     [](const triad::ThermostatBatch *one) { return one->measured_bit != one->group_bit; });
}

/// Adds all fixes to the batch. Returns what does not allow batches, or an empty string. A box that changes in steps
/// allows batches only if this is done by a barostat that has joined, by one fix deform, or by both.
std::string VerletTriad::join_fixes(triad::StepBatch &batch) {
  for (int i = 0; i < modify->nfix; ++i) {
    Fix *const fix = modify->fix[i];
    if (is_dynamic_group(fix)) return name_of_fix(fix);
    if (deforms_box(fix)) {
      if (batch.box_path || !engine_->takes_changing_box()) return name_of_fix(fix);
      batch.box_path = &box_path_;
      continue;
    }
    const bool had_barostat = batch.has_barostat();
    if ((modify->fmask[i] & hooks_of_every_step) && !is_package_omp(fix) && !joins(fix, batch)) return name_of_fix(fix);
    const bool is_barostat = batch.has_barostat() && !had_barostat;
    if (changes_box(fix) && !is_barostat) return name_of_fix(fix);
  }
  const std::size_t most = triad::tuning::max_groups;
  if (!batch.thermostats.empty() && !batch.langevin.empty())
    return "fix langevin/triad beside fix nvt/triad or npt/triad";
  if (!batch.thermostats.empty() && measures_other_groups(batch))
    return "a thermostat that measures the temperature of atoms which another fix moves";
  if (batch.groups.size() > most) return fmt::format("more than {} fixes that move atoms", most);
  if (batch.langevin.size() > most) return fmt::format("more than {} fixes langevin/triad", most);
  std::string obstacle = join_ends_of_steps(batch);
  if (!obstacle.empty()) return obstacle;
  if (batch.changes_box() && !allows_changing_box(batch))
    return "other fixes beside those that change the box, or an integrator of some atoms";
  if (batch.box_path && batch.has_barostat() && triclinic) return "two fixes that change a tilted box";
  return groups_apart_ || !needs_groups_apart(batch) ? "" : "atoms that several fixes move";
}

/// True if nothing acts in a batch but the change of the box and perhaps a thermostat of all steps, on all atoms.
bool VerletTriad::allows_changing_box(const triad::StepBatch &batch) const {
  return batch.groups.size() == 1 && batch.groups[0].group_bit == 1 && batch.langevin.empty() &&
         batch.pair_forces.empty() && batch.motions.empty() && batch.walls.empty() && batch.force_changes.empty() &&
         batch.ends.empty();
}

/// True if a batch has atoms that move with a constant velocity, or thermostats of all steps beside other groups.
bool VerletTriad::needs_groups_apart(const triad::StepBatch &batch) {
  return !batch.motions.empty() || (!batch.thermostats.empty() && batch.groups.size() > 1);
}

/// True if nothing else in a batch changes positions or velocities of the atoms that move with a constant velocity, and
/// no other group moves atoms of a thermostat of all steps. Collective.
bool VerletTriad::groups_are_apart(const triad::StepBatch &batch) const {
  bool common = false;
  const auto compare = [&](int bit, int others) {
    for (int i = 0; i < atom->nlocal && !common; ++i) common = (atom->mask[i] & bit) && (atom->mask[i] & others);
  };
  for (const triad::LinearMotion &motion : batch.motions) {
    int others = 0;
    for (const triad::VerletGroup &group : batch.groups)
      if (group.half_kick != 0) others |= group.group_bit;
    for (const triad::LinearMotion &other : batch.motions)
      if (&other != &motion) others |= other.group_bit;
    for (const triad::EndOfStep *end : batch.ends) others |= end->group_bit;
    for (const triad::ReflectingWalls &walls : batch.walls) others |= walls.group_bit;
    compare(motion.group_bit, others);
  }
  for (std::size_t k = 0; k < batch.thermostats.size(); ++k) {
    int others = 0;
    for (std::size_t g = 0; g < batch.groups.size(); ++g)
      if (g != k) others |= batch.groups[g].group_bit;
    compare(batch.groups[k].group_bit, others);
  }
  return !halo_.any(common);
}

/// Adds the actions at the end of steps to the batch, up to the first fix whose action cannot be part of it: the fixes
/// act in LAMMPS's order. Returns what does not allow batches, or an empty string.
std::string VerletTriad::join_ends_of_steps(triad::StepBatch &batch) {
  ends_in_batches_.clear();
  bool all = true;
  for (int i = 0; i < modify->nfix; ++i) {
    Fix *const fix = modify->fix[i];
    if (!(modify->fmask[i] & END_OF_STEP) || deforms_box(fix)) continue;  // plan_box() knows the box of each step
    EngineFix *const ours = as_engine_fix(fix);
    all = all && ours && ours->join_ends_of_steps(batch);
    const bool is_in_each_step = (modify->fmask[i] & hooks_of_every_step) || (batch.changes_box() && fix->nevery == 1);
    if (all)
      ends_in_batches_.insert(fix);
    else if (ours && is_in_each_step && !ours->ends_batches())
      return name_of_fix(fix);
  }
  return "";
}

/// True if a fix that is called in every step has no hooks for an engine.
bool VerletTriad::a_fix_knows_the_host_only() const {
  for (int i = 0; i < modify->nfix; ++i) {
    const Fix *const fix = modify->fix[i];
    if (is_dynamic_group(fix)) return true;
    if ((modify->fmask[i] & hooks_of_every_step) && !is_package_omp(fix) && !as_engine_fix(fix)) return true;
  }
  return false;
}

/// Calls EngineFix::finish_batch() of the fixes that have joined.
void VerletTriad::finish_batch(bool whole) const {
  for (int i = 0; i < modify->nfix; ++i) {
    const bool joined = (modify->fmask[i] & hooks_of_every_step) && !is_package_omp(modify->fix[i]);
    if (joined || ends_in_batches_.count(modify->fix[i]))
      dynamic_cast<EngineFix &>(*modify->fix[i]).finish_batch(whole);
  }
}
