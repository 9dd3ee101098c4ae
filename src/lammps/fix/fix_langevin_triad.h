// fix langevin/triad: the thermostat of stock fix langevin with counter-based noise, which depends only on seed, atom
// ID and step.
#pragma once

#include <string>
#include <vector>

#include "fix.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixLangevinTriad : public Fix, public EngineFix {
 public:
  FixLangevinTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *, int, char **) { return "the same noise"; }

  int setmask() override;
  void init() override;
  void setup(int vflag) override;
  void post_force(int vflag) override;

  void reset_dt() override;
  void reset_target(double t) override;
  void *extract(const char *name, int &dim) override;

  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  void engine_post_force(triad::MdEngine &engine, int vflag) override;

 private:
  void set_temperature_target();

  AtomMotion motion_;
  double t_start_, t_stop_, t_target_, damping_;
  int seed_;
  std::vector<double> ratio_;                // [types + 1] factor of the damping time
  std::vector<triad::LangevinTerms> terms_;  // [types + 1]
};

}  // namespace LAMMPS_NS
