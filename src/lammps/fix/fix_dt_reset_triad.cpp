#include "lammps/fix/fix_dt_reset_triad.h"

#include <algorithm>
#include <cstring>

#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "lammps/util/settings.h"
#include "lammps/util/time_step.h"
#include "lattice.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixDtResetTriad::FixDtResetTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), motion_(lmp, groupbit), arguments_(arg, arg + narg), last_change_(update->ntimestep) {
  dynamic_group_allow = time_depend = 1;
  scalar_flag = global_freq = 1;
  extscalar = 0;
  bool lattice = true;
  read_settings(lmp, "fix dt/reset/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    nevery = words.whole_number_from(1, "interval");
    const auto read_bound = [&](const char *name, double &bound) {
      if (!words.done() && words.peek() == "NULL")
        words.word();
      else
        bound = words.not_negative(name);
    };
    read_bound("shortest step", shortest_);
    read_bound("longest step", longest_);
    if (shortest_ > longest_) words.reject("Tmin is above Tmax; give the shorter time step first");
    distance_ = words.positive("displacement");
    words.keywords({{"emax", [&] { energy_ = words.positive(); }},
                    {"units", [&] {
                       lattice = words.choice<bool>({{"box", false}, {"lattice", true}});
                     }}});
  });
  if (lattice) distance_ *= domain->lattice->xlattice;
}

/// Arguments that ours refuses are left to stock, which has its own rules.
std::string FixDtResetTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  const auto bound = [](const char *word) { return std::strcmp(word, "NULL") == 0 || utils::is_double(word); };
  const bool valid = narg > 6 && utils::is_integer(arg[3]) && utils::inumeric(FLERR, arg[3], false, lmp) > 0 &&
                     bound(arg[4]) && bound(arg[5]) && utils::is_double(arg[6]);
  return valid ? "" : "these arguments";
}

std::string FixDtResetTriad::needs_stock() const {
  return utils::strmatch(update->integrate_style, "^respa") ? "run_style respa" : "";
}

std::vector<std::string> FixDtResetTriad::stock_arguments() const {
  std::vector<std::string> words = arguments_;
  words[1] = group->names[igroup];
  words[2] = "dt/reset";
  return words;
}

int FixDtResetTriad::setmask() { return FixConst::END_OF_STEP; }

void FixDtResetTriad::init() {
  if (!needs_stock().empty())
    error->all(FLERR, "Fix dt/reset/triad does not support {}; use fix dt/reset", needs_stock());
}

void FixDtResetTriad::end_of_step() {
  const double mine = motion_.longest_step({distance_, energy_, force->ftm2v, force->mvv2e});
  double step = mine;
  MPI_Allreduce(&mine, &step, 1, MPI_DOUBLE, MPI_MIN, world);
  step = std::min(std::max(step, shortest_), longest_);
  if (step == update->dt) return;
  last_change_ = update->ntimestep;
  set_time_step(lmp, step);
}

void FixDtResetTriad::engine_end_of_step(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}
