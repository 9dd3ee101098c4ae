// fix viscous/triad: stock fix viscous, a drag force against the velocity.
#pragma once

#include <string>
#include <vector>

#include "lammps/fix/force_change/fix_force_change.h"

namespace LAMMPS_NS {

class FixViscousTriad : public FixForceChange {
 public:
  FixViscousTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *, int, char **) { return ""; }

 private:
  std::vector<double> drag_;  // [types + 1] force / velocity
};

}  // namespace LAMMPS_NS
