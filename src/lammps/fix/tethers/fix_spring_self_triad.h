// fix spring/self/triad: stock fix spring/self with a constant stiffness.
#pragma once

#include <string>
#include <vector>

#include "dynamics/force_change.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/fix/tethers/original_positions.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixSpringSelfTriad : public FixWithOriginalPositions, public EngineFix, public StockFallback {
 public:
  FixSpringSelfTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void setup(int vflag) override { post_force(vflag); }
  void min_setup(int vflag) override { post_force(vflag); }
  void post_force(int vflag) override;
  void min_post_force(int vflag) override { post_force(vflag); }
  double compute_scalar() override;  ///< energy of the springs

  bool on_engine() const override { return engine_can_take_positions(); }
  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  void engine_post_force(triad::MdEngine &engine, int vflag) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;

 private:
  const std::vector<std::string> arguments_;  // of the fix command
  AtomMotion motion_;
  triad::ForceChange spring_;
  triad::ForceChangeBatch batch_;
  double stretch_ = 0;  // of the last step, see ForceSums
};

}  // namespace LAMMPS_NS
