#include "lammps/fix/force_change/fix_setforce_triad.h"

#include <algorithm>

#include "error.h"
#include "lammps/util/settings.h"
#include "update.h"

using namespace LAMMPS_NS;
using triad::ForceChange;

FixSetForceTriad::FixSetForceTriad(LAMMPS *lmp, int narg, char **arg, ForceChange::Kind kind)
    : FixForceChange(lmp, narg, arg) {
  declare_force_vector();
  change_.kind = kind;
  const std::string command = kind == ForceChange::Kind::Set ? "fix setforce/triad" : "fix aveforce/triad";
  read_settings(lmp, command, narg - 3, arg + 3, [&](triad::SettingReader &words) {
    const char *const names[] = {"fx", "fy", "fz"};
    for (int d = 0; d < 3; ++d) {
      words.reject_variable("the force");
      change_.along[d] = words.done() || words.peek() != "NULL";
      if (change_.along[d])
        change_.value[d] = words.number(names[d]);
      else
        words.word();
    }
    words.keywords({{"region", [&] { words.reject_unsupported("region"); }}});
  });
}

/// In a minimisation, a constant force would have an energy, which setforce does not compute.
void FixSetForceTriad::init() {
  const bool sets = change_.kind == ForceChange::Kind::Set;
  const auto is_zero = [](double value) { return value == 0; };
  if (sets && update->whichflag == 2 && !std::all_of(change_.value, change_.value + 3, is_zero))
    error->all(FLERR, "Cannot use non-zero forces in an energy minimization");
  FixForceChange::init();
}
