// Entry point of triadplugin.so.

#include "lammps/plugin/registration.h"
#include "lammps/plugin/styles.h"

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc) {
  if (triad::is_our_lammps(lmp)) triad::register_styles(triad::styles, lmp, handle, regfunc);
}
