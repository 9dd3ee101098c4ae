// fix momentum/triad: stock fix momentum for linear momentum. Under run_style verlet/triad the fix acts on the engine's
// atoms.
#pragma once

#include <string>

#include "fix.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixMomentumTriad : public Fix, public EngineFix {
 public:
  FixMomentumTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void end_of_step() override;

  bool join(triad::StepBatch &) override { return false; }
  void engine_end_of_step(triad::MdEngine &engine) override;

 private:
  triad::KineticSums total_sums() const;

  AtomMotion motion_;
  bool along_[3] = {};
  bool rescale_ = false;
};

}  // namespace LAMMPS_NS
