// The number of host threads of a rank.
#pragma once

#include <string>

#include "lammps.h"

namespace LAMMPS_NS {

/// Number of threads that the loops of this rank use: those that LAMMPS has (OMP_NUM_THREADS, -package omp), but no
/// more than this rank's share of the cores, because threads without a core of their own make short loops up to a
/// hundred times slower. The ranks of one machine share the cores that the process may use. The environment variable
/// TRIAD_OVERSUBSCRIBE=1 removes the limit. As ranks_on_machine(), collective at the first call.
int threads_of(LAMMPS *lmp);

/// Addition to the line of a host backend in the log: says if fewer threads are used than LAMMPS has, if ranks share
/// cores, or if cores are left unused. Empty if there is nothing to say. As ranks_on_machine(), collective at the first
/// call.
std::string note_on_threads(LAMMPS *lmp);

}  // namespace LAMMPS_NS
