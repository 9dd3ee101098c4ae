#include "lammps/util/machine_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "lammps/util/gpu_index.h"
#include "lammps/util/per_instance.h"
#include "universe.h"

namespace LAMMPS_NS {
namespace {

struct MachineRanks {
  int count = 1;      // ranks on this machine, of all partitions as far as known
  int gpu_index = 0;  // of this rank
};

PerInstance<std::optional<MachineRanks>> &ranks_of_instances() {
  static PerInstance<std::optional<MachineRanks>> ranks;
  return ranks;
}

/// Answers of every_rank_has_gpu().
PerInstance<std::optional<bool>> &gpus_of_instances() {
  static PerInstance<std::optional<bool>> gpus;
  return gpus;
}

/// Returns what is known of an instance, or finds it out, without keeping other instances waiting for the ranks of this
/// one.
template <class Value, class Find>
Value known_or_found(PerInstance<std::optional<Value>> &values, const LAMMPS *lmp, Find &&find) {
  const auto known = values.with(lmp, [](const auto &of) { return of; });
  if (known) return *known;
  const Value found = find();
  values.with(lmp, [&](auto &of) { of = found; });
  return found;
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
  return known_or_found(ranks_of_instances(), lmp, [&] { return find_ranks(*lmp); });
}

}  // namespace

int ranks_on_machine(LAMMPS *lmp) { return machine_ranks(lmp).count; }

int gpu_index_of(LAMMPS *lmp) { return machine_ranks(lmp).gpu_index; }

bool every_rank_has_gpu(LAMMPS *lmp, bool usable) {
  return known_or_found(gpus_of_instances(), lmp, [&] {
    const int mine = usable;
    int every = 0;
    MPI_Allreduce(&mine, &every, 1, MPI_INT, MPI_MIN, lmp->world);
    return every != 0;
  });
}

void forget_machine_ranks(const LAMMPS *lmp) {
  ranks_of_instances().forget(lmp);
  gpus_of_instances().forget(lmp);
}

}  // namespace LAMMPS_NS
