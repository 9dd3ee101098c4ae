// fix temp/rescale/triad, temp/berendsen/triad and temp/csvr/triad: thermostats that scale the velocities of a group at
// the end of steps, as the stock fixes do. Under run_style verlet/triad the engine sums and scales.
#pragma once

#include <string>
#include <vector>

#include "dynamics/ranmar.h"
#include "engine/step_batch.h"
#include "fix.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class Compute;

class FixRescale : public Fix, public EngineFix, public StockFallback {
 public:
  FixRescale(LAMMPS *lmp, int narg, char **arg);
  ~FixRescale() override;

  int setmask() override;
  void init() override;
  void end_of_step() override;
  double compute_scalar() override { return energy_; }  ///< energy taken from the atoms since the start
  void write_restart(FILE *file) override;
  void restart(char *buffer) override;
  int modify_param(int narg, char **arg) override;
  void reset_target(double t) override;
  void *extract(const char *name, int &dim) override;

  bool join(triad::StepBatch &) override { return false; }  // has no hook of every step
  bool join_ends_of_steps(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  void engine_end_of_step(triad::MdEngine &engine) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;
  std::vector<double> stock_record() const override { return {energy_}; }
  std::vector<std::vector<std::string>> stock_modifications() const override;

 protected:
  std::vector<double> read_record(char *buffer) const;
  /// Returns an empty string if the words from the fourth on are n numbers, otherwise what only stock may accept.
  static std::string unsupported_words(int narg, char **arg, int n);
  /// Returns the rule for the temperature at the present time step. `freedom`: degrees of freedom.
  virtual triad::RescaledTemperature rule(double freedom) const = 0;
  /// Returns the random numbers of the next scaling.
  virtual triad::BathNoise draw(double /*freedom*/) { return {}; }
  /// Returns those of the next `steps` scalings without using them up, or null if there are none.
  virtual const triad::BathNoise *preview(double /*freedom*/, long long /*steps*/) { return nullptr; }
  /// Position of the start temperature among the words of the command; the end temperature follows.
  virtual int place_of_target() const = 0;

  double t_start_ = 0, t_stop_ = 0, target_ = 0, energy_ = 0;

 private:
  Compute *find_temperature() const;
  void check_setup() const;
  bool is_thermostat_of(const triad::StepBatch &batch) const;
  [[noreturn]] void reject_zero() const;

  const std::vector<std::string> arguments_;  // of the fix command
  AtomMotion motion_;
  std::string id_temperature_;
  bool own_temperature_ = true;
  Compute *temperature_ = nullptr;          // null until init(), also after fix_modify
  triad::ThermostatBatch thermostat_ = {};  // of batches of which this is a thermostat
  triad::EndOfStep end_;                    // of other batches
  bool is_thermostat_ = false;
  bool ended_in_batch_ = false;  // the batch has made the scaling of its last step
};

class FixTempRescaleTriad : public FixRescale {
 public:
  FixTempRescaleTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

 private:
  triad::RescaledTemperature rule(double freedom) const override;
  int place_of_target() const override { return 4; }

  double window_ = 0, fraction_ = 0;
};

class FixTempBerendsenTriad : public FixRescale {
 public:
  FixTempBerendsenTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

 private:
  triad::RescaledTemperature rule(double freedom) const override;
  int place_of_target() const override { return 3; }

  double period_ = 0;
};

/// The random numbers are those of rank 0 of the stock fix, on all ranks.
class FixTempCsvrTriad : public FixRescale {
 public:
  FixTempCsvrTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  void restart(char *buffer) override;
  std::vector<double> stock_record() const override;

 private:
  triad::RescaledTemperature rule(double freedom) const override;
  triad::BathNoise draw(double freedom) override { return draw_from(random_, freedom); }
  const triad::BathNoise *preview(double freedom, long long steps) override;
  static triad::BathNoise draw_from(triad::Ranmar &random, double freedom);
  int place_of_target() const override { return 3; }

  double period_ = 0;
  triad::Ranmar random_{1};
  std::vector<triad::BathNoise> noise_;  // of the present batch
};

}  // namespace LAMMPS_NS
