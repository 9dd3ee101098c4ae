#include "lammps/util/thread_choice.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "comm.h"
#include "core/usable_cores.h"
#include "fmt/format.h"
#include "universe.h"

namespace LAMMPS_NS {
namespace {

/// Of all LAMMPS instances of the process, which may run in several threads.
struct RanksPerHost {
  std::mutex mutex;
  std::map<const LAMMPS *, int> of;
};

RanksPerHost &ranks_per_host() {
  static RanksPerHost ranks;
  return ranks;
}

/// Number of ranks of the program on this machine, which MPI's launcher puts into the environment, or 0. It contains
/// the ranks of all partitions; a collective count would wait for partitions that use no style of Triad.
int ranks_of_launcher() {
  for (const char *const name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})  // MPICH, Open MPI
    if (const char *const value = std::getenv(name)) return std::atoi(value);
  return 0;
}

/// Number of ranks on this machine, of all partitions as far as known.
int ranks_on_this_host(LAMMPS *lmp) {
  RanksPerHost &ranks = ranks_per_host();
  {
    const std::lock_guard<std::mutex> guard(ranks.mutex);
    const auto known = ranks.of.find(lmp);
    if (known != ranks.of.end()) return known->second;
  }
  MPI_Comm host;
  int count = 1;
  MPI_Comm_split_type(lmp->world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &count);
  MPI_Comm_free(&host);
  if (lmp->universe->nworlds > 1) count = std::max(count, ranks_of_launcher());
  const std::lock_guard<std::mutex> guard(ranks.mutex);
  return ranks.of[lmp] = count;
}

bool may_oversubscribe() {
  const char *const value = std::getenv("TRIAD_OVERSUBSCRIBE");
  return value && std::string(value) == "1";
}

int cores_per_rank(LAMMPS *lmp) { return std::max(1, triad::usable_cores() / ranks_on_this_host(lmp)); }

}  // namespace

int threads_of(LAMMPS *lmp) {
  const int given = lmp->comm->nthreads;
  return given == 1 || may_oversubscribe() ? given : std::min(given, cores_per_rank(lmp));
}

std::string note_on_threads(LAMMPS *lmp) {
  const int given = lmp->comm->nthreads, used = threads_of(lmp), ranks = ranks_on_this_host(lmp);
  const int cores = triad::usable_cores();
  const std::string sharers =
      ranks == 1 ? fmt::format("this process may use {} core{}", cores, cores == 1 ? "" : "s")
                 : fmt::format("the {} ranks of this machine may use {} core{}", ranks, cores, cores == 1 ? "" : "s");
  if (ranks > cores) return fmt::format("; {}, which slows all of them down", sharers);
  if (used < given)
    return fmt::format("; {} of the {} OpenMP threads are not used, since {}", given - used, given, sharers);
  if (used < cores_per_rank(lmp)) return fmt::format("; {}, see OMP_NUM_THREADS", sharers);
  return "";
}

void forget_ranks_per_host(const LAMMPS *lmp) {
  RanksPerHost &ranks = ranks_per_host();
  const std::lock_guard<std::mutex> guard(ranks.mutex);
  ranks.of.erase(lmp);
}

}  // namespace LAMMPS_NS
