#include "lammps/fix/fix_langevin_triad.h"

#include <cmath>
#include <cstring>
#include <string>

#include "atom.h"
#include "error.h"
#include "force.h"
#include "lammps/run/run_progress.h"
#include "lammps/util/settings.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixLangevinTriad::FixLangevinTriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), motion_(lmp, groupbit) {
  dynamic_group_allow = 1;
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
                    only_off("tally"),
                    only_off("zero")});
  });
}

int FixLangevinTriad::setmask() { return FixConst::POST_FORCE; }

void FixLangevinTriad::init() {
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "Fix langevin/triad does not support run_style respa; use fix langevin");
  reset_dt();
}

void FixLangevinTriad::reset_dt() {
  terms_.resize(ratio_.size());
  for (std::size_t type = 1; type < ratio_.size(); ++type)
    terms_[type] = triad::langevin_terms(damping_ * ratio_[type], update->dt, force->boltz, force->mvv2e, force->ftm2v);
}

void FixLangevinTriad::setup(int vflag) { post_force(vflag); }

void FixLangevinTriad::set_temperature_target() {
  t_target_ = triad::TemperatureRamp{t_start_, t_stop_, run_span(update)}.at(update->ntimestep);
}

bool FixLangevinTriad::join(triad::StepBatch &batch) {
  const triad::LangevinForce force = {groupbit, terms_.data(), 0, 0, static_cast<std::uint32_t>(seed_)};
  batch.langevin.push_back({force, {t_start_, t_stop_, run_span(update)}});
  return true;
}

void FixLangevinTriad::finish_batch(bool whole) {
  if (whole) set_temperature_target();
}

void FixLangevinTriad::post_force(int) {
  set_temperature_target();
  motion_.add_langevin(terms_, std::sqrt(t_target_), update->ntimestep, seed_);
}

void FixLangevinTriad::engine_post_force(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  post_force(vflag);
}

void FixLangevinTriad::reset_target(double t) { t_target_ = t_start_ = t_stop_ = t; }

void *FixLangevinTriad::extract(const char *name, int &dim) {
  dim = 0;
  return strcmp(name, "t_target") == 0 ? &t_target_ : nullptr;
}
