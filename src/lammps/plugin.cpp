// Entry point of triadplugin.so: registers the styles, and refuses a LAMMPS other than the one it was built for.
//
// LAMMPS only logs a version mismatch and then calls through class layouts that may have changed. The check therefore
// uses nothing but LAMMPS's C library interface, whose functions keep their signatures.

#include <cstdio>
#include <string>

#include "lammps/styles.h"
#include "library.h"

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc) {
  const int running = lammps_version(lmp);
  if (running != TRIAD_LAMMPS_VERSION) {
    const std::string text =
        "Triad was built for LAMMPS version " + std::to_string(TRIAD_LAMMPS_VERSION) +
        " and is not loaded into LAMMPS version " + std::to_string(running) +
        ": its styles are not available. Install the Triad that matches this LAMMPS, or rebuild it "
        "against this LAMMPS";
    lammps_error(lmp, 0, text.c_str());  // 0: a warning, so that scripts without our styles still run
    return;
  }

  // same version as ours: hand LAMMPS its own version string, which it keeps a pointer to and compares as text
  const char *const version = static_cast<LAMMPS_NS::LAMMPS *>(lmp)->version;
  const auto register_style = reinterpret_cast<lammpsplugin_regfunc>(regfunc);
  for (const triad::StyleRow &row : triad::styles) {
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
