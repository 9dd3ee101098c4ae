// compute temp/triad: stock compute temp, on the engine's atoms where they are there.
#pragma once

#include "compute.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class ComputeTempTriad : public Compute {
 public:
  ComputeTempTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeTempTriad() override;

  void init() override {}
  void setup() override;
  double compute_scalar() override;  // fills the vector too
  void compute_vector() override;

  /// Degrees of freedom that stay the same during a run.
  bool counts_once() const { return !dynamic; }
  /// Temperature per sum of m v v.
  double per_degree() const { return per_degree_; }
  /// Takes sums over all ranks for those of the present step.
  void take_sums(const triad::KineticSums &sums);

 private:
  void count_degrees();
  void set_vector(const triad::KineticSums &sums);
  double set_scalar();

  AtomMotion motion_;
  double per_degree_ = 0;
  double mvv_[6] = {};  // of all ranks
};

/// What compute_modify sets of a temperature, taken from one compute to be given to another.
struct TemperatureSettings {
  explicit TemperatureSettings(const Compute &from);
  void give_to(Compute &to) const;

  double extra_dof;
  int dynamic;
};

}  // namespace LAMMPS_NS
