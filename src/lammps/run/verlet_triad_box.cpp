// run_style verlet/triad: the box of lists, and what a changed box means for displacements and lists.
#include <algorithm>

#include "comm.h"
#include "domain.h"
#include "engine/tuning.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/domain_box.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;

/// Largest allowed displacement of an atom: half the skin, less the displacements of two corners of the box. LAMMPS
/// uses the same limit, so lists are renewed in the same steps.
double VerletTriad::displacement_limit() const {
  if (!domain->box_change) return 0.5 * skin_;
  return 0.5 * std::max(0.0, skin_ - displacements_of_corners(box_at_list_, box_of(domain)));
}

/// True if displacements decide when LAMMPS's list is renewed.
bool VerletTriad::checks_displacements() const { return neighbor->dist_check && !neighbor->build_once; }

/// Largest allowed displacement of an atom in a batch that changes the box: that of the present box, less a reserve,
/// which the corners of the box may use up.
double VerletTriad::limit_in_changing_box() const { return std::max(0.0, displacement_limit() - box_reserve_ * skin_); }

/// How far the box may change in a batch with this limit. After that the batch ends, and list_is_due() decides.
triad::CornerLimit VerletTriad::corner_limit() const {
  triad::CornerLimit corners;
  corners.limits = checks_displacements();
  corners.most = skin_ - 2 * limit_in_changing_box();
  corners.at_list = box_at_list_;
  return corners;
}

/// Sets the limits of a batch that changes the box. Without a barostat, the boxes of all steps are known.
void VerletTriad::limit_box(triad::StepBatch &batch) const {
  batch.list.box = nullptr;
  batch.list.limit = limit_in_changing_box();
  if (batch.has_barostat()) {
    batch.nose_hoover[0]->barostat.corners = corner_limit();
    return;
  }
  double most = 0;
  for (bigint k = 0; k < batch.n_steps; ++k)
    most = std::max(most, displacements_of_corners(box_at_list_, batch.box_path->steps.at(k).box));
  batch.list.limit = 0.5 * std::max(0.0, skin_ - most);
}

/// To be called before box_at_list_ changes. Chooses a reserve with which the corners of the box may move 1.5 times as
/// far as since the last list: lists of a liquid last for few steps, in which the box changes little.
void VerletTriad::choose_box_reserve() {
  const double change = displacements_of_corners(box_at_list_, box_of(domain)), most = triad::tuning::box_reserve;
  box_reserve_shrunk_ = false;
  box_reserve_ = change > 0 ? std::clamp(0.75 * change / skin_, triad::tuning::least_box_reserve, most) : most;
}

/// To be called if a batch that changes the box has stopped although no list is due: the box has used up the reserve,
/// or an atom has moved nearly as far as the list allows. Where another reserve does not help, hooks do.
void VerletTriad::note_vain_batch(const triad::StepBatch &batch, bigint completed) {
  using namespace triad::tuning;
  const bool exceeded = batch.has_barostat() && batch.nose_hoover[0]->barostat.corners.exceeded(box_of(domain));
  if (exceeded && box_reserve_ < box_reserve && !(completed == 0 && box_reserve_shrunk_)) {
    box_reserve_ = std::min(box_reserve, box_reserve_ * box_reserve_factor);
  } else if (!exceeded && completed == 0 && box_reserve_ > least_box_reserve) {
    box_reserve_ = std::max(least_box_reserve, box_reserve_ / box_reserve_factor);
    box_reserve_shrunk_ = true;
  } else if (completed == 0) {
    by_hooks_until_ = update->ntimestep + steps_by_hooks;
  }
}

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
  const BoxEdges edges(domain);
  for (int d = 0; d < 3; ++d) {
    box.low[d] = domain->boxlo[d];
    std::copy_n(edges.edge[d], 3, box.edge[d]);
    box.periodic[d] = domain->periodicity[d];
  }
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
