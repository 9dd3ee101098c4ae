// What the entry points of all plugins do: refuse a LAMMPS other than the one they were built for, register their
// styles. Compiled once per plugin, whose version is TRIAD_LAMMPS_VERSION.
//
// LAMMPS only logs a version mismatch and then calls through class layouts that may have changed. The check therefore
// uses nothing but LAMMPS's C library interface, whose functions keep their signatures.
#pragma once

#include <cstdio>
#include <string>

#include "lammps.h"
#include "lammps/plugin/style_row.h"
#include "library.h"

namespace triad {

/// Writes a warning, so that scripts without our styles still run.
inline void warn_not_loaded(void *lmp, const std::string &text) { lammps_error(lmp, 0, text.c_str()); }

/// Whether the running LAMMPS has the version that this plugin was built for; warns if not.
inline bool is_our_version(void *lmp) {
  const int running = lammps_version(lmp);
  if (running == TRIAD_LAMMPS_VERSION) return true;
  warn_not_loaded(lmp, "Triad was built for LAMMPS version " + std::to_string(TRIAD_LAMMPS_VERSION) +
                           " and is not loaded into LAMMPS version " + std::to_string(running) +
                           ": its styles are not available. Install the Triad that matches this LAMMPS, or rebuild it "
                           "against this LAMMPS");
  return false;
}

/// Registers every row of a table of styles. LAMMPS must be of our version.
template <class Rows>
void register_styles(const Rows &rows, void *lmp, void *handle, void *regfunc) {
  // LAMMPS's own version string, which it keeps a pointer to and compares as text
  const char *const version = static_cast<LAMMPS_NS::LAMMPS *>(lmp)->version;
  const auto register_style = reinterpret_cast<lammpsplugin_regfunc>(regfunc);
  for (const StyleRow &row : rows) {
    lammpsplugin_t plugin = {};
    plugin.version = version;
    plugin.style = row.kind;
    plugin.name = row.name;
    plugin.info = row.info;
    plugin.author = "The Triad developers";
    if (row.create_with_arguments)
      plugin.creator.v2 = row.create_with_arguments;
    else
      plugin.creator.v1 = row.create;
    plugin.handle = handle;
    register_style(&plugin, lmp);
  }
}

}  // namespace triad
