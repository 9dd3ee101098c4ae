#include "lammps/fix/heat/fix_heat_triad.h"

#include <cstring>
#include <utility>

#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "io/setting_reader.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "region.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixHeatTriad::FixHeatTriad(LAMMPS *lmp, int narg, char **arg, bool enhanced)
    : Fix(lmp, narg, arg), arguments_(arg, arg + narg), motion_(lmp, groupbit), enhanced_(enhanced), moves_(enhanced) {
  scalar_flag = global_freq = 1;
  extscalar = 0;
  read_settings(lmp, enhanced ? "fix ehex/triad" : "fix heat/triad", narg - 3, arg + 3,
                [&](triad::SettingReader &words) {
                  nevery = words.whole_number_from(1, "interval");
                  words.reject_variable("the flux");
                  flux_ = words.number("flux");
                  std::vector<triad::SettingKeyword> known = {{"region", [&] { region_ = words.word("region ID"); }}};
                  if (enhanced) {
                    known.push_back({"hex", [&] { moves_ = false; }});
                    for (const char *const keyword : {"constrain", "com"})
                      known.push_back({keyword, [&words, keyword] { words.reject_unsupported(keyword); }});
                  }
                  words.keywords(known);
                });
  if (!region_.empty() && !domain->get_region_by_id(region_))
    error->all(FLERR, "Region {} for fix {} does not exist", region_, style);
}

/// Numbers that ours refuses are left to stock, which has its own rules.
std::string FixHeatTriad::unsupported(LAMMPS *, int narg, char **arg) {
  if (narg > 4 && utils::strmatch(arg[4], "^v_")) return "a variable for the flux";
  for (int k = 5; k < narg; ++k)
    if (std::strcmp(arg[k], "constrain") == 0 || std::strcmp(arg[k], "com") == 0) return arg[k];
  const bool valid = narg > 4 && utils::is_integer(arg[3]) && arg[3][0] != '-' && utils::is_double(arg[4]);
  return valid ? "" : "these arguments";
}

int FixHeatTriad::setmask() { return FixConst::END_OF_STEP; }

void FixHeatTriad::init() {
  if (stock_takes_over(lmp, this)) return;
  if (!region_.empty() && !domain->get_region_by_id(region_))
    error->all(FLERR, "Region {} for fix {} does not exist", region_, style);
  if (group->count(igroup) == 0)
    error->all(FLERR, "Group {} of fix {} {} has no atoms", group->names[igroup], id, style);
  mass_ = group->mass(igroup);
}

/// Only a block that keeps its shape is known to the engines.
std::string FixHeatTriad::needs_stock() const {
  if (region_.empty()) return "";
  const Region *const region = domain->get_region_by_id(region_);
  if (!region) return "";  // init() writes the error
  if (std::strcmp(region->style, "block") != 0) return std::string("a region of style ") + region->style;
  if (!region->interior) return "a region with side out";
  if (region->openflag) return "a region with open faces";
  if (region->dynamic || region->varshape) return "a region that moves or changes its shape";
  if (enhanced_ && domain->triclinic) return "a region in a triclinic box";
  return "";
}

std::vector<std::string> FixHeatTriad::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  return all;
}

/// The region, whose bounding box is the block itself.
triad::BlockRegion FixHeatTriad::block() const {
  triad::BlockRegion block;
  if (region_.empty()) return block;
  const Region *const region = domain->get_region_by_id(region_);
  block.everywhere = false;
  const EngineRun *const run = engine_run(lmp);
  const bool wraps = enhanced_ || (run && run->atoms_stay_outside());
  const double low[3] = {region->extent_xlo, region->extent_ylo, region->extent_zlo};
  const double high[3] = {region->extent_xhi, region->extent_yhi, region->extent_zhi};
  for (int d = 0; d < 3; ++d) {
    block.low[d] = low[d];
    block.high[d] = high[d];
    block.wraps[d] = wraps && domain->periodicity[d];
    block.box_low[d] = domain->boxlo[d];
    block.box_high[d] = domain->boxhi[d];
  }
  return block;
}

triad::EndOfStep FixHeatTriad::action() const {
  triad::EndOfStep action;
  action.group_bit = action.measured_bit = groupbit;
  action.every = nevery;
  action.block = block();
  action.heat = flux_ * nevery * update->dt * force->ftm2v;
  action.corrected = moves_ ? update->dt : 0;
  action.ftm2v = force->ftm2v;
  action.fixed_mass = enhanced_ || !region_.empty() ? 0 : mass_;
  action.factor = factor_;
  if (enhanced_) action.most_factor = 10;  // as in stock, whose bound is that of the kinetic energy
  return action;
}

void FixHeatTriad::end_of_step() {
  triad::EndOfStep action = this->action();
  const triad::ExchangeSums sums = sum_over_ranks(motion_.sum_exchange(action.block), world);
  const triad::HeatExchange change = action.decide(sums, update->ntimestep);
  take(action);
  motion_.exchange_heat(action.block, change);
}

/// Takes the results of an action.
void FixHeatTriad::take(const triad::EndOfStep &action) {
  if (action.failed)
    error->all(FLERR,
               "Fix {} {} cannot exchange its heat in or before step {}: group {}{} has fewer than two atoms, or less "
               "kinetic energy than the fix takes away{}; check the group{} and the flux",
               id, style, update->ntimestep, group->names[igroup], region_.empty() ? "" : " in region " + region_,
               enhanced_ ? ", or so little that the fix would multiply the kinetic energy by more than 100" : "",
               region_.empty() ? "" : ", the region");
  factor_ = action.factor;
}

bool FixHeatTriad::join_ends_of_steps(triad::StepBatch &batch) {
  if (!engine_run(lmp)->takes_ends_of_steps(batch)) return false;
  in_batch_ = action();
  batch.ends.push_back(&in_batch_);
  return true;
}

void FixHeatTriad::finish_batch(bool whole) {
  take(in_batch_);
  ended_in_batch_ = whole && in_batch_.acts(update->ntimestep);
}

void FixHeatTriad::engine_end_of_step(triad::MdEngine &engine) {
  if (std::exchange(ended_in_batch_, false)) return;
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}
