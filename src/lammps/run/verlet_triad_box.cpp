// run_style verlet/triad: the box of lists, and what a changed box means for displacements and lists.
#include <algorithm>

#include "comm.h"
#include "domain.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/domain_box.h"
#include "neighbor.h"

using namespace LAMMPS_NS;

/// Largest allowed displacement of an atom. LAMMPS uses the same limit, so lists are renewed in the same steps.
double VerletTriad::displacement_limit() const {
  return domain->box_change ? box_limit_.limit_in(box_of(domain)) : 0.5 * skin_;
}

/// True if displacements decide when LAMMPS's list is renewed.
bool VerletTriad::checks_displacements() const { return neighbor->dist_check && !neighbor->build_once; }

/// Passes a box that has changed to the engine.
void VerletTriad::update_box_of_engine() {
  if (state_.engine_makes_lists())
    engine_->set_box(list_box());
  else
    engine_->set_shifts(halo_.shifts());
}

/// Adapts LAMMPS's data for ghosts and lists to a changed box. Atoms of a tilted box are in lamda coordinates.
void VerletTriad::fit_lists_to_box() const {
  if (!domain->box_change) return;
  domain->reset_box();
  comm->setup();
  if (neighbor->style) neighbor->setup_bins();
}

/// The box of the lists that the engine makes, and the part of it that belongs to this rank.
triad::ListBox VerletTriad::list_box() const {
  triad::ListBox box;
  box.set_box(box_of(domain));
  std::copy_n(domain->periodicity, 3, box.periodic);
  if (domain->dimension == 2) box.periodic[2] = false;  // LAMMPS makes no ghosts along z
  box.cutoff = neighbor->cutneighmax;
  const double *const split[3] = {comm->xsplit, comm->ysplit, comm->zsplit};
  for (int d = 0; d < 3; ++d) {
    box.divided[d] = comm->procgrid[d] > 1;
    if (!box.divided[d]) continue;
    box.part[d][0] = split[d][comm->myloc[d]];
    box.part[d][1] = split[d][comm->myloc[d] + 1];
  }
  return box;
}
