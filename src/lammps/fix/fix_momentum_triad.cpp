#include "lammps/fix/fix_momentum_triad.h"

#include <algorithm>
#include <utility>

#include "atom.h"
#include "error.h"
#include "group.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "update.h"

using namespace LAMMPS_NS;

std::string FixMomentumTriad::unsupported(LAMMPS *, int narg, char **arg) {
  const auto is_angular = [](const char *word) { return std::string(word) == "angular"; };
  return std::any_of(arg + 3, arg + narg, is_angular) ? "angular" : "";
}

FixMomentumTriad::FixMomentumTriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), motion_(lmp, groupbit) {
  dynamic_group_allow = 1;
  action_.kind = triad::EndOfStep::Kind::MomentumRemoval;
  action_.group_bit = action_.measured_bit = groupbit;
  read_settings(lmp, "fix momentum/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    nevery = action_.every = words.whole_number_from(1, "interval");
    const auto read_linear = [&] {
      for (bool &along : action_.along) along = words.logical();
    };
    while (!words.done()) {
      if (words.peek() == "angular") words.reject_unsupported("angular");
      words.keyword({{"linear", read_linear}, {"rescale", [&] { action_.keeps_energy = true; }}});
    }
    if (!words.given("linear")) words.reject("needs the keyword linear");
  });
}

int FixMomentumTriad::setmask() { return FixConst::END_OF_STEP; }

void FixMomentumTriad::init() {
  if (!group->dynamic[igroup] && group->count(igroup) == 0)
    error->all(FLERR, "Fix momentum/triad: group {} has no atoms", group->names[igroup]);
}

void FixMomentumTriad::end_of_step() {
  const triad::ExchangeSums sums = sum_over_ranks(motion_.sum_exchange(action_.block), world);
  motion_.exchange_heat(action_.block, action_.decide(sums, update->ntimestep));
}

bool FixMomentumTriad::join_ends_of_steps(triad::StepBatch &batch) {
  if (!engine_run(lmp)->takes_ends_of_steps(batch)) return false;
  batch.ends.push_back(&action_);
  return true;
}

void FixMomentumTriad::finish_batch(bool whole) { ended_in_batch_ = whole && action_.acts(update->ntimestep); }

void FixMomentumTriad::engine_end_of_step(triad::MdEngine &engine) {
  if (std::exchange(ended_in_batch_, false)) return;
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}
