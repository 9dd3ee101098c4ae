#include "lammps/pair/engine_pair.h"

#include "atom.h"
#include "compute.h"
#include "error.h"
#include "fix.h"
#include "lammps/run/fix_traits.h"
#include "lammps/util/revision.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

void EnginePair::compute(int eflag, int vflag) {
  ev_init(eflag, vflag);
  if (other_) return std::exchange(other_, nullptr)();
  if (!on_engine_) check_atoms();
  add_forces();
}

/// Ends if there are other atoms or ghosts than when LAMMPS's list was first used, since the list has their indices.
void EnginePair::check_atoms() {
  const ListStamp now(*neighbor, atom->nlocal + atom->nghost);
  const bool same_list = neighbor->ago != 0 && now.step == atoms_stamp_.step && now.builds == atoms_stamp_.builds;
  if (same_list && now.rows != atoms_stamp_.rows)
    error->one(FLERR,
               "Pair style {}: the atoms or their ghosts are others than those of the neighbor list; after a command "
               "such as displace_atoms, delete_atoms or change_box, use 'run' without 'pre no'",
               style_);
  atoms_stamp_ = now;
}

void EnginePair::add_totals(const triad::ForceTotals &totals) {
  if (eflag_global) eng_vdwl += totals.energy;
  if (vflag_global)
    for (int k = 0; k < 6; ++k) virial[k] += totals.virial[k];
}

triad::TallyRequest EnginePair::request() const {
  triad::TallyRequest request;
  request.energy = eflag_global;
  request.virial = vflag_global;
  request.atom_energy = eflag_atom;
  request.atom_virial = vflag_atom;
  request.atom_centroid = cvflag_atom;
  return request;
}

triad::ResultsView EnginePair::results() const {
  const bool any = atom->nlocal + atom->nghost > 0;
  triad::ResultsView results;
  results.atom_energy = eflag_atom ? eatom : nullptr;
  results.atom_virial = vflag_atom && any ? vatom[0] : nullptr;
  results.atom_centroid = cvflag_atom && any ? cvatom[0] : nullptr;
  return results;
}

/// Error: compute */tally needs a call per pair, which this style does not make.
void EnginePair::add_tally_callback(Compute *compute) {
  error->all(FLERR, "Compute {} (style {}) is not supported by pair style {}; use the stock pair style", compute->id,
             compute->style, style_);
}

void EnginePair::renew_revision() { revision_ = new_revision(); }

std::vector<char> EnginePair::listed_types() const {
  if (!list || !list->ijskip) return {};
  const int n = atom->ntypes + 1;
  std::vector<char> listed(n * n, 0);
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j) listed[i * n + j] = !list->iskip[i] && !list->ijskip[i][j];
  return listed;
}

void EnginePair::require_init() const {
  if (!initialised_)
    error->all(FLERR, "Pair style {} was created after the run was set up; use 'run' without 'pre no'", style_);
}

bool EnginePair::all_pairs_listed() const {
  return !neighbor->includegroup && !neighbor->nex_type && !neighbor->nex_group && !neighbor->nex_mol;
}

bool EnginePair::all_pairs_count() const {
  for (const Fix *fix : modify->get_fix_list())
    if (fix->force_reneighbor && !balances_at_times(fix)) return false;
  return all_pairs_listed() && !lmp->kokkos && atom->molecular == Atom::ATOMIC &&
         !utils::strmatch(update->integrate_style, "^respa");
}
