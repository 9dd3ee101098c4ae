#include "lammps/plugin/suffix.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "compute.h"
#include "error.h"
#include "force.h"
#include "input.h"
#include "lammps/compat/releases.h"
#include "lammps/compute/compute_heat_flux_atoms.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/pair/pair_lj_cut_triad.h"
#include "lammps/pair/pair_tersoff_triad.h"
#include "lammps/run/box_deformation.h"
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

void LAMMPS_NS::take_run_style_by_suffix(LAMMPS *lmp) {
  Update *const update = lmp->update;
  char style[] = "verlet/triad", *arguments = style;
  if (!suffix_is_ours(lmp) || lmp->kokkos || update->whichflag != 0 ||
      std::strcmp(update->integrate_style, "verlet") != 0 || !update->integrate_map->count(style))
    return;
  update->create_integrate(1, &arguments, 0);
  update->first_update = 0;  // `run pre no` must not skip the initialisation of the new run style
}

void *LAMMPS_NS::create_pairwise(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (!lmp->force->pair || std::strcmp(lmp->force->pair_style, "zero") == 0) take_run_style_by_suffix(lmp);
  Fix *const fix = new_reporting<Fix, FixPairwiseTriad>(lmp, narg, arg);
  return fix;
}

void *LAMMPS_NS::create_deform(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (Fix *const place_holder = place_for_stock(lmp, narg, arg, &unsupported_deformation)) return place_holder;
  const std::string what = unsupported_deformation(lmp, narg, arg);
  if (!what.empty()) lmp->error->all(FLERR, "Fix {} does not support {}; use fix deform", arg[2], what);
  char stock[] = "deform";  // LAMMPS's fix looks at the name of its style
  std::vector<char *> words(arg, arg + narg);
  words[2] = stock;
  Fix *const fix = lmp->modify->fix_map->at(stock)(lmp, narg, words.data());
  delete[] fix->style;
  fix->style = utils::strdup("deform/triad");
  return fix;
}

std::string LAMMPS_NS::unsupported_run_style(const LAMMPS *lmp) {
  return utils::strmatch(lmp->update->integrate_style, "^respa") ? "run_style respa" : "";
}

Fix *LAMMPS_NS::place_for_stock(LAMMPS *lmp, int narg, char **arg, std::string (*unsupported)(LAMMPS *, int, char **)) {
  if (found_by_suffix(arg[2])) {
    std::string what = unsupported_run_style(lmp);
    if (what.empty()) what = unsupported(lmp, narg, arg);
    if (!what.empty()) return new FixForStock(lmp, narg, arg, what);
  }
  reporting_loop_errors(
      lmp, [&] { return fmt::format("fix {}", arg[2]); }, [&] { EnginePairs(lmp).take_run_style(); });
  return nullptr;
}

void *LAMMPS_NS::create_heat_flux(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (narg > 3) return create_compute<ComputeHeatFluxAtoms>(handle, narg, arg);
  Compute *const compute = new_reporting<Compute, ComputeHeatFluxTriad>(lmp, narg, arg);
  return compute;
}

void *LAMMPS_NS::create_temperature(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (found_by_suffix(arg[2]) && std::strcmp(arg[0], "thermo_temp") == 0)
    return lmp->modify->compute_map->at("temp")(lmp, narg, arg);
  Compute *const compute = new_reporting<Compute, ComputeTempTriad>(lmp, narg, arg);
  return compute;
}

namespace {

/// True if LAMMPS's list of plugins has our run style. `plugin unload` removes a style from the list before it replaces
/// the style.
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
  Integrate *const run_style = new_reporting<Integrate, VerletTriad>(lmp, narg, arg);
  return run_style;
}

namespace {

bool executes_pair_style(const Input *input) {
  const char *const command = current_command(input);
  return command && std::strcmp(command, "pair_style") == 0;
}

/// True while LAMMPS creates a sub-style of `pair_style hybrid` with a style of the Tersoff family.
bool creates_hybrid_with_tersoff(const LAMMPS *lmp) {
  if (!lmp->force->pair_style || !utils::strmatch(lmp->force->pair_style, "^hybrid")) return false;
  const Input *const input = lmp->input;
  if (!executes_pair_style(input)) return false;
  return std::any_of(input->arg, input->arg + input->narg,
                     [](const char *word) { return utils::strmatch(word, "^tersoff"); });
}

/// True if the script names lj/cut/triad.
bool names_lj_cut_triad(const LAMMPS *lmp) {
  const Input *const input = lmp->input;
  return executes_pair_style(input) && std::any_of(input->arg, input->arg + input->narg, [](const char *word) {
           return std::strcmp(word, "lj/cut/triad") == 0;
         });
}

}  // namespace

void *LAMMPS_NS::create_lj_cut(void *handle) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  const auto stock = lmp->force->pair_map->find("lj/cut");
  if (suffix_is_ours(lmp) && stock != lmp->force->pair_map->end() && !names_lj_cut_triad(lmp) &&
      !creates_hybrid_with_tersoff(lmp))
    return stock->second(lmp);
  Pair *const pair = new_reporting<Pair, PairLJCutTriad>(lmp);
  return pair;
}

void *LAMMPS_NS::create_tersoff_table(void *handle) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  const auto stock = lmp->force->pair_map->find("tersoff/table");
  if (!suffix_is_ours(lmp) || stock == lmp->force->pair_map->end()) return new PairTersoffTableTriad(lmp);
  RunLog(lmp).before_thermo(
      "Triad: pair_style tersoff/table remains LAMMPS's style; pair_style tersoff is faster with Triad\n");
  return stock->second(lmp);
}
