#include "lammps/fix/force_change/fix_viscous_triad.h"

#include "atom.h"
#include "lammps/util/settings.h"

using namespace LAMMPS_NS;

FixViscousTriad::FixViscousTriad(LAMMPS *lmp, int narg, char **arg) : FixForceChange(lmp, narg, arg) {
  read_settings(lmp, "fix viscous/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    const double gamma = words.number("gamma");
    drag_.assign(atom->ntypes + 1, gamma);
    const auto read_scale = [&] {
      const int type = words.whole_number("scale type");
      if (type < 1 || type > atom->ntypes) words.reject("scale: there is no type " + std::to_string(type));
      drag_[type] = gamma * words.number();
    };
    words.keywords({{"scale", read_scale}});
  });
  change_.kind = triad::ForceChange::Kind::Drag;
  change_.drag = drag_.data();
  sums_ = triad::ForceSumKind::None;
}
