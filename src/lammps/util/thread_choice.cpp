#include "lammps/util/thread_choice.h"

#include <algorithm>
#include <cstdlib>

#include "comm.h"
#include "core/usable_cores.h"
#include "fmt/format.h"
#include "lammps/util/machine_ranks.h"

namespace LAMMPS_NS {
namespace {

bool may_oversubscribe() {
  const char *const value = std::getenv("TRIAD_OVERSUBSCRIBE");
  return value && std::string(value) == "1";
}

int cores_per_rank(LAMMPS *lmp) { return std::max(1, triad::usable_cores() / ranks_on_machine(lmp)); }

}  // namespace

int threads_of(LAMMPS *lmp) {
  ranks_on_machine(lmp);  // collective at the first call, also where a rank does not need the number
  const int given = lmp->comm->nthreads;
  return given == 1 || may_oversubscribe() ? given : std::min(given, cores_per_rank(lmp));
}

std::string note_on_threads(LAMMPS *lmp) {
  const int given = lmp->comm->nthreads, used = threads_of(lmp), ranks = ranks_on_machine(lmp);
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

}  // namespace LAMMPS_NS
