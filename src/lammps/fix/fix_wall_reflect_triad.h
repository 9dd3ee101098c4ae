// fix wall/reflect/triad: stock fix wall/reflect with walls at rest.
#pragma once

#include <string>
#include <vector>

#include "dynamics/reflecting_walls.h"
#include "fix.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixWallReflectTriad : public Fix, public EngineFix, public StockFallback {
 public:
  FixWallReflectTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void post_integrate() override;

  bool join(triad::StepBatch &batch) override;
  void engine_post_integrate(triad::MdEngine &engine) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;

 private:
  const std::vector<std::string> arguments_;  // of the fix command
  AtomMotion motion_;
  triad::ReflectingWalls walls_;
};

}  // namespace LAMMPS_NS
