// Sums over the atoms of all ranks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

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

/// Replaces each element by its sum over the ranks, on all of which `sums` has the same length. `Sums`: a struct of
/// nothing but `size` doubles. Collective.
template <class Sums>
void sum_over_ranks(std::vector<Sums> &sums, MPI_Comm world) {
  static_assert(sizeof(Sums) == Sums::size * sizeof(double), "MPI sums the doubles of the struct");
  constexpr std::size_t most = (std::size_t(1) << 30) / Sums::size;  // elements per call, whose count is an int
  for (std::size_t first = 0; first < sums.size(); first += most) {
    const std::size_t count = std::min(most, sums.size() - first) * Sums::size;
    MPI_Allreduce(MPI_IN_PLACE, sums.data() + first, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, world);
  }
}

}  // namespace LAMMPS_NS
