// Entry point of triadplugin.so.

#include "lammps/command/command_triad.h"
#include "lammps/plugin/registration.h"
#include "lammps/plugin/style_table.h"
#include "lammps/run/command_arguments.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/machine_ranks.h"

extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc) {
  if (!triad::is_our_lammps(lmp)) return;
  triad::register_styles(triad::style_table(), lmp, handle, regfunc);
  LAMMPS_NS::add_command_triad(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
  LAMMPS_NS::forget_default_settings(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
  LAMMPS_NS::forget_machine_ranks(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
  LAMMPS_NS::remember_arguments(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
}
