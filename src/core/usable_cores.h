// The processor cores that this process may use.
#pragma once

namespace triad {

/// Returns the number of cores that the process may use: those of its affinity mask, but no more than the CPU time that
/// its control group allows (containers, batch systems). At least 1. Constant during the life of the process.
int usable_cores();

}  // namespace triad
