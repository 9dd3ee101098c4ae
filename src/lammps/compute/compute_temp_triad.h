// compute temp/triad: stock compute temp. Under run_style verlet/triad the engine computes the sums.
#pragma once

#include "lammps/compat/compute_api.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/sampled_kinetic.h"

namespace LAMMPS_NS {

class ComputeTempTriad : public ComputeApi, public EngineCompute, public SampledKinetic {
 public:
  ComputeTempTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeTempTriad() override;

  void init() override {}
  void setup() override;
  double compute_scalar() override;
  void compute_vector() override;

  /// To be called before the thermo output of the present step, which asks for the scalar and then for the vector:
  /// compute_scalar() fills both from the same sums.
  void serve_output();
  /// True if the degrees of freedom are constant during a run.
  bool counts_once() const { return !dynamic; }
  /// Temperature divided by the sum of m v v.
  double per_degree() const { return per_degree_; }
  /// Computes the temperature, and the vector too if `with_vector`: both from the same sums.
  double measure(bool with_vector);
  /// Sets the sums over all ranks for the present step.
  void take_sums(const triad::KineticSums &sums, bool with_vector);

 private:
  void count_degrees();
  triad::KineticSums sums_of_all();
  void set_scalar(const triad::KineticSums &sums);
  void set_vector(const triad::KineticSums &sums);

  double per_degree_ = 0;
  bigint output_step_ = -1;  // of serve_output()
  bigint vector_step_ = -1;  // the last step in which the vector was asked for
};

/// Settings of compute_modify that are copied from one temperature compute to another.
struct TemperatureSettings {
  explicit TemperatureSettings(const Compute &from);
  void give_to(Compute &to) const;

  double extra_dof;
  int dynamic;
};

}  // namespace LAMMPS_NS
