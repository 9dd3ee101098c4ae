// fix addforce/triad: stock fix addforce with a constant force.
#pragma once

#include <string>

#include "lammps/fix/force_change/fix_force_change.h"

namespace LAMMPS_NS {

class FixAddForceTriad : public FixForceChange {
 public:
  FixAddForceTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *, int narg, char **arg) {
    return unsupported_word(narg, arg, {"region", "every", "energy"});
  }
  void post_force(int vflag) override;
  double compute_scalar() override;  ///< potential energy of the added force

 private:
  void take_sums(const triad::ForceSums &mine, int vflag) override;
  void tally_per_atom();

  double position_[3] = {0, 0, 0};  // sum of the unwrapped positions of this rank's atoms
};

}  // namespace LAMMPS_NS
