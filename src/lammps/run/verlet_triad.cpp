// run_style verlet/triad: runs, and steps hook by hook.
#include "lammps/run/verlet_triad.h"

#include <algorithm>
#include <type_traits>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "lammps/run/box_deformation.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/fix_traits.h"
#include "modify.h"
#include "output.h"
#include "platform.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace FixConst;

namespace {

/// Access to the number of a fix among all that were ever created, through a pointer to a member that a derived class
/// may form.
struct FixNumber : Fix {
  static constexpr int Fix::*member() { return &FixNumber::instance_me; }
};

}  // namespace

void VerletTriad::run(int n) {
  if (!pairs_.are_of_present_style())
    error->all(FLERR, "The pair style was changed after the run was set up; use 'run' without 'pre no'");
  const std::string why_not = obstacle();
  if (!why_not.empty()) {
    if (why_not != logged_obstacle_) log_.keep(obstacle_line(why_not));
    set_on_engine(false);
    if (!after_run_.empty() && comm->nprocs > 1 && state_.lammps_lists_are_behind())
      error->all(
          FLERR,
          "run_style verlet/triad: after a run whose neighbor lists the GPUs have made, 'pre no' is not possible "
          "because {}; use 'run' without 'pre no'",
          why_not);
    if (a_fix_reads_virial_) modify->addstep_compute_all(update->ntimestep + 1);
    ev_setup();  // take_tally_computes() has changed the lists
    Verlet::run(n);
    return;
  }
  if (acting_fixes() != fixes_of_setup_)
    error->all(FLERR, "Fixes were added or deleted after the run was set up; use 'run' without 'pre no'");
  reporting_errors([&] {
    if (!is_on_engine()) {  // another command has initialised LAMMPS, and perhaps set up atoms, box and lists
      halo_.check_ghosts();
      state_.lists_changed();
      set_on_engine(true);
    } else if (!after_run_.empty() && halo_.any(after_run_ != atoms_and_box())) {
      Halo::throw_other_atoms();
    }
    after_run_.clear();
    start_on_engine();
    state_.begin_run();
    try {
      make_steps(n);
    } catch (...) {
      keep_atoms();
      state_.lists_changed();  // a list may have been made in part
      throw;
    }
    finish_run();
  });
}

/// Numbers of the fixes that have hooks, of which LAMMPS has initialised only those of the last setup(). A new fix may
/// have the address of a deleted one, but not its number.
std::vector<int> VerletTriad::acting_fixes() const {
  std::vector<int> numbers;
  for (int i = 0; i < modify->nfix; ++i)
    if (modify->fmask[i]) numbers.push_back(modify->fix[i]->*FixNumber::member());
  return numbers;
}

/// What commands between runs may change without a new count of LAMMPS's lists: numbers of atoms, and the box.
std::vector<double> VerletTriad::atoms_and_box() const {
  std::vector<double> all = {double(atom->nlocal), double(atom->nghost), domain->xy, domain->xz, domain->yz};
  all.insert(all.end(), domain->boxlo, domain->boxlo + 3);
  all.insert(all.end(), domain->boxhi, domain->boxhi + 3);
  return all;
}

/// Makes n steps, or fewer if the time limit of the script is reached.
void VerletTriad::make_steps(int n) {
  int done = 0;
  while (done < n) {
    if (timer->check_timeout(done)) {
      update->nsteps = done;
      break;
    }
    const triad::StepBatch batch = plan(done, n);
    const double start = platform::walltime();
    done += batch.n_steps > 0 ? run_batch(batch) : run_step();
    (batch.n_steps > 0 ? batch_seconds_ : single_seconds_) += platform::walltime() - start;
  }
  steps_ += done;
}

/// Called after an error in a step: copies the atoms of this rank to LAMMPS's arrays, with which a script that catches
/// the error goes on. An engine that has failed cannot give its atoms; the arrays then keep those of the last copy.
void VerletTriad::keep_atoms() noexcept {
  try {
    fields_.sync_host_owned(triad::field_state);
  } catch (...) {
  }
}

/// Makes one step hook by hook, in the order of run_style verlet. Returns the number of steps made.
int VerletTriad::run_step() {
  const bigint step = ++update->ntimestep;
  set_tally_flags(step);
  want_virial(step);
  timer->stamp();
  call_fixes(
      INITIAL_INTEGRATE, [&](EngineFix &fix) { fix.engine_initial_integrate(*engine_, vflag); },
      [&](Fix &fix) { fix.initial_integrate(vflag); });
  call_fixes(
      POST_INTEGRATE, [&](EngineFix &fix) { fix.engine_post_integrate(*engine_); },
      [](Fix &fix) { fix.post_integrate(); });
  timer->stamp(Timer::MODIFY);
  if (list_is_due() && !make_list()) renew_list();
  if (state_.with_host_hooks() || (eflag & ENERGY_ATOM) || (vflag & (VIRIAL_ATOM | VIRIAL_CENTROID)))
    sync_lammps_lists();  // later hooks may use arrays with LAMMPS's ghosts
  finish_step();
  return 1;
}

