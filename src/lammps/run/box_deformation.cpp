#include "lammps/run/box_deformation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "lammps/util/domain_box.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

std::string LAMMPS_NS::unsupported_deformation(LAMMPS *, int narg, char **arg) {
  if (narg < 2 || std::strcmp(arg[1], "all") != 0) return "a group other than all";
  for (int k = 4; k < narg; ++k) {
    if (std::strcmp(arg[k], "variable") == 0) return arg[k];
    if (std::strcmp(arg[k], "remap") == 0 && k + 1 < narg && std::strcmp(arg[k + 1], "x") != 0)
      return std::string("remap ") + arg[k + 1];
  }
  return "";
}

bool LAMMPS_NS::deforms_box(const Fix *fix) { return std::strcmp(fix->style, "deform/triad") == 0; }

bool LAMMPS_NS::heat_current_takes_tallies(const LAMMPS *lmp, const triad::MdEngine &engine) {
  const std::vector<Fix *> &fixes = lmp->modify->get_fix_list();
  return engine.heat_current_takes_tallies() || std::any_of(fixes.begin(), fixes.end(), deforms_box);
}

void LAMMPS_NS::require_deformation_behind(const LAMMPS *lmp, const Fix *fix) {
  for (const Fix *other : lmp->modify->get_fix_list()) {
    if (other == fix) return;
    if (deforms_box(other))
      lmp->error->all(FLERR, "Fix {} moves the atoms before fix {} ({}) reads heat currents; define fix {} behind it",
                      other->id, fix->id, fix->style, other->id);
  }
}

namespace {

/// Calls end_of_step() of the fix without atoms: the fix also moves LAMMPS's atoms, whose positions are stale.
void deform_without_atoms(LAMMPS *lmp, Fix *fix) {
  struct Count {
    int &atoms;
    const int kept;
    ~Count() { atoms = kept; }
  } const guard = {lmp->atom->nlocal, lmp->atom->nlocal};
  guard.atoms = 0;
  fix->end_of_step();
}

/// Calls deform_without_atoms() as in step `step`, if the fix acts in this step. Restores LAMMPS's number of the step.
void deform_in_step(LAMMPS *lmp, Fix *fix, bigint step) {
  if (step % fix->nevery != 0) return;
  struct Step {
    bigint &step;
    const bigint kept;
    ~Step() { step = kept; }
  } const guard = {lmp->update->ntimestep, lmp->update->ntimestep};
  guard.step = step;
  deform_without_atoms(lmp, fix);
}

/// True if the next action of the fix may take a tilt beyond half of an edge. LAMMPS's fix then decides on a flip,
/// which it makes at the start of the next step, when lists are renewed; a batch must not contain such a step. Tilts
/// that change have a margin of 0.01 edges, because LAMMPS knows the rates of some styles only after their first
/// action.
bool may_flip(const LAMMPS *lmp, const Fix *fix) {
  if (!fix->force_reneighbor) return false;  // without changes of tilts, and with flip no
  const double *const h = lmp->domain->h, *const rate = lmp->domain->h_rate;
  const double time = 2 * fix->nevery * lmp->update->dt;  // twice as long as needed, since rates change
  const int flags[3] = {Fix::BOX_CHANGE_YZ, Fix::BOX_CHANGE_XZ, Fix::BOX_CHANGE_XY}, axis[3] = {1, 0, 0};
  for (int t = 0; t < 3; ++t) {
    const double tilt = std::fabs(h[3 + t]) + time * std::fabs(rate[3 + t]);
    const double edge = h[axis[t]] - time * std::fabs(rate[axis[t]]);
    if (tilt > (fix->box_change & flags[t] ? 0.49 : 0.5) * edge) return true;
  }
  return false;
}

}  // namespace

void LAMMPS_NS::deform_box(LAMMPS *lmp, triad::MdEngine &engine, Fix *fix) {
  const triad::Box before = box_of(lmp->domain);
  deform_without_atoms(lmp, fix);
  engine.queue_box_change(change_of_box(before, box_of(lmp->domain)));
}

triad::BoxPath LAMMPS_NS::path_of_box(LAMMPS *lmp, Fix *fix, bigint first, bigint n, double largest) {
  Domain *const domain = lmp->domain;
  const KeptBox guard(domain);
  triad::BoxPath path;
  const int axes[3] = {Fix::BOX_CHANGE_X, Fix::BOX_CHANGE_Y, Fix::BOX_CHANGE_Z};
  for (int d = 0; d < 3; ++d) path.deforms[d] = fix->box_change & axes[d];
  path.add(box_of(domain));
  for (bigint step = first; step < first + n - 1; ++step) {
    if (may_flip(lmp, fix)) break;
    deform_in_step(lmp, fix, step);
    const triad::Box box = box_of(domain);
    if (displacements_of_corners(path.steps.back().box, box) > largest) break;
    path.add(box);
  }
  return path;
}

void LAMMPS_NS::set_box(LAMMPS *lmp, Fix *fix, bigint first, const triad::BoxPath &path, bigint k) {
  const bigint last = first - 1 + k, acting = last - last % fix->nevery;  // the last step in which the fix has acted
  if (acting < first) return;
  triad::Box box = box_of(lmp->domain);
  set_axes_of_path(path.deforms, path.steps[acting - first].box, box);
  set_box_of(lmp->domain, box);
  deform_in_step(lmp, fix, acting);
}
