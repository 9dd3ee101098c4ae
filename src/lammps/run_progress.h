// How far a run has come, for settings that change from its start to its end.
#pragma once

#include "update.h"

namespace LAMMPS_NS {

/// 0 at the first step of the run, or of `run start`; 1 at the last one, or of `run stop`.
inline double run_progress(const Update *update) {
  const auto done = static_cast<double>(update->ntimestep - update->beginstep);
  return done == 0 ? 0 : done / static_cast<double>(update->endstep - update->beginstep);
}

}  // namespace LAMMPS_NS
