// fix move/triad: stock fix move linear with a velocity along all three axes.
#pragma once

#include <string>
#include <vector>

#include "dynamics/linear_motion.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/fix/tethers/original_positions.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixMoveTriad : public FixWithOriginalPositions, public EngineFix, public StockFallback {
 public:
  FixMoveTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void initial_integrate(int vflag) override;
  void final_integrate() override {}
  void reset_dt() override;
  void write_restart(FILE *file) override;
  void restart(char *buffer) override;
  void grow_arrays(int nmax) override;
  void set_arrays(int i) override;

  bool on_engine() const override { return engine_can_take_positions(); }
  bool join(triad::StepBatch &batch) override;
  void engine_initial_integrate(triad::MdEngine &engine, int vflag) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;
  std::vector<double> stock_record() const override { return {double(origin_)}; }

 private:
  /// The motion with the displacement of a step.
  triad::LinearMotion at_step(bigint step) const;

  const std::vector<std::string> arguments_;  // of the fix command
  AtomMotion motion_;
  triad::LinearMotion linear_;
  bigint origin_;  // step without displacement
};

}  // namespace LAMMPS_NS
