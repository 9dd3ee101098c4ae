// How far a run has come, for settings that change from its start to its end.
#pragma once

#include "dynamics/temperature_ramp.h"
#include "update.h"

namespace LAMMPS_NS {

/// From the first step of the run, or of `run start`, to the last one, or of `run stop`.
inline triad::RunSpan run_span(const Update *update) { return {update->beginstep, update->endstep}; }

inline double run_progress(const Update *update) { return run_span(update).progress(update->ntimestep); }

}  // namespace LAMMPS_NS
