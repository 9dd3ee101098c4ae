// compute ke/triad and momentum/triad: stock compute ke and momentum, on the engine's atoms where they are there.
#pragma once

#include <string>

#include "lammps/compat/compute_api.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/sampled_kinetic.h"

namespace LAMMPS_NS {

/// Kinetic energy of a group, in energy units.
class ComputeKETriad : public ComputeApi, public EngineCompute, public SampledKinetic {
 public:
  ComputeKETriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);
  void init() override {}
  double compute_scalar() override;
};

/// Total momentum of a group: mass times velocity, in their units.
class ComputeMomentumTriad : public ComputeApi, public EngineCompute, public SampledKinetic {
 public:
  ComputeMomentumTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeMomentumTriad() override;
  void init() override {}
  void compute_vector() override;
};

}  // namespace LAMMPS_NS
