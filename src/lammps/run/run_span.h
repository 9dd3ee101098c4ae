// The range of steps in which settings change from their start values to their stop values.
#pragma once

#include "dynamics/temperature_ramp.h"
#include "update.h"

namespace LAMMPS_NS {

/// From the first step of the run, or of `run start`, to the last one, or of `run stop`.
inline triad::RunSpan run_span(const Update *update) { return {update->beginstep, update->endstep}; }

}  // namespace LAMMPS_NS
