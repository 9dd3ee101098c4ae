// run_style verlet/triad: computes that take per-atom tallies from the engine.
#include <algorithm>
#include <string>
#include <vector>

#include "compute.h"
#include "fix.h"
#include "force.h"
#include "lammps/run/compute_readers.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/verlet_triad.h"
#include "modify.h"
#include "output.h"
#include "update.h"

using namespace LAMMPS_NS;

/// Decides which computes take per-atom tallies from the engine: none if other styles on the host contribute to
/// per-atom energies and virials.
void VerletTriad::choose_tally_computes() {
  bool possible = !pairs_.empty() && pairs_.on_host().empty();
  for (const Fix *fix : modify->get_fix_list())
    if ((fix->energy_peratom_flag && fix->thermo_energy) || (fix->virial_peratom_flag && fix->thermo_virial))
      possible = false;
  for (Compute *compute : modify->get_compute_list())
    if (auto *const tallies = dynamic_cast<TallyCompute *>(compute)) tallies->use_engine_tallies(possible);
}

/// Removes these computes from LAMMPS's lists of computes that need per-atom tallies on the host, and those computes of
/// LAMMPS which they replace and which nothing else reads. LAMMPS's fixes ask for the values of all computes in the
/// steps in which they sample one, also of computes that nothing reads in a run.
void VerletTriad::take_tally_computes() {
  ev_setup();  // LAMMPS fills the lists once for several runs with `pre no`
  tally_computes_.clear();
  replaced_computes_.clear();
  unread_computes_.clear();
  // copies, since may_be_read() makes LAMMPS renew its lists
  const std::vector<Compute *> computes = modify->get_compute_list();
  const std::vector<Fix *> fixes = modify->get_fix_list();
  for (Compute *compute : computes) {
    const auto *const tallies = dynamic_cast<TallyCompute *>(compute);
    if (!tallies || !compute->timeflag || !tallies->takes_engine_tallies()) continue;
    tally_computes_.push_back(compute);
    const bool of_fix = std::any_of(fixes.begin(), fixes.end(), [&](const Fix *fix) {
      const EngineFix *const ours = as_engine_fix(fix);
      return ours && ours->reads(compute);
    });
    if (!of_fix && !may_be_read(lmp, compute)) unread_computes_.insert(compute);
    for (const std::string &id : tallies->replaced_computes()) {
      Compute *const replaced = modify->get_compute_by_id(id);
      if (replaced && !may_be_read(lmp, replaced)) replaced_computes_.push_back(replaced);
    }
  }
  for (const auto *taken : {&tally_computes_, &replaced_computes_})
    for (const Compute *compute : *taken)
      for (auto *list : {&elist_atom, &vlist_atom, &cvlist_atom})
        list->erase(std::remove(list->begin(), list->end(), compute), list->end());
}

/// Sets what Integrate::ev_set() sets. Adds energy and virial in steps in which fixes of sampling_fixes_ sample them,
/// which LAMMPS may not know yet. Adds the tallies of the replaced computes in steps in which they may be read all the
/// same: by a dump, or after the run by commands of the script and callers of the library.
void VerletTriad::set_tally_flags(bigint step) {
  ev_set(step);
  if (samples_totals_in(step)) {
    eflag |= ENERGY_GLOBAL;
    update->eflag_global = step;
    add_virial(step);
  }
  const bool timed = output->any_time_dumps && step == output->next_time_dump_any;  // LAMMPS then asks no compute
  const bool readable = may_be_written(step);
  for (Compute *compute : replaced_computes_) {
    const bool asked = compute->matchstep(step);
    if (timed || (asked && readable)) want_tallies_of(compute, step);
  }
}

/// True for steps after which a dump, thermo output, a command of the script, or a caller of the library may read
/// computes that nothing else reads.
bool VerletTriad::may_be_written(bigint step) const {
  return step == output->next_dump_any || step == output->next_thermo || step == update->laststep;
}

/// True if nothing reads one of tally_computes_ in a step.
bool VerletTriad::is_idle(Compute *compute, bigint step) const {
  return unread_computes_.count(compute) && !may_be_written(step);
}

/// Sets the flags of a step for the per-atom tallies that a compute of LAMMPS reads.
void VerletTriad::want_tallies_of(const Compute *compute, bigint step) {
  if (compute->peatomflag) {
    eflag |= ENERGY_ATOM;
    update->eflag_atom = step;
  }
  if (compute->pressatomflag) {
    vflag |= compute->pressatomflag == 2 ? VIRIAL_CENTROID : VIRIAL_ATOM;
    update->vflag_atom = step;
  }
}

/// Called if a time limit or a fix halt has ended a run before its last step: tallies what the replaced computes and
/// the unread ones need, with forces of the present positions. LAMMPS's arrays keep the forces of the step, which fixes
/// may have changed.
void VerletTriad::tally_early_end() {
  triad::TallyRequest kept;
  for (const Compute *compute : unread_computes_) kept.add(tallies_of(compute));
  if (!replaced_computes_.empty() || kept.any()) {
    eflag = vflag = 0;
    for (const Compute *compute : replaced_computes_) want_tallies_of(compute, update->ntimestep);
    sync_lammps_lists();
    fields_.sync_host(triad::field_f);
    compute_forces(kept);
    fields_.modify_host(triad::field_f);
  }
  for (Compute *compute : unread_computes_) dynamic_cast<TallyCompute &>(*compute).set_on_engine(update->ntimestep);
}

/// The per-atom tallies that one of tally_computes_ needs.
triad::TallyRequest VerletTriad::tallies_of(const Compute *compute) const {
  return dynamic_cast<const TallyCompute &>(*compute).tallies(*engine_);
}

/// True if one of the computes that take tallies from the engine is evaluated in `step`, or if a fix whose samples are
/// part of batches samples in `step`. Adds the per-atom tallies that these computes need to `request`.
/// Compute::matchstep() drops all earlier steps from the list of the compute. plan() calls it for steps after one with
/// a sample, so that it no longer reports that step; is_sampled() does. Samples within batches need no per-atom
/// tallies.
bool VerletTriad::tallies_are_due(bigint step, triad::TallyRequest &request) {
  bool due = false;
  for (Compute *compute : tally_computes_) {
    if (!compute->matchstep(step) || is_idle(compute, step)) continue;
    due = true;
    request.add(tallies_of(compute));
  }
  return due || is_sampled(step);
}

/// Makes these computes take their sums in this step from the engine.
void VerletTriad::tallies_on_engine() {
  for (Compute *compute : tally_computes_)
    if (!is_idle(compute, update->ntimestep)) dynamic_cast<TallyCompute &>(*compute).set_on_engine(update->ntimestep);
}
