#include "lammps/fix/rescale/fix_rescale.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "comm.h"
#include "compute.h"
#include "error.h"
#include "fmt/format.h"
#include "force.h"
#include "group.h"
#include "io/setting_reader.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/run/run_span.h"
#include "lammps/util/restart_record.h"
#include "lammps/util/settings.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixRescale::FixRescale(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg),
      arguments_(arg, arg + narg),
      motion_(lmp, groupbit),
      id_temperature_(std::string(id) + "_temp") {
  restart_global = dynamic_group_allow = ecouple_flag = 1;
  scalar_flag = extscalar = 1;
  nevery = global_freq = 1;
  modify->add_compute(fmt::format("{} {} temp/triad", id_temperature_, group->names[igroup]), 0);
}

FixRescale::~FixRescale() {
  // the plugin's compute may have been unloaded before
  if (own_temperature_ && modify->get_compute_by_id(id_temperature_)) modify->delete_compute(id_temperature_);
}

std::string FixRescale::unsupported_words(int narg, char **arg, int n) {
  for (int k = 3; k < narg; ++k)
    if (utils::strmatch(arg[k], "^v_")) return "a variable for the temperature";
  const bool numbers =
      std::all_of(arg + std::min(3, narg), arg + narg, [](const char *w) { return utils::is_double(w); });
  return numbers && narg == 3 + n ? "" : "these arguments";
}

int FixRescale::setmask() { return FixConst::END_OF_STEP; }

void FixRescale::init() {
  if (stock_takes_over(lmp, this)) return;
  temperature_ = find_temperature();
  if (modify->check_rigid_group_overlap(groupbit) && comm->me == 0)
    error->warning(FLERR, "Fix {} cannot thermostat atoms in rigid bodies", style);
}

Compute *FixRescale::find_temperature() const {
  Compute *const found = modify->get_compute_by_id(id_temperature_);
  if (!found) error->all(FLERR, "Temperature ID {} for fix {} does not exist", id_temperature_, style);
  return found;
}

/// fix_modify may have deleted the temperature of the setup, and the next one has no degrees of freedom yet.
void FixRescale::check_setup() const {
  if (!temperature_)
    error->all(FLERR,
               "Fix {}: fix_modify has changed the temperature after the run was set up; use 'run' without 'pre no'",
               style);
}

void FixRescale::end_of_step() {
  check_setup();
  if (motion_.engine() && !dynamic_cast<ComputeTempTriad *>(temperature_)) engine_run(lmp)->sync_host(triad::field_v);
  const double now = temperature_->compute_scalar();
  if (temperature_->dof < 1) return;
  if (now == 0) reject_zero();
  target_ = triad::TemperatureRamp{t_start_, t_stop_, run_span(update)}.at(update->ntimestep);
  const double then = rule(temperature_->dof)(now, target_, draw(temperature_->dof));
  if (then == now) return;
  energy_ += (now - then) * 0.5 * force->boltz * temperature_->dof;
  const double factor = std::sqrt(then / now);
  motion_.scale_velocities({factor, factor, factor});
}

void FixRescale::reject_zero() const {
  error->all(FLERR, "The temperature of fix {} is 0, so scaling velocities cannot change it; give the atoms velocities",
             style);
}

/// True if the fix acts at the end of each step on the atoms that the only integrator of a batch moves, so that the
/// kernels of thermostats can do its work.
bool FixRescale::is_thermostat_of(const triad::StepBatch &batch) const {
  return nevery == 1 && batch.groups.size() == 1 && batch.groups[0].group_bit == groupbit && batch.motions.empty() &&
         batch.langevin.empty() && batch.thermostats.empty() && batch.ends.empty();
}

bool FixRescale::join_ends_of_steps(triad::StepBatch &batch) {
  check_setup();
  const auto *const ours = dynamic_cast<const ComputeTempTriad *>(temperature_);
  if (!ours || !ours->counts_once() || temperature_->dof < 1) return false;
  is_thermostat_ = is_thermostat_of(batch);
  if (!is_thermostat_ && !engine_run(lmp)->takes_ends_of_steps(batch)) return false;
  const auto set_groups = [&](auto &of) {
    of.group_bit = groupbit;
    of.measured_bit = group->bitmask[temperature_->igroup];
  };
  const auto set_rule = [&](auto &of) {
    of.rescaling = {};
    of.rescaling.rescaled = rule(temperature_->dof);
    of.rescaling.noise = preview(temperature_->dof, batch.n_steps);
    of.rescaling.aim = target_;
    of.target = {t_start_, t_stop_, run_span(update)};
    of.per_degree = ours->per_degree();
  };
  if (is_thermostat_) {
    thermostat_.thermostat.rescales = true;
    set_groups(thermostat_);
    set_rule(thermostat_.thermostat);
    batch.thermostats.push_back(&thermostat_);
  } else {
    end_ = {};
    end_.kind = triad::EndOfStep::Kind::Rescaling;
    end_.every = nevery;
    set_groups(end_);
    set_rule(end_);
    batch.ends.push_back(&end_);
  }
  return true;
}

void FixRescale::finish_batch(bool whole) {
  const triad::Rescaling &made = is_thermostat_ ? thermostat_.thermostat.rescaling : end_.rescaling;
  if (made.failed) reject_zero();
  energy_ += made.cooled * 0.5 * force->boltz * temperature_->dof;
  target_ = made.aim;
  for (int k = 0; k < made.scalings; ++k) draw(temperature_->dof);
  ended_in_batch_ = whole && update->ntimestep % nevery == 0;
  if (!ended_in_batch_) return;
  temperature_->scalar = made.temperature;
  temperature_->invoked_scalar = update->ntimestep;
}

