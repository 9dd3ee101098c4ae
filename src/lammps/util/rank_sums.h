// Sums over the atoms of all ranks.
#pragma once

#include <mpi.h>

namespace LAMMPS_NS {

/// The sums over the ranks of the first n numbers of `mine`; the other numbers are 0. `Sums`: a struct of doubles with
/// operator[] and `size`, such as triad::KineticSums. Collective over the communicator `world`.
template <class Sums>
Sums sum_over_ranks(Sums mine, MPI_Comm world, int n = Sums::size) {
  double sums[Sums::size];
  for (int k = 0; k < n; ++k) sums[k] = mine[k];
  MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_DOUBLE, MPI_SUM, world);
  Sums all;
  for (int k = 0; k < n; ++k) all[k] = sums[k];
  return all;
}

}  // namespace LAMMPS_NS
