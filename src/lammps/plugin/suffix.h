// Under `suffix triad` and `lmp -suffix triad`, LAMMPS creates styles of the plugin in place of its own. This must not
// change a run, so a factory returns LAMMPS's own style where ours would behave differently or stop with an error.
#pragma once

#include <string>
#include <type_traits>

#include "force.h"
#include "lammps.h"
#include "lammps/compute/compute_for_stock.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/run/engine_pairs.h"
#include "lammps/util/loop_errors.h"
#include "lammps/util/reporting_style.h"

namespace LAMMPS_NS {

/// True if LAMMPS found our style by the suffix. `named`: the name of the style in the script.
bool found_by_suffix(const std::string &named);

/// True if `suffix triad` or `lmp -suffix triad` is in force.
bool suffix_is_ours(const LAMMPS *lmp);

/// Under the suffix, replaces LAMMPS's run_style verlet, which is also the default, by verlet/triad. Does nothing
/// during a run.
void take_run_style_by_suffix(LAMMPS *lmp);

/// The run style in force if no fix of ours supports it (respa), otherwise an empty string.
std::string unsupported_run_style(const LAMMPS *lmp);

/// If the suffix found the fix, and the run style in force or an argument is not supported: the fix that makes place
/// for LAMMPS's own. Otherwise null, and the run style of the suffix is in force. `unsupported`: Style::unsupported().
Fix *place_for_stock(LAMMPS *lmp, int narg, char **arg, std::string (*unsupported)(LAMMPS *, int, char **));

/// Factory of a fix. Under the suffix, returns LAMMPS's own fix if Style::unsupported() names an argument. If only
/// later commands decide, swap_in_stock_fixes() replaces the fix.
template <class Style>
void *create_fix(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (Fix *const place_holder = place_for_stock(lmp, narg, arg, &Style::unsupported)) return place_holder;
  auto *const style = new_reporting<Fix, Style>(lmp, narg, arg);
  if constexpr (std::is_base_of_v<StockFallback, Style>)
    if (found_by_suffix(arg[2])) style->mark_found_by_suffix();
  Fix *const fix = style;
  return fix;
}

/// Factory of fix deform/triad: LAMMPS's fix deform, whose atoms may stay on an engine (lammps/run/box_deformation.h).
void *create_deform(void *handle, int narg, char **arg);

/// Factory of fix pairwise/triad, which computes all forces if there is no pair style.
void *create_pairwise(void *handle, int narg, char **arg);

/// Factory of compute heat/flux/triad: without arguments that of the pair style's own tallies, with three IDs that of
/// per-atom computes.
void *create_heat_flux(void *handle, int narg, char **arg);

/// Returns a compute that LAMMPS's compute of the name in the script replaces.
inline Compute *place_for_stock_compute(LAMMPS *lmp, int narg, char **arg) {
  return new ComputeForStock(lmp, narg, arg);
}

/// Factory of a compute. Under the suffix, returns LAMMPS's own compute if Style::unsupported() names an argument.
template <class Style>
void *create_compute(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (found_by_suffix(arg[2]) && !Style::unsupported(lmp, narg, arg).empty())
    return place_for_stock_compute(lmp, narg, arg);
  Compute *const compute = new_reporting<Compute, Style>(lmp, narg, arg);
  return compute;
}

/// Factory of compute temp/triad. Returns LAMMPS's compute temp for LAMMPS's compute thermo_temp, which must outlive
/// the plugin; run_style verlet/triad replaces that compute while it is in force.
void *create_temperature(void *handle, int narg, char **arg);

/// Factory of run_style verlet/triad. Returns LAMMPS's verlet while the plugin is being unloaded: `plugin unload` then
/// creates run_style verlet, and under the suffix LAMMPS calls this factory.
void *create_run_style(void *handle, int narg, char **arg);

/// Factory of pair_style lj/cut/triad. Under the suffix, returns LAMMPS's lj/cut unless the style is a sub-style of
/// pair_style hybrid or hybrid/overlay with a style of the Tersoff family, where atoms then stay on the engine.
void *create_lj_cut(void *handle);

/// Factory of pair_style tersoff/table/triad. Returns LAMMPS's tersoff/table under the suffix; otherwise writes an
/// error that names the styles to use.
void *create_tersoff_table(void *handle);

}  // namespace LAMMPS_NS
