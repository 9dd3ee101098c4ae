#include "lammps/fix/fix_wall_reflect_triad.h"

#include <algorithm>
#include <cstring>

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "io/setting_reader.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/lattice_units.h"
#include "lammps/util/settings.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixWallReflectTriad::FixWallReflectTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg), arguments_(arg, arg + narg), motion_(lmp, groupbit) {
  dynamic_group_allow = 1;
  walls_.group_bit = groupbit;
  bool in_lattice[triad::ReflectingWalls::most] = {}, lattice = true;
  read_settings(lmp, "fix wall/reflect/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    std::vector<triad::SettingKeyword> known = {{"units", [&] { lattice = read_lattice_units(words); }}};
    for (int face = 0; face < 6; ++face) {
      const std::string name = {"xyz"[face / 2], face % 2 ? 'h' : 'l', face % 2 ? 'i' : 'o'};
      known.push_back({name, [&, face, name] {
                         const int axis = face / 2;
                         const bool upper = face % 2;
                         for (int k = 0; k < walls_.count; ++k)
                           if (walls_.wall[k].axis == axis && walls_.wall[k].upper == upper)
                             words.reject("the wall " + name + " is there already");
                         if (domain->periodicity[axis])
                           words.reject("the wall " + name + " is in a periodic dimension; see the boundary command");
                         if (axis == 2 && domain->dimension == 2)
                           words.reject("there is no wall " + name + " in two dimensions");
                         words.reject_variable("the place of a wall");
                         const bool at_edge = !words.done() && words.peek() == "EDGE";
                         if (at_edge) words.word();
                         const double edge = upper ? domain->boxhi[axis] : domain->boxlo[axis];
                         in_lattice[walls_.count] = !at_edge;
                         walls_.wall[walls_.count++] = {axis, upper, at_edge ? edge : words.number(name)};
                       }});
    }
    words.keywords(known);
    if (walls_.count == 0) words.reject("there is no wall; give for example zlo EDGE");
  });
  for (int k = 0; k < walls_.count; ++k)
    if (in_lattice[k]) walls_.wall[k].at *= length_unit(lmp, walls_.wall[k].axis, lattice);
}

/// Walls that ours refuses are left to stock, which has its own rules.
std::string FixWallReflectTriad::unsupported(LAMMPS *, int narg, char **arg) {
  for (int k = 3; k < narg; ++k)
    if (utils::strmatch(arg[k], "^v_")) return "a variable for the place of a wall";
  for (int k = 3; k < narg; k += 2) {
    const bool is_wall = utils::strmatch(arg[k], "^[xyz](lo|hi)$") || utils::strmatch(arg[k], "^[xyz]lo$") ||
                         utils::strmatch(arg[k], "^[xyz]hi$");
    const bool has_place = k + 1 < narg && (utils::is_double(arg[k + 1]) || std::strcmp(arg[k + 1], "EDGE") == 0);
    if (std::strcmp(arg[k], "units") != 0 && !(is_wall && has_place)) return "these arguments";
  }
  return narg > 3 ? "" : "these arguments";
}

int FixWallReflectTriad::setmask() { return FixConst::POST_INTEGRATE; }

void FixWallReflectTriad::init() {
  if (stock_takes_over(lmp, this)) return;
  if (modify->check_rigid_group_overlap(groupbit) && comm->me == 0)
    error->warning(FLERR, "Atoms of rigid bodies should not bounce off the walls of fix {}", style);
}

std::string FixWallReflectTriad::needs_stock() const {
  return utils::strmatch(update->integrate_style, "^respa") ? "run_style respa" : "";
}

std::vector<std::string> FixWallReflectTriad::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  return all;
}

void FixWallReflectTriad::post_integrate() { motion_.reflect(walls_); }

bool FixWallReflectTriad::join(triad::StepBatch &batch) {
  batch.walls.push_back(walls_);
  return true;
}

void FixWallReflectTriad::engine_post_integrate(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  post_integrate();
}
