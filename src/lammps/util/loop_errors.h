// Errors of the loops as errors of LAMMPS.
#pragma once

#include <string>
#include <utility>

#include "error.h"
#include "forces/pairwise/pairwise_backend.h"
#include "lammps.h"
#include "update.h"

namespace LAMMPS_NS {

/// Calls work(). A LoopError that it throws, on this rank alone perhaps, becomes an error that names `command` and the
/// step, and atoms by tag_of(index).
template <class TagOf, class Work>
void reporting_loop_errors(LAMMPS *lmp, const std::string &command, TagOf &&tag_of, Work &&work) {
  try {
    std::forward<Work>(work)();
  } catch (const triad::CoincidentAtoms &e) {
    lmp->error->one(FLERR, "{} at step {}: atoms {} and {}: {}", command, lmp->update->ntimestep, tag_of(e.i),
                    tag_of(e.j), e.what());
  } catch (const triad::LoopError &e) {
    lmp->error->one(FLERR, "{} at step {}: {}", command, lmp->update->ntimestep, e.what());
  }
}

}  // namespace LAMMPS_NS
