// The precision and backend of styles whose commands do not name them: from the command `triad`, from the environment
// variables TRIAD_PRECISION and TRIAD_BACKEND, or those of the manual, in this order.
#pragma once

#include "lammps/util/backend_choice.h"

namespace LAMMPS_NS {

/// For the next style of this LAMMPS instance. An error names an environment variable whose value is none of the known.
triad::Precision default_precision(LAMMPS *lmp);
BackendChoice default_backend(LAMMPS *lmp);

/// What the command `triad` sets.
void set_default_precision(LAMMPS *lmp, triad::Precision precision);
void set_default_backend(LAMMPS *lmp, BackendChoice backend);

/// For a new LAMMPS instance, and after its command `clear`: forgets what the command has set.
void forget_default_settings(LAMMPS *lmp);

}  // namespace LAMMPS_NS
