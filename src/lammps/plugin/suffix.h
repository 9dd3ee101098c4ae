// `suffix triad` and `lmp -suffix triad` put our styles in place of LAMMPS's. A run must not change by that, so where
// ours would do something else or stop, LAMMPS's own is made.
#pragma once

#include <string>
#include <type_traits>

#include "force.h"
#include "lammps.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/pair/pair_tersoff_triad.h"
#include "lammps/util/reporting_style.h"

namespace LAMMPS_NS {

/// Whether LAMMPS has found our style by the suffix: `named` is the style as the script has it.
bool found_by_suffix(const std::string &named);

/// Whether `suffix triad` or `lmp -suffix triad` is in force.
bool suffix_is_ours(const LAMMPS *lmp);

/// Under the suffix makes run_style verlet/triad the run style where that is LAMMPS's own verlet, which a script
/// without a run_style command has, and no run is going on.
void take_run_style_by_suffix(LAMMPS *lmp);

/// What no fix of ours supports: run_style respa, if that is the present one.
std::string unsupported_run_style(const LAMMPS *lmp);

/// Factory of a fix. Style::unsupported() says which of the arguments only LAMMPS's own fix knows. What only later
/// commands tell is left to swap_in_stock_fixes().
template <class Style>
void *create_fix(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (found_by_suffix(arg[2])) {
    std::string what = unsupported_run_style(lmp);
    if (what.empty()) what = Style::unsupported(lmp, narg, arg);
    if (!what.empty()) {
      Fix *const place_holder = new FixForStock(lmp, narg, arg, what);
      return place_holder;
    }
  }
  if (auto *const pair = dynamic_cast<PairTersoffTriad *>(lmp->force->pair)) pair->take_run_style();
  auto *const style = new_reporting<Fix, Style>(lmp, narg, arg);
  if constexpr (std::is_base_of_v<StockFallback, Style>)
    if (found_by_suffix(arg[2])) style->mark_found_by_suffix();
  Fix *const fix = style;
  return fix;
}

/// Factory of fix pairwise/triad, which computes all forces where there is no pair style.
void *create_pairwise(void *handle, int narg, char **arg);

/// Factory of compute heat/flux/triad: LAMMPS's own compute heat/flux where a script names that and gives it the
/// computes that it needs.
void *create_heat_flux(void *handle, int narg, char **arg);

/// Factory of compute temp/triad: LAMMPS's own compute temp where LAMMPS makes its compute thermo_temp, which would not
/// outlive the plugin. The run style replaces that one while it is in force.
void *create_temperature(void *handle, int narg, char **arg);

/// Factory of run_style verlet/triad: LAMMPS's own verlet while the plugin is unloaded. `plugin unload` then asks for
/// verlet, and under the suffix finds ours once more.
void *create_run_style(void *handle, int narg, char **arg);

/// Factory of pair_style tersoff/table/triad: LAMMPS's own tersoff/table under the suffix, otherwise an error that says
/// what to use.
void *create_tersoff_table(void *handle);

}  // namespace LAMMPS_NS
