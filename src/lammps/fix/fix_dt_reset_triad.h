// fix dt/reset/triad: stock fix dt/reset, which fits the time step to the fastest atom. Under run_style verlet/triad
// the engine finds that atom.
#pragma once

#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixDtResetTriad : public Fix, public EngineFix, public StockFallback {
 public:
  FixDtResetTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;

  int setmask() override;
  void init() override;
  void setup(int) override { end_of_step(); }
  void end_of_step() override;
  double compute_scalar() override { return static_cast<double>(last_change_); }  ///< step of the last change

  bool join(triad::StepBatch &) override { return false; }  // has no hook that batches would replace
  void engine_end_of_step(triad::MdEngine &engine) override;

 private:
  AtomMotion motion_;
  const std::vector<std::string> arguments_;
  double shortest_ = 0, longest_ = triad::StepLimits::none;
  double distance_ = 0, energy_ = 0;
  bigint last_change_;
};

}  // namespace LAMMPS_NS
