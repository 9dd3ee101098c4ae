// compute reduce/triad: stock compute reduce for sums and means of velocities and forces, from sums over the engine's
// atoms where they are there.
#pragma once

#include <string>
#include <vector>

#include "lammps/compat/compute_api.h"
#include "lammps/run/atom_motion.h"
#include "lammps/run/engine_compute.h"

namespace LAMMPS_NS {

class ComputeReduceTriad : public ComputeApi, public EngineCompute {
 public:
  ComputeReduceTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);
  ~ComputeReduceTriad() override;
  void init() override {}
  double compute_scalar() override;
  void compute_vector() override;

 private:
  void reduce(double *values);

  AtomMotion motion_;
  bool mean_ = false;
  std::vector<int> values_;  // 0 to 2: vx vy vz, 3 to 5: fx fy fz
};

}  // namespace LAMMPS_NS
