// fix nve/triad: velocity Verlet, on the stepper's atoms under run_style verlet/triad and on LAMMPS's arrays under
// run_style verlet.
#pragma once

#include "fix.h"
#include "lammps/resident_fix.h"

namespace LAMMPS_NS {

class FixNVETriad final : public Fix, public ResidentFix {
 public:
  FixNVETriad(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void reset_dt() override;
  void initial_integrate(int vflag) override;
  void final_integrate() override;

  bool plain_verlet(triad::VerletGroup &group) const override;
  void resident_initial_integrate(triad::Stepper &stepper, int vflag) override;
  void resident_final_integrate(triad::Stepper &stepper) override;

 private:
  template <class Work>
  void for_group(Work &&work) const;

  double half_kick_ = 0;  // dt / 2 in units that turn force / mass into velocity
};

}  // namespace LAMMPS_NS
