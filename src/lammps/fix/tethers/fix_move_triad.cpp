#include "lammps/fix/tethers/fix_move_triad.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "io/setting_reader.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/lattice_units.h"
#include "lammps/util/restart_record.h"
#include "lammps/util/settings.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixMoveTriad::FixMoveTriad(LAMMPS *lmp, int narg, char **arg)
    : FixWithOriginalPositions(lmp, narg, arg),
      arguments_(arg, arg + narg),
      motion_(lmp, groupbit),
      origin_(update->ntimestep) {
  restart_global = time_integrate = create_attribute = 1;
  peratom_flag = peratom_freq = 1;
  size_peratom_cols = 3;
  array_atom = original_;
  bool lattice = true;
  read_settings(lmp, "fix move/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    const std::string motion = words.word("kind of motion");
    if (motion != "linear") words.reject_unsupported(motion);
    const char *const names[] = {"vx", "vy", "vz"};
    for (int d = 0; d < 3; ++d) {
      words.reject_variable("the velocity");
      if (!words.done() && words.peek() == "NULL") words.reject_unsupported("NULL for a velocity");
      linear_.velocity[d] = words.number(names[d]);
    }
    words.keywords({{"units", [&] { lattice = read_lattice_units(words); }},
                    {"update", [&words] { words.reject_unsupported("update"); }}});
  });
  if (domain->dimension == 2 && linear_.velocity[2] != 0)
    error->all(FLERR, "Fix move/triad cannot move atoms along z in two dimensions; give vz as 0");
  for (int d = 0; d < 3; ++d) linear_.velocity[d] *= length_unit(lmp, d, lattice);
  linear_.group_bit = groupbit;
  follow_atoms();
}

/// What ours refuses is left to stock, which has its own rules.
std::string FixMoveTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  const Atom *const atom = lmp->atom;
  if (atom->ellipsoid_flag || atom->line_flag || atom->tri_flag || atom->body_flag || atom->quat_flag)
    return "atoms with an orientation";  // whose record of stock has more numbers
  if (narg < 7) return "these arguments";
  if (std::strcmp(arg[3], "linear") != 0) return arg[3];
  for (int k = 4; k < 7; ++k) {
    if (std::strcmp(arg[k], "NULL") == 0) return "NULL for a velocity";
    if (!utils::is_double(arg[k])) return "these arguments";
  }
  const bool valid = narg == 7 || (narg == 9 && std::strcmp(arg[7], "units") == 0 &&
                                   (std::strcmp(arg[8], "box") == 0 || std::strcmp(arg[8], "lattice") == 0));
  return valid ? "" : "these arguments";
}

int FixMoveTriad::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE; }

void FixMoveTriad::init() { stock_takes_over(lmp, this); }

std::string FixMoveTriad::needs_stock() const {
  return utils::strmatch(update->integrate_style, "^respa") ? "run_style respa" : "";
}

std::vector<std::string> FixMoveTriad::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  return all;
}

triad::LinearMotion FixMoveTriad::at_step(bigint step) const {
  triad::LinearMotion motion = linear_;
  for (int d = 0; d < 3; ++d) motion.displacement[d] = motion.velocity[d] * (double(step - origin_) * update->dt);
  return motion;
}

void FixMoveTriad::initial_integrate(int) {
  triad::LinearMotion now = at_step(update->ntimestep);
  if (motion_.engine())
    now.tethers = give_positions(*motion_.engine());
  else
    now.tether = wrapped_positions();
  motion_.place(now);
}

void FixMoveTriad::engine_initial_integrate(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  initial_integrate(vflag);
}

/// Within a batch the atoms drift with their constant velocity.
bool FixMoveTriad::join(triad::StepBatch &batch) {
  EngineRun &run = *engine_run(lmp);
  run.sync_engine(triad::field_x);
  linear_.tethers = give_positions(run.engine());
  batch.motions.push_back(at_step(update->ntimestep));
  batch.groups.push_back({groupbit, 0, update->dt});
  return true;
}

void FixMoveTriad::reset_dt() { error->all(FLERR, "Fix {} does not allow that the time step changes", style); }

void FixMoveTriad::write_restart(FILE *file) {
  if (comm->me == 0) write_restart_record(file, stock_record());
}

/// The record of the stock fix is the step at which the motion began.
void FixMoveTriad::restart(char *buffer) {
  double origin;
  std::memcpy(&origin, buffer, sizeof origin);
  if (!(std::fabs(origin) < 1e18))
    error->all(FLERR, "The restart file has no valid state for fix {} of style {}; the file is damaged", id, style);
  origin_ = static_cast<bigint>(origin);
}

void FixMoveTriad::grow_arrays(int nmax) {
  FixWithOriginalPositions::grow_arrays(nmax);
  array_atom = original_;
}

/// An atom that another fix adds joins the motion where it is.
void FixMoveTriad::set_arrays(int i) {
  FixWithOriginalPositions::set_arrays(i);
  if (!(atom->mask[i] & groupbit)) return;
  domain->unmap(atom->x[i], atom->image[i], original_[i]);
  const triad::LinearMotion now = at_step(update->ntimestep);
  for (int d = 0; d < 3; ++d) original_[i][d] -= now.displacement[d];
}
