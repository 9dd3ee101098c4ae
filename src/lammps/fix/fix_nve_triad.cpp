#include "lammps/fix/fix_nve_triad.h"

#include "force.h"
#include "group.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/settings.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixNVETriad::FixNVETriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), motion_(lmp, groupbit) {
  read_no_settings(lmp, "fix nve/triad", narg - 3, arg + 3);
  dynamic_group_allow = 1;
  time_integrate = 1;
}

int FixNVETriad::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE; }

void FixNVETriad::init() { stock_takes_over(lmp, this); }

std::string FixNVETriad::needs_stock() const {
  return utils::strmatch(update->integrate_style, "^respa") ? "run_style respa" : "";
}

std::vector<std::string> FixNVETriad::stock_arguments() const { return {id, group->names[igroup], "nve"}; }

/// Returns dt / 2 in units that convert force / mass to velocity.
double FixNVETriad::half_kick() const { return 0.5 * update->dt * force->ftm2v; }

void FixNVETriad::initial_integrate(int) {
  motion_.kick(half_kick());
  motion_.drift(update->dt);
}

void FixNVETriad::final_integrate() { motion_.kick(half_kick()); }

bool FixNVETriad::join(triad::StepBatch &batch) {
  batch.groups.push_back({groupbit, half_kick(), update->dt});
  return true;
}

void FixNVETriad::engine_initial_integrate(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  initial_integrate(vflag);
}

void FixNVETriad::engine_final_integrate(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  final_integrate();
}
