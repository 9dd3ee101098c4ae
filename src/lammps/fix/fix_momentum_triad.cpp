#include "lammps/fix/fix_momentum_triad.h"

#include <algorithm>
#include <cmath>

#include "atom.h"
#include "error.h"
#include "group.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"

using namespace LAMMPS_NS;

std::string FixMomentumTriad::unsupported(LAMMPS *, int narg, char **arg) {
  const auto is_angular = [](const char *word) { return std::string(word) == "angular"; };
  return std::any_of(arg + 3, arg + narg, is_angular) ? "angular" : "";
}

FixMomentumTriad::FixMomentumTriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), motion_(lmp, groupbit) {
  dynamic_group_allow = 1;
  read_settings(lmp, "fix momentum/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    nevery = words.whole_number_from(1, "interval");
    const auto read_linear = [&] {
      for (bool &along : along_) along = words.logical();
    };
    while (!words.done()) {
      if (words.peek() == "angular") words.reject_unsupported("angular");
      words.keyword({{"linear", read_linear}, {"rescale", [&] { rescale_ = true; }}});
    }
    if (!words.given("linear")) words.reject("needs the keyword linear");
  });
}

int FixMomentumTriad::setmask() { return FixConst::END_OF_STEP; }

void FixMomentumTriad::init() {
  if (!group->dynamic[igroup] && group->count(igroup) == 0)
    error->all(FLERR, "Fix momentum/triad: group {} has no atoms", group->names[igroup]);
}

/// Sums over all ranks.
triad::KineticSums FixMomentumTriad::total_sums() const { return sum_over_ranks(motion_.kinetic(), world); }

void FixMomentumTriad::end_of_step() {
  const triad::KineticSums sums = total_sums();
  if (sums.mass == 0) return;  // a dynamic group may be empty
  double before = 0, after = 0, difference[3];
  for (int d = 0; d < 3; ++d) {
    difference[d] = along_[d] ? -sums.mv[d] / sums.mass : 0;
    before += sums.mvv[d];
    after += sums.mvv[d] + difference[d] * (2 * sums.mv[d] + difference[d] * sums.mass);
  }
  motion_.add_velocity(difference);
  if (!rescale_ || !(after > 0)) return;
  const double factor = std::sqrt(before / after);
  motion_.scale_velocities({factor, factor, factor});
}

void FixMomentumTriad::engine_end_of_step(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}
