// fix hnemd/triad: homogeneous nonequilibrium molecular dynamics. A driving force takes the place of a temperature
// gradient, and the mean heat current gives the thermal conductivity.
#pragma once

#include <string>
#include <vector>

#include "dynamics/block_means.h"
#include "fix.h"
#include "lammps/fix/hnemd/driving.h"
#include "lammps/run/atom_motion.h"
#include "lammps/util/run_log.h"
#include "update.h"

namespace LAMMPS_NS {

class FixHnemdTriad : public Fix, public EngineFix {
 public:
  FixHnemdTriad(LAMMPS *lmp, int narg, char **arg);
  ~FixHnemdTriad() override;
  static std::string unsupported(LAMMPS *, int, char **) { return ""; }

  int setmask() override;
  void post_constructor() override;
  void init() override;
  void setup(int vflag) override;
  void post_force(int vflag) override;
  void end_of_step() override;
  void post_run() override;
  void reset_dt() override;

  double compute_scalar() override;
  double compute_vector(int n) override;
  int pack_reverse_comm(int n, int first, double *buffer) override { return driving_.pack(n, first, buffer); }
  void unpack_reverse_comm(int n, int *list, double *buffer) override { driving_.unpack(n, list, buffer); }
  void write_restart(FILE *file) override;
  void restart(char *buffer) override;
  double memory_usage() override;

  void set_on_engine(bool on_engine) override;
  bool on_engine() const override { return on_engine_; }
  bool join(triad::StepBatch &batch) override;
  bool ends_batches() const override { return true; }
  void finish_batch(bool whole) override;
  bool reads(const Compute *compute) const override;
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  void engine_post_force(triad::MdEngine &engine, int vflag) override;
  void engine_end_of_step(triad::MdEngine &engine) override;

 private:
  struct Part {
    std::string name;
    int groupbit;
  };
  /// Quantities of a sample: flow (9), convective current (3), temperature along x y z, volume, power, then for each
  /// part its current along the field. Energy * velocity, temperature, volume, energy / time.
  enum Sample { of_flow = 0, of_convective = 9, of_temperature = 12, of_volume = 15, of_power = 16, of_parts = 17 };

  ComputeHeatFluxTriad *flow_compute() const;
  void check_thermostat() const;
  double target() const;
  /// That of the last run if there is no thermostat now.
  double last_target() const {
    const double now = target();
    return now > 0 ? now : target_;
  }
  void compare_target();
  void start_new_means();
  bigint next_sample() const { return (update->ntimestep / nevery + 1) * nevery; }
  void count_atoms();
  double groups_checksum() const;
  double volume() const;
  triad::HeatFlow flow_of(int groupbit) const;
  double along_field(const double *flow) const;
  double temperature_of(const std::vector<double> &means) const;
  double per_current(const std::vector<double> &means) const;
  double kappa_of(const std::vector<double> &means) const;
  void sample();

  double field_[3] = {}, field_squared_ = 0;
  double given_volume_ = 0;  // 0: that of the box
  bigint skip_ = 0;          // steps that are left out of the means
  std::vector<Part> parts_;
  const std::string compute_id_;  // of the compute heat/flux/triad that the fix makes
  AtomMotion motion_;
  Driving driving_;
  RunLog log_;
  bool on_engine_ = true, on_device_ = false, warned_ = false;
  bool compares_target_ = false;  // with target_, in the first sample of a run
  double target_ = 0;             // target temperature at the end of the last run
  triad::ForceChangeBatch batch_;
  triad::ForceSums sums_;  // of the driving forces of the present step, all ranks
  double atoms_in_group_ = 0;
  bigint natoms_ = 0;         // of the box, at the last count
  double dt_ = 0, work_ = 0;  // energy that the driving force has added
  bigint driven_steps_ = 0;
  std::vector<double> now_;  // the sample of the present step
  triad::BlockMeans means_{0};
};

}  // namespace LAMMPS_NS
