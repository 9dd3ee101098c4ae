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
  /// With the suffix, a fix langevin always remains LAMMPS's: the results of a script must not change.
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void setup(int vflag) override;
  void post_force(int vflag) override;
  void end_of_step() override;
  double compute_scalar() override;  ///< with tally yes: energy taken from the atoms, in energy units

  void reset_dt() override;
  void reset_target(double t) override;
  void *extract(const char *name, int &dim) override;

  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  bool join_ends_of_steps(triad::StepBatch &batch) override { return batch.ends.empty(); }
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  void engine_post_force(triad::MdEngine &engine, int vflag) override;
  void engine_end_of_step(triad::MdEngine &engine) override;

 private:
  void set_temperature_target();
  triad::LangevinForce force_of(std::int64_t step) const;

  AtomMotion motion_;
  double t_start_, t_stop_, t_target_, damping_;
  int seed_;
  std::vector<double> ratio_;                // [types + 1] factor of the damping time
  std::vector<triad::LangevinTerms> terms_;  // [types + 1]

  bool tallies_ = false;
  int tally_ = -1;               // number of this fix among those that tally, or -1
  std::vector<double> kept_;     // [n_owned][3] force of the thermostat where no engine has the atoms
  triad::LangevinWork work_;     // of the batch
  bool ended_in_batch_ = false;  // the batch has made the end of its last step
  double power_ = 0;             // of the last forces of the thermostat on this rank's atoms
  double last_power_ = 0;        // that compute_scalar() has taken into account
  double energy_ = 0;            // given to this rank's atoms at half steps
};

}  // namespace LAMMPS_NS
