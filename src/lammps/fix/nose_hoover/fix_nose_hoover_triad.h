// fix nvt/triad and npt/triad: Nose-Hoover chains and barostat, the equations and the course of stock fix nvt and npt.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dynamics/barostat.h"
#include "fix.h"
#include "io/nose_hoover_record.h"
#include "lammps/fix/nose_hoover/nose_hoover_settings.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

/// A chain with its memory.
class OwnedChain {
 public:
  explicit OwnedChain(int length)
      : position_(length),
        velocity_(length),
        acceleration_(length),
        mass_(length),
        per_mass_(length),
        damping_(length) {}
  int length() const { return static_cast<int>(mass_.size()); }
  triad::ThermostatChain view() {
    return {length(),     position_.data(), velocity_.data(), acceleration_.data(),
            mass_.data(), per_mass_.data(), damping_.data()};
  }
  triad::ChainRecord record() const { return {position_, velocity_}; }
  /// A chain of another length starts at rest.
  void restore(const triad::ChainRecord &record) {
    if (record.position.size() != position_.size()) return;
    std::copy(record.position.begin(), record.position.end(), position_.begin());
    std::copy(record.velocity.begin(), record.velocity.end(), velocity_.begin());
  }

 private:
  std::vector<double> position_, velocity_, acceleration_, mass_, per_mass_, damping_;
};

class Compute;
class ComputeTempTriad;

class FixNoseHooverTriad : public Fix, public EngineFix, public StockFallback {
 public:
  FixNoseHooverTriad(LAMMPS *lmp, int narg, char **arg);
  ~FixNoseHooverTriad() override;
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void setup(int vflag) override;
  void initial_integrate(int vflag) override;
  void final_integrate() override;

  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  bool reads_virial() const override { return s_.barostat; }
  void engine_initial_integrate(triad::MdEngine &engine, int vflag) override;
  void engine_final_integrate(triad::MdEngine &engine) override;

  double compute_scalar() override;
  double compute_vector(int n) override;
  void write_restart(FILE *file) override;
  void restart(char *buffer) override;
  int modify_param(int narg, char **arg) override;
  void reset_target(double t) override;
  void *extract(const char *name, int &dim) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;
  std::vector<double> stock_record() const override;
  std::vector<std::vector<std::string>> stock_modifications() const override;

 private:
  /// Number of edges in the output: an isotropic barostat counts as one.
  int barostat_degrees() const { return s_.isotropic() ? 1 : 3; }
  /// True if the barostat needs the kinetic energies along the edges, the vector of the temperature.
  bool needs_kinetic_tensor() const { return s_.barostat && !s_.isotropic(); }
  double half_kick() const;
  void set_temperature_target();
  void set_target(double temperature);
  triad::PressureTargets pressure_targets() const;
  void set_pressure_targets();
  void measure_temperature();
  void measure_pressure();
  void ask_for_virial();
  triad::ThermostatSettings thermostat_settings() const;
  triad::ChainStep barostat_chain_step() const;
  bool may_change_box_in_batches() const;
  void hold_barostat(bigint first_step);
  void advance_thermostat();
  void advance_barostat_chain();
  void advance_barostat();
  void scale_by_barostat();
  void dilate_box();
  std::string unsupported_temperature() const;
  std::string unsupported_box() const;
  Compute *find_compute(const std::string &id, const char *what) const;
  void check_setup() const;
  void replace_compute(std::string &id, bool &own, const std::string &by);

  const NoseHooverSettings s_;
  const std::vector<std::string> arguments_;  // of the fix command
  double t_start_, t_stop_;
  AtomMotion motion_;
  OwnedChain thermostats_, barostat_thermostats_;
  triad::Barostat barostat_;
  triad::BarostatRecord restored_;  // from a restart file; unused parts are written again
  std::string id_temperature_, id_pressure_;
  bool own_temperature_ = true, own_pressure_ = false;
  Compute *temperature_ = nullptr, *pressure_ = nullptr;  // null until init(), also after fix_modify
  ComputeTempTriad *our_temperature_ = nullptr;           // temperature_, if it is one of ours
  triad::ThermostatBatch batch_ = {};                     // state during a batch of steps

  double kT_ = 0, t_target_ = 0;               // of the present step
  double t_now_ = 0, degrees_of_freedom_ = 0;  // of the atoms of temperature_
  double pressure_now_[3] = {};                // of the edges, averaged over coupled ones
  int p_flag_[6] = {};                         // s_.controls and no tilts, for extract()
  double max_frequency_ = 0;                   // of the controlled edges; that of the barostat's chain
};

}  // namespace LAMMPS_NS
