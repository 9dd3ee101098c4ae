#include "lammps/plugin/suffix.h"

#include <cstring>

#include "compute.h"
#include "force.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/pair/pair_tersoff_triad.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/run_log.h"
#include "library.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

bool LAMMPS_NS::found_by_suffix(const std::string &named) { return !utils::strmatch(named, "/triad$"); }

bool LAMMPS_NS::suffix_is_ours(const LAMMPS *lmp) {
  const auto ours = [](const char *suffix) { return suffix && std::strcmp(suffix, "triad") == 0; };
  return lmp->suffix_enable && (ours(lmp->suffix) || ours(lmp->suffix2));
}

std::string LAMMPS_NS::unsupported_run_style(const LAMMPS *lmp) {
  return utils::strmatch(lmp->update->integrate_style, "^respa") ? "run_style respa" : "";
}

void *LAMMPS_NS::create_heat_flux(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (found_by_suffix(arg[2]) && narg > 3) return lmp->modify->compute_map->at(arg[2])(lmp, narg, arg);
  Compute *const compute = new_reporting<Compute, ComputeHeatFluxTriad>(lmp, narg, arg);
  return compute;
}

void *LAMMPS_NS::create_temperature(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (found_by_suffix(arg[2]) && std::strcmp(arg[0], "thermo_temp") == 0)
    return lmp->modify->compute_map->at("temp")(lmp, narg, arg);
  Compute *const compute = new ComputeTempTriad(lmp, narg, arg);
  return compute;
}

namespace {

/// True if LAMMPS's list of plugins has our run style, from which `plugin unload` takes a style before it is replaced.
bool run_style_is_loaded() {
  char kind[32], name[64];
  for (int i = 0; i < lammps_plugin_count(); ++i)
    if (lammps_plugin_name(i, kind, name, int(sizeof kind)) && !std::strcmp(kind, "run") &&
        !std::strcmp(name, "verlet/triad"))
      return true;
  return false;
}

}  // namespace

void *LAMMPS_NS::create_run_style(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (!run_style_is_loaded()) return lmp->update->integrate_map->at("verlet")(lmp, narg, arg);
  Integrate *const run_style = new VerletTriad(lmp, narg, arg);
  return run_style;
}

void *LAMMPS_NS::create_tersoff_table(void *handle) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  const auto stock = lmp->force->pair_map->find("tersoff/table");
  if (!suffix_is_ours(lmp) || stock == lmp->force->pair_map->end()) return new PairTersoffTableTriad(lmp);
  RunLog(lmp).before_thermo("Triad: pair_style tersoff/table stays LAMMPS's; pair_style tersoff is faster here\n");
  return stock->second(lmp);
}
