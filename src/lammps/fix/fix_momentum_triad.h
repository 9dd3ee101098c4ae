// fix momentum/triad: stock fix momentum for linear momentum. Under run_style verlet/triad the fix acts on the engine's
// atoms.
#pragma once

#include <string>

#include "dynamics/end_of_step.h"
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

  bool join(triad::StepBatch &) override { return false; }  // has no hook of every step
  bool join_ends_of_steps(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  void engine_end_of_step(triad::MdEngine &engine) override;

 private:
  AtomMotion motion_;
  triad::EndOfStep action_;
  bool ended_in_batch_ = false;  // the batch has acted in its last step
};

}  // namespace LAMMPS_NS
