// The number of the GPU that a process of an MPI job uses.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>
#include <vector>

namespace LAMMPS_NS {

/// Environment variables in which launchers of MPI programs number the processes of a machine from 0: those of MPICH
/// and of MPIs derived from it, Open MPI, and Slurm's srun.
inline constexpr const char *local_rank_variables[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                                       "SLURM_LOCALID"};

/// Returns the number >= 0 that the whole text represents, or -1 if there is none, also for null.
inline int number_of_launcher(const char *text) {
  if (!text) return -1;
  int number = -1;
  const char *const end = text + std::strlen(text);
  const auto [rest, failure] = std::from_chars(text, end, number);
  return failure == std::errc() && rest == end ? std::max(number, -1) : -1;
}

/// Returns the number of this process among those of the job on its machine, as the launcher has put it into the
/// environment, or -1. `value_of(name)` returns the value of an environment variable, or null.
template <class ValueOf>
int local_rank_of_launcher(ValueOf &&value_of) {
  for (const char *const name : local_rank_variables)
    if (const int number = number_of_launcher(value_of(name)); number >= 0) return number;
  return -1;
}

/// Returns the number of the GPU of a process, to be taken modulo the number of GPUs of its machine.
/// `launched`: local_rank_of_launcher() of the processes of one partition on that machine. They count if they differ:
/// the variables of another launcher, in whose process MPI was started, are the same in all processes.
/// `rank`: number of the process among these.
/// `earlier`: number of processes in earlier partitions.
inline int gpu_index(std::vector<int> launched, int rank, int earlier) {
  const int mine = launched[rank];
  std::sort(launched.begin(), launched.end());
  const bool differ = std::adjacent_find(launched.begin(), launched.end()) == launched.end();
  return differ && launched.front() >= 0 ? mine : earlier + rank;
}

}  // namespace LAMMPS_NS
