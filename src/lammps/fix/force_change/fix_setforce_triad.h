// fix setforce/triad and aveforce/triad: stock fix setforce and aveforce with constant values.
#pragma once

#include <string>

#include "lammps/fix/force_change/fix_force_change.h"

namespace LAMMPS_NS {

class FixSetForceTriad : public FixForceChange {
 public:
  FixSetForceTriad(LAMMPS *lmp, int narg, char **arg)
      : FixSetForceTriad(lmp, narg, arg, triad::ForceChange::Kind::Set) {}
  static std::string unsupported(LAMMPS *, int narg, char **arg) { return unsupported_word(narg, arg, {"region"}); }
  void init() override;

 protected:
  FixSetForceTriad(LAMMPS *lmp, int narg, char **arg, triad::ForceChange::Kind kind);
};

class FixAveForceTriad : public FixSetForceTriad {
 public:
  FixAveForceTriad(LAMMPS *lmp, int narg, char **arg)
      : FixSetForceTriad(lmp, narg, arg, triad::ForceChange::Kind::Average) {}
};

}  // namespace LAMMPS_NS
