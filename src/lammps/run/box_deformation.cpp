#include "lammps/run/box_deformation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "update.h"

using namespace LAMMPS_NS;

std::string LAMMPS_NS::unsupported_deformation(LAMMPS *lmp, int narg, char **arg) {
  if (lmp->domain->triclinic) return "a tilted box";
  if (narg < 2 || std::strcmp(arg[1], "all") != 0) return "a group other than all";
  for (int k = 4; k < narg; ++k) {
    for (const char *const word : {"xy", "xz", "yz", "variable"})
      if (std::strcmp(arg[k], word) == 0) return word;
    if (std::strcmp(arg[k], "remap") == 0 && k + 1 < narg && std::strcmp(arg[k + 1], "x") != 0)
      return std::string("remap ") + arg[k + 1];
  }
  return "";
}

bool LAMMPS_NS::deforms_box(const Fix *fix) { return std::strcmp(fix->style, "deform/triad") == 0; }

namespace {

triad::BoxStep present_box(const LAMMPS *lmp) {
  triad::BoxStep box;
  std::copy_n(lmp->domain->boxlo, 3, box.low);
  std::copy_n(lmp->domain->boxhi, 3, box.high);
  return box;
}

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

void update_box(Domain *domain) {
  domain->set_global_box();
  domain->set_local_box();
}

/// Restores LAMMPS's box and its rates when the object is destroyed.
class KeptBox {
 public:
  explicit KeptBox(const LAMMPS *lmp) : domain_(lmp->domain), box_(present_box(lmp)) {
    std::copy_n(domain_->h_rate, 6, rate_);
    std::copy_n(domain_->h_ratelo, 3, rate_of_low_);
  }
  ~KeptBox() {
    std::copy_n(box_.low, 3, domain_->boxlo);
    std::copy_n(box_.high, 3, domain_->boxhi);
    update_box(domain_);
    std::copy_n(rate_, 6, domain_->h_rate);
    std::copy_n(rate_of_low_, 3, domain_->h_ratelo);
  }
  KeptBox(const KeptBox &) = delete;
  KeptBox &operator=(const KeptBox &) = delete;

 private:
  Domain *domain_;
  triad::BoxStep box_;
  double rate_[6], rate_of_low_[3];
};

}  // namespace

void LAMMPS_NS::deform_box(LAMMPS *lmp, triad::MdEngine &engine, Fix *fix) {
  const triad::BoxStep before = present_box(lmp);
  deform_without_atoms(lmp, fix);
  if (lmp->domain->triclinic) lmp->error->all(FLERR, "Fix {} does not support a tilted box", fix->style);
  triad::BoxStep now = present_box(lmp);
  const int shifted = now.set_dilation(before);
  if (shifted >= 0)
    lmp->error->all(FLERR, "Fix {} does not support a box that is shifted along {}; use 'suffix off' before the fix",
                    fix->style, "xyz"[shifted]);
  const double factor[3] = {1 + now.growth[0], 1 + now.growth[1], 1 + now.growth[2]};
  engine.queue_dilate(now.fixed, factor);
}

triad::BoxPath LAMMPS_NS::path_of_box(LAMMPS *lmp, Fix *fix, bigint first, bigint n,
                                      const triad::CornerLimit &corners) {
  const KeptBox guard(lmp);
  triad::BoxPath path;
  const int axes[3] = {Fix::BOX_CHANGE_X, Fix::BOX_CHANGE_Y, Fix::BOX_CHANGE_Z};
  for (int d = 0; d < 3; ++d) path.deforms[d] = fix->box_change & axes[d];
  path.steps.push_back(present_box(lmp));
  for (bigint step = first; step < first + n - 1; ++step) {
    const triad::BoxStep before = path.steps.back();
    deform_in_step(lmp, fix, step);
    triad::BoxStep box = present_box(lmp);
    if (box.set_dilation(before) >= 0 || corners.exceeded(box.low, box.high)) break;
    path.steps.push_back(box);
  }
  return path;
}

void LAMMPS_NS::set_box(LAMMPS *lmp, Fix *fix, bigint first, const triad::BoxPath &path, bigint k) {
  const bigint last = first - 1 + k, acting = last - last % fix->nevery;  // the last step in which the fix has acted
  if (acting < first) return;
  const triad::BoxStep &before = path.steps[acting - first];
  Domain *const domain = lmp->domain;
  for (int d = 0; d < 3; ++d) {
    if (!path.deforms[d]) continue;
    domain->boxlo[d] = before.low[d];
    domain->boxhi[d] = before.high[d];
  }
  update_box(domain);
  deform_in_step(lmp, fix, acting);
}
