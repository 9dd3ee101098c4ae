// compute temp/triad: stock compute temp. Under run_style verlet/triad the engine computes the sums.
#pragma once

#include "compute.h"
#include "lammps/run/atom_motion.h"
#include "lammps/run/engine_compute.h"

namespace LAMMPS_NS {

class ComputeTempTriad : public Compute, public EngineCompute {
 public:
  ComputeTempTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeTempTriad() override;

  void init() override {}
  void setup() override;
  double compute_scalar() override;  // also fills the vector
  void compute_vector() override;

  /// True if the degrees of freedom are constant during a run.
  bool counts_once() const { return !dynamic; }
  /// Temperature divided by the sum of m v v.
  double per_degree() const { return per_degree_; }
  /// Sets the sums over all ranks for the present step.
  void take_sums(const triad::KineticSums &sums);

 private:
  void count_degrees();
  void set_vector(const triad::KineticSums &sums);
  double set_scalar();

  AtomMotion motion_;
  double per_degree_ = 0;
  double mvv_[6] = {};  // sums over all ranks
};

/// Settings of compute_modify that are copied from one temperature compute to another.
struct TemperatureSettings {
  explicit TemperatureSettings(const Compute &from);
  void give_to(Compute &to) const;

  double extra_dof;
  int dynamic;
};

}  // namespace LAMMPS_NS
