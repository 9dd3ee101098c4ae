// Entry point of triadkkplugin.so, for a LAMMPS with the KOKKOS package.

#include <dlfcn.h>
#include <link.h>

#include "kokkos/styles_kokkos.h"
#include "lammps/plugin/registration.h"

namespace {

/// True if LAMMPS is part of the executable, according to the dynamic linker.
bool lammps_is_static() {
  void *const function = dlsym(RTLD_DEFAULT, "lammps_version");
  Dl_info info;
  link_map *object = nullptr;
  return dladdr1(function, &info, reinterpret_cast<void **>(&object), RTLD_DL_LINKMAP) != 0 && object &&
         object->l_name[0] == '\0';
}

/// Returns the reason why the styles cannot work in the running LAMMPS, or an empty string.
std::string why_not() {
#if defined(KOKKOS_ENABLE_CUDA)
  constexpr bool cuda = true;
#else
  constexpr bool cuda = false;
#endif
  if (lammps_is_static())
    return "this LAMMPS is linked statically, and Triad needs the Kokkos library inside a shared one: build LAMMPS "
           "with -D BUILD_SHARED_LIBS=on";
  if (!lammps_config_has_package("KOKKOS")) return "this LAMMPS has no KOKKOS package: use triadplugin.so alone";
  if (lammps_config_accelerator("KOKKOS", "api", "cuda") != cuda)
    return std::string("the KOKKOS package of this LAMMPS is built ") + (cuda ? "without" : "with") +
           " CUDA, and the one that this plugin was built against " + (cuda ? "with" : "without") +
           ": rebuild Triad with -D LAMMPS_BINARY_DIR=<build folder of this LAMMPS>";
  return "";
}

}  // namespace

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc) {
  if (!triad::is_our_lammps(lmp)) return;
  const std::string reason = why_not();
  if (!reason.empty())
    triad::warn_not_loaded(lmp, "Triad's styles for KOKKOS are not available: " + reason);
  else
    triad::register_styles(triad::kokkos_styles, lmp, handle, regfunc);
}
