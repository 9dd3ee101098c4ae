#include "lammps/pair/engine_pair.h"

#include "atom.h"
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
  if (other_)
    std::exchange(other_, nullptr)();
  else
    add_forces();
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
