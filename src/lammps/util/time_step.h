// Change of LAMMPS's time step during a run.
#pragma once

#include "fix.h"
#include "force.h"
#include "modify.h"
#include "output.h"
#include "pair.h"
#include "update.h"

namespace LAMMPS_NS {

/// Sets the time step and informs all that depends on it, as stock fix dt/reset does. To be called on all ranks.
inline void set_time_step(LAMMPS *lmp, double step) {
  lmp->update->update_time();
  lmp->update->dt = step;
  lmp->update->dt_default = 0;
  if (lmp->force->pair) lmp->force->pair->reset_dt();
  for (Fix *fix : lmp->modify->get_fix_list()) fix->reset_dt();
  lmp->output->reset_dt();
}

}  // namespace LAMMPS_NS
