// fix nve/triad: velocity Verlet, on the engine's atoms under run_style verlet/triad and on LAMMPS's arrays under
// run_style verlet.
#pragma once

#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixNVETriad : public Fix, public EngineFix, public StockFallback {
 public:
  FixNVETriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *, int, char **) { return ""; }

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;

  int setmask() override;
  void init() override;
  void initial_integrate(int vflag) override;
  void final_integrate() override;

  bool join(triad::StepBatch &batch) override;
  void engine_initial_integrate(triad::MdEngine &engine, int vflag) override;
  void engine_final_integrate(triad::MdEngine &engine) override;

 private:
  double half_kick() const;

  AtomMotion motion_;
};

}  // namespace LAMMPS_NS
