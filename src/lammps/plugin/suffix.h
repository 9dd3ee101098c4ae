// `suffix triad` and `lmp -suffix triad` put our styles in place of LAMMPS's. A run must not change by that, so where
// ours would do something else or stop, LAMMPS's own is made.
#pragma once

#include <string>

#include "lammps.h"
#include "lammps/util/reporting_style.h"

namespace LAMMPS_NS {

class Fix;

/// Whether LAMMPS has found our style by the suffix: `named` is the style as the script has it.
bool found_by_suffix(const std::string &named);

/// LAMMPS's own fix for these arguments, which replaces one of ours because that does not support `what`; says so.
Fix *make_stock_fix(LAMMPS *lmp, int narg, char **arg, const std::string &what);

/// What no fix of ours supports: run_style respa, if that is the present one.
std::string unsupported_run_style(const LAMMPS *lmp);

/// Factory of a fix. Style::unsupported() says which of the arguments only LAMMPS's own fix knows.
template <class Style>
void *create_fix(void *handle, int narg, char **arg) {
  auto *const lmp = static_cast<LAMMPS *>(handle);
  if (found_by_suffix(arg[2])) {
    std::string what = unsupported_run_style(lmp);
    if (what.empty()) what = Style::unsupported(lmp, narg, arg);
    if (!what.empty()) return make_stock_fix(lmp, narg, arg, what);
  }
  return new_reporting<Fix, Style>(lmp, narg, arg);
}

}  // namespace LAMMPS_NS
