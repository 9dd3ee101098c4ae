// fix heat/triad and ehex/triad: stock fix heat and ehex with a constant flux, which exchange heat with a group of
// atoms or with those of the group in a block. Under run_style verlet/triad the engine sums and changes the atoms.
#pragma once

#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixHeatTriad : public Fix, public EngineFix, public StockFallback {
 public:
  FixHeatTriad(LAMMPS *lmp, int narg, char **arg) : FixHeatTriad(lmp, narg, arg, false) {}
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void end_of_step() override;
  double compute_scalar() override { return factor_; }  ///< factor of the velocities in the last exchange

  bool join(triad::StepBatch &) override { return false; }  // has no hook of every step
  bool join_ends_of_steps(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  void engine_end_of_step(triad::MdEngine &engine) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;

 protected:
  /// `enhanced`: fix ehex/triad, which wraps atoms into the box before it compares them with the block.
  FixHeatTriad(LAMMPS *lmp, int narg, char **arg, bool enhanced);

 private:
  triad::BlockRegion block() const;
  triad::EndOfStep action() const;
  void take(const triad::EndOfStep &action);

  const std::vector<std::string> arguments_;  // of the fix command
  AtomMotion motion_;
  const bool enhanced_;
  bool moves_;  // positions are corrected
  double flux_ = 0;
  std::string region_;
  double mass_ = 0;  // of the group in init(), which fix heat uses during the run although atoms may get lost
  double factor_ = 1;
  triad::EndOfStep in_batch_;
  bool ended_in_batch_ = false;  // the batch has made the exchange of its last step
};

class FixEhexTriad : public FixHeatTriad {
 public:
  FixEhexTriad(LAMMPS *lmp, int narg, char **arg) : FixHeatTriad(lmp, narg, arg, true) {}
};

}  // namespace LAMMPS_NS
