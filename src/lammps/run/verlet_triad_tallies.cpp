// run_style verlet/triad: computes that take per-atom tallies from the engine.
#include <algorithm>

#include "compute.h"
#include "fix.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/verlet_triad.h"
#include "modify.h"
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

/// Removes these computes from LAMMPS's lists of computes that need per-atom tallies on the host.
void VerletTriad::take_tally_computes() {
  tally_computes_.clear();
  for (Compute *compute : modify->get_compute_list()) {
    const auto *const tallies = dynamic_cast<TallyCompute *>(compute);
    if (!tallies || !compute->timeflag || !tallies->takes_engine_tallies()) continue;
    tally_computes_.push_back(compute);
    for (auto *list : {&elist_atom, &vlist_atom, &cvlist_atom})
      list->erase(std::remove(list->begin(), list->end(), compute), list->end());
  }
}

/// True if one of these computes will be evaluated in `step`. Adds the per-atom tallies that the engine must keep then.
/// plan() also asks for steps behind those with samples, and Compute::matchstep() then forgets the steps with samples.
/// The samples are made all the same, from the list of plan_samples(), and need no tallies.
bool VerletTriad::tallies_are_due(bigint step, triad::TallyRequest &request) {
  bool due = false;
  for (Compute *compute : tally_computes_) {
    if (!compute->matchstep(step)) continue;
    due = true;
    const triad::TallyRequest wanted = dynamic_cast<TallyCompute &>(*compute).tallies(*engine_);
    request.atom_energy = request.atom_energy || wanted.atom_energy;
    request.atom_virial = request.atom_virial || wanted.atom_virial;
    request.atom_centroid = request.atom_centroid || wanted.atom_centroid;
  }
  return due || is_sampled(step);
}

/// Makes these computes take their sums in this step from the engine.
void VerletTriad::tallies_on_engine() {
  for (Compute *compute : tally_computes_) dynamic_cast<TallyCompute &>(*compute).set_on_engine(update->ntimestep);
}
