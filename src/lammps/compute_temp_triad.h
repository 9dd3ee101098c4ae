// compute temp/triad: stock compute temp, on the stepper's atoms where they are there.
#pragma once

#include "compute.h"
#include "lammps/atom_motion.h"

namespace LAMMPS_NS {

class ComputeTempTriad final : public Compute {
 public:
  ComputeTempTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeTempTriad() override;

  void init() override {}
  void setup() override;
  double compute_scalar() override;  // fills the vector too
  void compute_vector() override;

 private:
  void count_degrees();

  AtomMotion motion_;
  double per_degree_ = 0;  // temperature per sum of m v v
};

/// What compute_modify sets of a temperature, taken from one compute to be given to another.
struct TemperatureSettings {
  explicit TemperatureSettings(const Compute &from);
  void give_to(Compute &to) const;

  double extra_dof;
  int dynamic;
};

}  // namespace LAMMPS_NS
