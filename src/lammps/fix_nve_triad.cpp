#include "lammps/fix_nve_triad.h"

#include "atom.h"
#include "error.h"
#include "force.h"
#include "update.h"

using namespace LAMMPS_NS;

FixNVETriad::FixNVETriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg) {
  if (narg != 3) error->all(FLERR, "Fix nve/triad takes no arguments, but {} were given", narg - 3);
  dynamic_group_allow = 1;
  time_integrate = 1;
}

int FixNVETriad::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE; }

void FixNVETriad::init() {
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "Fix nve/triad does not work with run_style respa; use fix nve");
  reset_dt();
}

void FixNVETriad::reset_dt() { half_kick_ = 0.5 * update->dt * force->ftm2v; }

/// Calls work(i, half_kick / m) for the atoms of the group.
template <class Work>
void FixNVETriad::for_group(Work &&work) const {
  const int n = igroup == atom->firstgroup ? atom->nfirst : atom->nlocal;
  for (int i = 0; i < n; ++i)
    if (atom->mask[i] & groupbit) work(i, half_kick_ / (atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]));
}

void FixNVETriad::initial_integrate(int) {
  for_group([&](int i, double kick) {
    for (int k = 0; k < 3; ++k) {
      atom->v[i][k] += kick * atom->f[i][k];
      atom->x[i][k] += update->dt * atom->v[i][k];
    }
  });
}

void FixNVETriad::final_integrate() {
  for_group([&](int i, double kick) {
    for (int k = 0; k < 3; ++k) atom->v[i][k] += kick * atom->f[i][k];
  });
}

bool FixNVETriad::plain_verlet(triad::VerletGroup &group) const {
  group = {groupbit, half_kick_, update->dt};
  return true;
}

void FixNVETriad::resident_initial_integrate(triad::Stepper &stepper, int) {
  stepper.kick(groupbit, half_kick_);
  stepper.drift(groupbit, update->dt);
}

void FixNVETriad::resident_final_integrate(triad::Stepper &stepper) { stepper.kick(groupbit, half_kick_); }
