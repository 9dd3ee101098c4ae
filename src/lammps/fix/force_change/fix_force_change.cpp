#include "lammps/fix/force_change/fix_force_change.h"

#include <algorithm>

#include "force.h"
#include "io/setting_reader.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/rank_sums.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;
using triad::ForceChange;
using triad::ForceSumKind;

FixForceChange::FixForceChange(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), motion_(lmp, groupbit), arguments_(arg, arg + narg) {
  dynamic_group_allow = 1;
  respa_level_support = 1;  // as in the stock fixes, which take the level if they replace this fix
  change_.group_bit = groupbit;
}

std::string FixForceChange::unsupported_word(int narg, char **arg, const std::vector<std::string> &keywords) {
  for (int k = 3; k < narg; ++k) {
    if (utils::strmatch(arg[k], "^v_")) return "a variable for the force";
    if (std::find(keywords.begin(), keywords.end(), arg[k]) != keywords.end()) return arg[k];
  }
  return "";
}

void FixForceChange::declare_force_vector() {
  vector_flag = 1;
  size_vector = 3;
  global_freq = 1;
  extvector = 1;
}

int FixForceChange::setmask() { return FixConst::POST_FORCE | FixConst::MIN_POST_FORCE; }

void FixForceChange::init() { stock_takes_over(lmp, this); }

std::string FixForceChange::needs_stock() const {
  return utils::strmatch(update->integrate_style, "^respa") ? "run_style respa" : "";
}

std::vector<std::string> FixForceChange::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  return all;
}

void FixForceChange::take(const triad::ForceSums &mine, int vflag) {
  mine_ = mine;
  summed_ = false;
  take_sums(mine_, vflag);
}

const triad::ForceSums &FixForceChange::sums_of_all_ranks() {
  if (summed_) return all_;
  all_ = sum_over_ranks(mine_, world);
  summed_ = true;
  return all_;
}

double FixForceChange::compute_vector(int n) { return sums_of_all_ranks().force[n]; }

void FixForceChange::post_force(int vflag) {
  if (sums_ != ForceSumKind::None) take(motion_.sum_forces(sums_ == ForceSumKind::ForcesAndPositions), vflag);
  if (change_.kind != ForceChange::Kind::Average) return motion_.change_forces(change_);
  const triad::ForceSums &all = sums_of_all_ranks();
  if (all.count == 0) return;  // a dynamic group may be empty
  ForceChange now = change_;
  now.kind = ForceChange::Kind::Set;
  for (int d = 0; d < 3; ++d) now.value[d] += all.mean(d);
  motion_.change_forces(now);
}

void FixForceChange::engine_post_force(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  post_force(vflag);
}

/// The noise of a Langevin thermostat comes after all changes of a batch, so a thermostat before this fix does not
/// allow batches.
bool FixForceChange::join(triad::StepBatch &batch) {
  const bool averages = change_.kind == ForceChange::Kind::Average;
  if (!batch.langevin.empty() || (averages && !engine_run(lmp)->sums_over_ranks())) return false;
  vflag_of_batch_ = batch.last.virial ? VIRIAL_PAIR : 0;
  batch_.change = change_;
  batch_.sums = sums_;
  batch.force_changes.push_back(&batch_);
  return true;
}

void FixForceChange::finish_batch(bool whole) {
  if (whole && sums_ != ForceSumKind::None) take(batch_.before, vflag_of_batch_);
}