/// The rest of a step after the drift: forces, second half of the integration, output.
void VerletTriad::finish_step() {
  timer->stamp();
  if (atom->torque_flag && atom->nlocal) std::fill_n(atom->torque[0], 3 * std::size_t(atom->nlocal), 0.0);
  const bool on_host = has_forces_on_host();
  if (on_host) {  // pre_force hooks and sub-styles of pair_style hybrid may add forces, also on ghosts
    force_clear();
    fields_.modify_host(triad::field_f);
    call_fixes(PRE_FORCE, nullptr, [&](Fix &fix) { fix.pre_force(vflag); });
    timer->stamp(Timer::MODIFY);
  }
  if (engine_is_outdated()) {  // a fix has changed coefficients
    sync_host_and_lists(triad::field_x | triad::field_v);
    start_on_engine();
  }
  if (domain->box_change) update_box_of_engine();
  fields_.sync_engine(triad::field_x | triad::field_attributes);
  triad::TallyRequest kept;
  const bool tallies_due = tallies_are_due(update->ntimestep, kept);
  compute_forces(kept);
  if (tallies_due) tallies_on_engine();
  if (on_host) {
    if (force->newton) comm->reverse_comm();  // without newton, the forces on ghosts are not cleared
    const std::vector<double> before = forces_on_host();
    fields_.modify_engine(triad::field_f);
    fields_.sync_host(triad::field_f);
    add_forces_on_host(before);
    fields_.modify_host(triad::field_f);
  } else {
    fields_.modify_engine(triad::field_f);
  }
  timer->stamp(Timer::PAIR);
  for (int i = 0; i < modify->nfix; ++i)
    if (is_dynamic_group(modify->fix[i])) call_on_host(modify->fix[i], [&](Fix &fix) { fix.post_force(vflag); });
  call_fixes(
      POST_FORCE, [&](EngineFix &fix) { fix.engine_post_force(*engine_, vflag); },
      [&](Fix &fix) { fix.post_force(vflag); });
  call_fixes(
      FINAL_INTEGRATE, [&](EngineFix &fix) { fix.engine_final_integrate(*engine_); },
      [](Fix &fix) { fix.final_integrate(); });
  timer->stamp(Timer::MODIFY);
  end_step();
}

/// Computes the forces of the potential, if there is one. Fixes add theirs later. `kept`: per-atom tallies that the
/// engine keeps.
void VerletTriad::compute_forces(const triad::TallyRequest &kept) {
  if (!pairs_.empty()) {
    if (!pairs_.on_host().empty()) sync_host_for("pair style " + pairs_.on_host()[0], triad::field_x);
    pairs_.compute_next_by([&](EnginePair & first) -> auto & {
      reporting_errors([&] { EnginePairs::compute_on(*engine_, first, kept); });
      return *engine_;
    });
    force->pair->compute(eflag, vflag);
    return;
  }
  if (force->pair && (eflag || vflag)) {  // pair style zero computes its virial from LAMMPS's forces
    force_clear();
    force->pair->compute(eflag, vflag);
  }
  triad::ResultsView none;
  engine_->compute_forces(triad::TallyRequest(), none);
}

void VerletTriad::end_step() {
  timer->stamp();
  call_fixes(
      END_OF_STEP, [&](EngineFix &fix) { fix.engine_end_of_step(*engine_); }, [](Fix &fix) { fix.end_of_step(); });
  timer->stamp(Timer::MODIFY);
  if (update->ntimestep != output->next) return;
  timer->stamp();
  const bool only_thermo = output->next_dump_any != update->ntimestep && output->next_restart != update->ntimestep;
  if (!only_thermo || !thermo_reader_.empty()) sync_host_for_reader(output_cause());
  serve_thermo_output(lmp);
  output->write(update->ntimestep);
  timer->stamp(Timer::OUTPUT);
}

/// Calls a hook of all fixes that have the hook, in LAMMPS's order: for our fixes that of EngineFix, for others that of
/// Fix. `on_engine`: null for hooks that EngineFix does not have.
template <class OnEngine, class OnHost>
void VerletTriad::call_fixes(int hook, OnEngine &&on_engine, OnHost &&on_host) {
  for (int i = 0; i < modify->nfix; ++i) {
    if (!(modify->fmask[i] & hook)) continue;
    Fix *const fix = modify->fix[i];
    if (is_package_omp(fix)) continue;
    if (hook == END_OF_STEP && update->ntimestep % fix->nevery != 0) continue;
    if constexpr (!std::is_same_v<std::decay_t<OnEngine>, std::nullptr_t>) {
      if (EngineFix *const ours = as_engine_fix(fix)) {
        fields_.sync_engine(triad::field_all);
        fields_.modify_engine(triad::field_state);  // before the call, since the hook itself may request fields
        in_hook_of_ = fix;
        on_engine(*ours);
        in_hook_of_ = nullptr;
        fields_.modify_engine(triad::field_state);
        continue;
      }
    }
    if (hook == END_OF_STEP && deforms_box(fix)) {
      fields_.sync_engine(triad::field_x);
      deform_box(lmp, *engine_, fix);
      fields_.modify_engine(triad::field_x);
      continue;
    }
    call_on_host(fix, on_host);
  }
}

/// Calls a hook that needs current LAMMPS arrays.
template <class Call>
void VerletTriad::call_on_host(Fix *fix, Call &&call) {
  const auto steps = sampling_steps_.find(fix);
  if (steps != sampling_steps_.end() && !steps->second.includes(update->ntimestep)) return call(*fix);
  const auto sampler = samplers_.find(fix);
  if (sampler != samplers_.end() && sampler->second.empty()) return call(*fix);
  const std::string cause = name_of_reader(sampler != samplers_.end() ? sampler->second : "", fix);
  if (only_reads_atoms(fix)) {
    sync_host_for_reader(cause);
    return call(*fix);
  }
  sync_host_for(cause, triad::field_state);
  call(*fix);
  fields_.modify_host(triad::field_all);
}
