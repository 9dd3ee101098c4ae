// fix nve/triad: velocity Verlet, on the stepper's atoms under run_style verlet/triad and on LAMMPS's arrays under
// run_style verlet.
#pragma once

#include <string>

#include "fix.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixNVETriad final : public Fix, public ResidentFix {
 public:
  FixNVETriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *, int, char **) { return ""; }

  int setmask() override;
  void init() override;
  void initial_integrate(int vflag) override;
  void final_integrate() override;

  bool join(triad::StepBatch &batch) override;
  void resident_initial_integrate(triad::Stepper &stepper, int vflag) override;
  void resident_final_integrate(triad::Stepper &stepper) override;

 private:
  double half_kick() const;

  AtomMotion motion_;
};

}  // namespace LAMMPS_NS