void FixRescale::engine_end_of_step(triad::MdEngine &engine) {
  if (std::exchange(ended_in_batch_, false)) return;
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}

void FixRescale::write_restart(FILE *file) {
  if (comm->me == 0) write_restart_record(file, stock_record());
}

/// The record of the stock fixes is the energy.
void FixRescale::restart(char *buffer) { energy_ = read_record(buffer)[0]; }

/// The numbers of a record of the fix, at least its energy. Collective.
std::vector<double> FixRescale::read_record(char *buffer) const {
  return read_restart_record(lmp, id, style, buffer, [](const char *bytes, std::size_t n) {
    std::vector<double> record(n / sizeof(double));
    if (record.empty()) throw triad::RestartRecordError("it is too short");
    std::memcpy(record.data(), bytes, record.size() * sizeof(double));
    if (!std::isfinite(record[0])) throw triad::RestartRecordError(fmt::format("its energy is {}", record[0]));
    return record;
  });
}

/// fix_modify temp ID
int FixRescale::modify_param(int narg, char **arg) {
  if (strcmp(arg[0], "temp") != 0) return 0;
  const std::string compute =
      read_settings(lmp, "fix_modify temp", narg - 1, arg + 1, [](auto &words) { return words.word("compute ID"); });
  const Compute *const temperature = modify->get_compute_by_id(compute);
  if (!temperature) error->all(FLERR, "Fix_modify temperature ID {} for fix {} does not exist", compute, style);
  if (!temperature->tempflag) error->all(FLERR, "Fix_modify temperature ID {} does not compute temperature", compute);
  if (temperature->igroup != igroup && comm->me == 0)
    error->warning(FLERR, "Temperature {} of fix {} is not for the group of the fix", compute, style);
  if (compute == id_temperature_) return 2;
  if (own_temperature_) modify->delete_compute(id_temperature_);
  own_temperature_ = false;
  id_temperature_ = compute;
  temperature_ = nullptr;
  return 2;
}

void FixRescale::reset_target(double t) { target_ = t_start_ = t_stop_ = t; }

void *FixRescale::extract(const char *name, int &dim) {
  dim = 0;
  return strcmp(name, "t_target") == 0 ? &target_ : nullptr;
}

std::string FixRescale::needs_stock() const {
  const Compute *const temperature = modify->get_compute_by_id(id_temperature_);
  return temperature && temperature->tempbias ? "a temperature with bias (compute " + id_temperature_ + ")" : "";
}

/// Later commands may have changed the targets.
std::vector<std::string> FixRescale::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  all[place_of_target()] = fmt::format("{:.17g}", t_start_);
  all[place_of_target() + 1] = fmt::format("{:.17g}", t_stop_);
  return all;
}

std::vector<std::vector<std::string>> FixRescale::stock_modifications() const {
  if (own_temperature_) return {};
  return {{"temp", id_temperature_}};
}

// ---- temp/rescale

FixTempRescaleTriad::FixTempRescaleTriad(LAMMPS *lmp, int narg, char **arg) : FixRescale(lmp, narg, arg) {
  read_settings(lmp, "fix temp/rescale/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    nevery = global_freq = words.whole_number_from(1, "interval");
    words.reject_variable("the temperature");
    target_ = t_start_ = words.not_negative("temperature");
    t_stop_ = words.not_negative("temperature");
    window_ = words.not_negative("window");
    fraction_ = words.positive("fraction");
    if (fraction_ > 1) words.reject("fraction is above 1; give a number up to 1");
    words.keywords({});
  });
}

/// Numbers that ours refuses are left to stock, which has its own rules.
std::string FixTempRescaleTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  std::string what = unsupported_words(narg, arg, 5);
  if (!what.empty()) return what;
  const auto number = [&](int k) { return utils::numeric(FLERR, arg[k], false, lmp); };
  const bool valid = utils::is_integer(arg[3]) && number(3) >= 1 && number(4) >= 0 && number(5) >= 0 &&
                     number(6) >= 0 && number(7) > 0 && number(7) <= 1;
  return valid ? "" : "these arguments";
}

triad::RescaledTemperature FixTempRescaleTriad::rule(double) const { return {window_, fraction_}; }

// ---- temp/berendsen

FixTempBerendsenTriad::FixTempBerendsenTriad(LAMMPS *lmp, int narg, char **arg) : FixRescale(lmp, narg, arg) {
  read_settings(lmp, "fix temp/berendsen/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    words.reject_variable("the temperature");
    target_ = t_start_ = words.not_negative("temperature");
    t_stop_ = words.not_negative("temperature");
    period_ = words.positive("damping");
    words.keywords({});
  });
}

std::string FixTempBerendsenTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  std::string what = unsupported_words(narg, arg, 3);
  if (!what.empty()) return what;
  const auto number = [&](int k) { return utils::numeric(FLERR, arg[k], false, lmp); };
  return number(3) >= 0 && number(4) >= 0 && number(5) > 0 ? "" : "these arguments";
}

triad::RescaledTemperature FixTempBerendsenTriad::rule(double) const { return {0, 1, update->dt / period_}; }
