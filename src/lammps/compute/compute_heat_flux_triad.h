// compute heat/flux/triad: the heat current of compute heat/flux with centroid/stress/atom, without per-atom computes.
// Under run_style verlet/triad the engine computes the sums.
#pragma once

#include <vector>

#include "compute.h"
#include "lammps/run/engine_compute.h"

namespace LAMMPS_NS {

class ComputeHeatFluxTriad : public Compute, public EngineCompute {
 public:
  ComputeHeatFluxTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeHeatFluxTriad() override;

  void init() override;
  void compute_vector() override;
  int pack_forward_comm(int n, int *list, double *buffer, int pbc_flag, int *pbc) override;
  void unpack_forward_comm(int n, int first, double *buffer) override;

  /// Declares that the engine of run_style verlet/triad has the positions and forces of this step and computes the
  /// sums.
  void set_on_engine(bigint step) { engine_step_ = step; }

 private:
  std::vector<double> ghost_velocity_;  // [nghost][3]
  bigint engine_step_ = -1;
};

}  // namespace LAMMPS_NS
