#include "lammps/fix/fix_langevin_triad.h"

#include <cmath>
#include <cstring>
#include <string>

#include "atom.h"
#include "error.h"
#include "force.h"
#include "lammps/run/run_progress.h"
#include "lammps/util/numbers.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixLangevinTriad::FixLangevinTriad(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg), motion_(lmp, groupbit) {
  if (narg < 7) utils::missing_cmd_args(FLERR, "fix langevin/triad", error);
  if (utils::strmatch(arg[3], "^v_"))
    error->all(FLERR, "Fix langevin/triad does not support a variable for the temperature; use fix langevin");
  t_target_ = t_start_ = finite_number(lmp, "Fix langevin/triad temperature", arg[3]);
  t_stop_ = finite_number(lmp, "Fix langevin/triad temperature", arg[4]);
  damping_ = finite_number(lmp, "Fix langevin/triad damping", arg[5]);
  seed_ = whole_number(lmp, "Fix langevin/triad seed", arg[6]);
  if (t_start_ < 0 || t_stop_ < 0)
    error->all(FLERR, "Fix langevin/triad temperatures must be >= 0, not {} to {}", t_start_, t_stop_);
  if (damping_ <= 0) error->all(FLERR, "Fix langevin/triad damping must be > 0, not {}", damping_);
  if (seed_ <= 0) error->all(FLERR, "Fix langevin/triad seed must be > 0, not {}", seed_);
  dynamic_group_allow = 1;

  ratio_.assign(atom->ntypes + 1, 1.0);
  for (int i = 7; i < narg; i += 2) {
    const std::string keyword = arg[i];
    if (keyword == "scale") {
      if (i + 2 >= narg) utils::missing_cmd_args(FLERR, "fix langevin/triad scale", error);
      const int type = whole_number(lmp, "Fix langevin/triad scale type", arg[i + 1]);
      if (type < 1 || type > atom->ntypes) error->all(FLERR, "Fix langevin/triad scale: there is no type {}", type);
      ratio_[type] = finite_number(lmp, "Fix langevin/triad scale", arg[i + 2]);
      if (ratio_[type] <= 0) error->all(FLERR, "Fix langevin/triad scale must be > 0, not {}", ratio_[type]);
      ++i;
    } else if (keyword == "angmom" || keyword == "gjf" || keyword == "omega" || keyword == "tally" ||
               keyword == "zero") {
      if (i + 1 >= narg) utils::missing_cmd_args(FLERR, "fix langevin/triad " + keyword, error);
      if (std::string(arg[i + 1]) != "no")
        error->all(FLERR, "Fix langevin/triad does not support {} {}; use fix langevin", keyword, arg[i + 1]);
    } else {
      error->all(FLERR, "Unknown fix langevin/triad keyword: {} (known: scale, angmom, gjf, omega, tally, zero)",
                 keyword);
    }
  }
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
