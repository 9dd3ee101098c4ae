// compute temp/com/triad and temp/partial/triad: the stock computes of these names, from the kinetic sums of the
// engine's atoms where they are there.
#pragma once

#include "dynamics/kinetic.h"
#include "lammps/compat/compute_api.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/sampled_kinetic.h"

namespace LAMMPS_NS {

/// A temperature of velocities less a bias that does not depend on the position.
class ComputeTempBiasTriad : public ComputeApi, public EngineCompute, public SampledKinetic {
 public:
  ComputeTempBiasTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeTempBiasTriad() override;
  void init() override {}
  void setup() override;
  double compute_scalar() override;
  void compute_vector() override;

  void remove_bias(int i, double *v) override;
  void remove_bias_thr(int i, double *v, double *b) override;
  void remove_bias_all() override;
  void restore_bias(int i, double *v) override;
  void restore_bias_thr(int i, double *v, double *b) override;
  void restore_bias_all() override;
  void reapply_bias_all() override;
  int dof_remove(int) override;

 protected:
  bool along_[3] = {true, true, true};  ///< axes that count
  bool centre_ = false;                 ///< the velocity of the centre of mass is the bias

 private:
  void count_degrees();
  /// Sums of m v v of the velocities without bias.
  void sum(double (&mvv)[6]);
  double bias(int axis, double v) const { return centre_ ? of_centre_[axis] : along_[axis] ? 0 : v; }

  double per_degree_ = 0, of_centre_[3] = {0, 0, 0};
  std::vector<double> removed_;  // [nlocal][3] by remove_bias_all()
  double removed_one_[3] = {0, 0, 0};
};

class ComputeTempComTriad : public ComputeTempBiasTriad {
 public:
  ComputeTempComTriad(LAMMPS *lmp, int narg, char **arg);
};

class ComputeTempPartialTriad : public ComputeTempBiasTriad {
 public:
  ComputeTempPartialTriad(LAMMPS *lmp, int narg, char **arg);
};

}  // namespace LAMMPS_NS
