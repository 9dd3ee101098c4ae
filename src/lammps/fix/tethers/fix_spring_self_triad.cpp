#include "lammps/fix/tethers/fix_spring_self_triad.h"

#include <cstring>

#include "io/setting_reader.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/settings.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixSpringSelfTriad::FixSpringSelfTriad(LAMMPS *lmp, int narg, char **arg)
    : FixWithOriginalPositions(lmp, narg, arg), arguments_(arg, arg + narg), motion_(lmp, groupbit) {
  scalar_flag = global_freq = extscalar = energy_global_flag = respa_level_support = 1;
  spring_.group_bit = groupbit;
  spring_.kind = triad::ForceChange::Kind::Spring;
  read_settings(lmp, "fix spring/self/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    words.reject_variable("the stiffness");
    spring_.stiffness = words.positive("stiffness");
    if (words.done()) return;
    const std::string axes = words.choice<std::string>(
        {{"xyz", "xyz"}, {"xy", "xy"}, {"xz", "xz"}, {"yz", "yz"}, {"x", "x"}, {"y", "y"}, {"z", "z"}}, "direction");
    for (int d = 0; d < 3; ++d) spring_.along[d] = axes.find("xyz"[d]) != std::string::npos;
    words.keywords({});
  });
  follow_atoms();
}

/// Numbers that ours refuses are left to stock, which has its own rules.
std::string FixSpringSelfTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  if (narg > 3 && utils::strmatch(arg[3], "^v_")) return "a variable for the stiffness";
  const bool valid = (narg == 4 || narg == 5) && utils::is_double(arg[3]) &&
                     utils::numeric(FLERR, arg[3], false, lmp) > 0 &&
                     (narg == 4 || utils::strmatch(arg[4], "^x?y?z?$"));
  return valid ? "" : "these arguments";
}

int FixSpringSelfTriad::setmask() { return FixConst::POST_FORCE | FixConst::MIN_POST_FORCE; }

void FixSpringSelfTriad::init() { stock_takes_over(lmp, this); }

std::string FixSpringSelfTriad::needs_stock() const {
  return utils::strmatch(update->integrate_style, "^respa") ? "run_style respa" : "";
}

std::vector<std::string> FixSpringSelfTriad::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  return all;
}

void FixSpringSelfTriad::post_force(int) {
  if (motion_.engine())
    spring_.tethers = give_positions(*motion_.engine());
  else
    spring_.tether = wrapped_positions();
  stretch_ = motion_.sum_stretch(spring_).stretch;
  motion_.change_forces(spring_);
}

void FixSpringSelfTriad::engine_post_force(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  post_force(vflag);
}

/// The noise of a Langevin thermostat comes after all changes of a batch, so a thermostat before this fix does not
/// allow batches.
bool FixSpringSelfTriad::join(triad::StepBatch &batch) {
  if (!batch.langevin.empty()) return false;
  EngineRun &run = *engine_run(lmp);
  run.sync_engine(triad::field_x);
  spring_.tethers = give_positions(run.engine());
  batch_.change = spring_;
  batch_.sums = triad::ForceSumKind::Stretch;
  batch.force_changes.push_back(&batch_);
  return true;
}

void FixSpringSelfTriad::finish_batch(bool whole) {
  if (whole) stretch_ = batch_.before.stretch;
}

double FixSpringSelfTriad::compute_scalar() {
  const double mine = 0.5 * spring_.stiffness * stretch_;
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}
