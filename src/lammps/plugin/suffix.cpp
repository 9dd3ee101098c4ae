#include "lammps/plugin/suffix.h"

#include "fix.h"
#include "lammps/util/run_log.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

bool LAMMPS_NS::found_by_suffix(const std::string &named) { return !utils::strmatch(named, "/triad$"); }

std::string LAMMPS_NS::unsupported_run_style(const LAMMPS *lmp) {
  return utils::strmatch(lmp->update->integrate_style, "^respa") ? "run_style respa" : "";
}

Fix *LAMMPS_NS::make_stock_fix(LAMMPS *lmp, int narg, char **arg, const std::string &what) {
  RunLog(lmp).before_thermo(fmt::format("Triad: fix {} stays LAMMPS's {}, since {}/triad does not support {}\n", arg[0],
                                        arg[2], arg[2], what));
  return lmp->modify->fix_map->at(arg[2])(lmp, narg, arg);
}
