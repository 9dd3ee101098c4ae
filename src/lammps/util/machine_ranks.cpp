#include "lammps/util/machine_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "lammps/util/gpu_index.h"
#include "universe.h"

namespace LAMMPS_NS {
namespace {

struct MachineRanks {
  int count = 1;      // ranks on this machine, of all partitions as far as known
  int gpu_index = 0;  // of this rank
};

/// Of all LAMMPS instances of the process, which may run in several threads.
struct RanksOfInstances {
  std::mutex mutex;
  std::map<const LAMMPS *, MachineRanks> of;
};

RanksOfInstances &ranks_of_instances() {
  static RanksOfInstances ranks;
  return ranks;
}

/// Number of ranks of the program on this machine, which MPI's launcher puts into the environment, or -1.
int ranks_of_launcher() {
  for (const char *const name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})  // MPICH, Open MPI
    if (const int count = number_of_launcher(std::getenv(name)); count >= 0) return count;
  return -1;
}

/// Collective over the partition. A call that is collective over all partitions would wait for those that use no style
/// of Triad, so what concerns other partitions comes from the environment.
MachineRanks find_ranks(const LAMMPS &lmp) {
  MachineRanks ranks;
  MPI_Comm machine;
  MPI_Comm_split_type(lmp.world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int rank = 0;
  MPI_Comm_rank(machine, &rank);
  MPI_Comm_size(machine, &ranks.count);
  const int mine = local_rank_of_launcher([](const char *name) { return std::getenv(name); });
  std::vector<int> launched(ranks.count);
  MPI_Allgather(&mine, 1, MPI_INT, launched.data(), 1, MPI_INT, machine);
  MPI_Comm_free(&machine);
  const Universe &universe = *lmp.universe;
  ranks.gpu_index = gpu_index(std::move(launched), rank, universe.root_proc[universe.iworld]);
  if (universe.nworlds > 1) ranks.count = std::max(ranks.count, ranks_of_launcher());
  return ranks;
}

/// Collective at the first call of an instance.
MachineRanks machine_ranks(const LAMMPS *lmp) {
  RanksOfInstances &ranks = ranks_of_instances();
  {
    const std::lock_guard<std::mutex> guard(ranks.mutex);
    const auto known = ranks.of.find(lmp);
    if (known != ranks.of.end()) return known->second;
  }
  const MachineRanks found = find_ranks(*lmp);
  const std::lock_guard<std::mutex> guard(ranks.mutex);
  return ranks.of[lmp] = found;
}

}  // namespace

int ranks_on_machine(LAMMPS *lmp) { return machine_ranks(lmp).count; }

int gpu_index_of(LAMMPS *lmp) { return machine_ranks(lmp).gpu_index; }

void forget_machine_ranks(const LAMMPS *lmp) {
  RanksOfInstances &ranks = ranks_of_instances();
  const std::lock_guard<std::mutex> guard(ranks.mutex);
  ranks.of.erase(lmp);
}

}  // namespace LAMMPS_NS
