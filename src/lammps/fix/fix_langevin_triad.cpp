#include "lammps/fix/fix_langevin_triad.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "atom.h"
#include "error.h"
#include "force.h"
#include "lammps/run/run_span.h"
#include "lammps/util/settings.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixLangevinTriad::FixLangevinTriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), motion_(lmp, groupbit) {
  dynamic_group_allow = ecouple_flag = 1;
  scalar_flag = extscalar = nevery = global_freq = 1;
  ratio_.assign(atom->ntypes + 1, 1.0);
  read_settings(lmp, "fix langevin/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    words.reject_variable("the temperature");
    t_target_ = t_start_ = words.not_negative("temperature");
    t_stop_ = words.not_negative("temperature");
    damping_ = words.positive("damping");
    seed_ = words.whole_number_from(1, "seed");
    const auto read_scale = [&] {
      const int type = words.whole_number("scale type");
      if (type < 1 || type > atom->ntypes) words.reject("scale: there is no type " + std::to_string(type));
      ratio_[type] = words.positive();
    };
    const auto only_off = [&](const std::string &keyword) {
      return triad::SettingKeyword{keyword, [&words, keyword] {
                                     const std::string value = words.word();
                                     if (value != "no") words.reject_unsupported(keyword + " " + value);
                                   }};
    };
    words.keywords({{"scale", read_scale},
                    only_off("angmom"),
                    only_off("gjf"),
                    only_off("omega"),
                    {"tally", [&] { tallies_ = words.logical(); }},
                    only_off("zero")});
  });
}

std::string FixLangevinTriad::unsupported(LAMMPS *, int narg, char **arg) {
  for (int k = 7; k + 1 < narg; k += 2) {
    std::string setting = arg[k];
    const std::string value = arg[k + 1];
    if (setting == "scale") {
      ++k;
    } else if (setting != "tally" && value != "no") {
      setting += ' ';
      setting += value;
      return setting;
    }
  }
  return "the random numbers of fix langevin; where statistically equal results are enough, write langevin/triad";
}

int FixLangevinTriad::setmask() { return FixConst::POST_FORCE | (tallies_ ? FixConst::END_OF_STEP : 0); }

void FixLangevinTriad::init() {
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "Fix langevin/triad does not support run_style respa; use fix langevin");
  if (!atom->tag_enable)
    error->all(FLERR,
               "Fix langevin/triad requires atom IDs, on which its random numbers depend; remove atom_modify id no");
  reset_dt();
  if (!tallies_) return;
  tally_ = 0;
  for (const Fix *fix : modify->get_fix_list()) {
    if (fix == this) break;
    const auto *other = dynamic_cast<const FixLangevinTriad *>(fix);
    if (other && other->tallies_) ++tally_;
  }
}

void FixLangevinTriad::reset_dt() {
  terms_.resize(ratio_.size());
  for (std::size_t type = 1; type < ratio_.size(); ++type)
    terms_[type] = triad::langevin_terms(damping_ * ratio_[type], update->dt, force->boltz, force->mvv2e, force->ftm2v);
}

void FixLangevinTriad::setup(int vflag) {
  post_force(vflag);
  if (tallies_) power_ = motion_.langevin_power(tally_, kept_);
}

void FixLangevinTriad::set_temperature_target() {
  t_target_ = triad::TemperatureRamp{t_start_, t_stop_, run_span(update)}.at(update->ntimestep);
}

/// The force in a step at the present target temperature.
triad::LangevinForce FixLangevinTriad::force_of(std::int64_t step) const {
  return {groupbit, terms_.data(), std::sqrt(t_target_), step, static_cast<std::uint32_t>(seed_), tally_};
}

bool FixLangevinTriad::join(triad::StepBatch &batch) {
  batch.langevin.push_back({force_of(0), {t_start_, t_stop_, run_span(update)}, tallies_ ? &work_ : nullptr});
  return true;
}

void FixLangevinTriad::finish_batch(bool whole) {
  if (whole) set_temperature_target();
  energy_ += work_.sum * update->dt;
  last_power_ = power_ = work_.last;
  ended_in_batch_ = whole;
}

void FixLangevinTriad::post_force(int) {
  set_temperature_target();
  motion_.add_langevin(force_of(update->ntimestep), kept_);
}

void FixLangevinTriad::engine_post_force(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  post_force(vflag);
}

void FixLangevinTriad::end_of_step() {
  last_power_ = power_ = motion_.langevin_power(tally_, kept_);
  energy_ += power_ * update->dt;
}

void FixLangevinTriad::engine_end_of_step(triad::MdEngine &engine) {
  if (std::exchange(ended_in_batch_, false)) return;
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}

/// The sum of powers times the time step is the energy at half steps. As in stock, the first step of a run begins a new
/// sum if the value is read there.
double FixLangevinTriad::compute_scalar() {
  if (!tallies_) return 0;
  if (update->ntimestep == update->beginstep) {
    last_power_ = power_;
    energy_ = 0.5 * power_ * update->dt;
  }
  double mine = 0.5 * last_power_ * update->dt - energy_, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

void FixLangevinTriad::reset_target(double t) { t_target_ = t_start_ = t_stop_ = t; }

void *FixLangevinTriad::extract(const char *name, int &dim) {
  dim = 0;
  return strcmp(name, "t_target") == 0 ? &t_target_ : nullptr;
}
