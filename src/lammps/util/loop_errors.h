// Errors of the loops, and exhausted memory, as errors of LAMMPS.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "atom.h"
#include "error.h"
#include "forces/pairwise/pairwise_backend.h"
#include "lammps.h"
#include "update.h"

namespace LAMMPS_NS {

/// Ends in an error of LAMMPS that names `command`, the step, and how many atoms this rank holds.
[[noreturn]] inline void report_out_of_memory(LAMMPS *lmp, const std::string &command) {
  lmp->error->one(FLERR,
                  "{} at step {}: out of memory on the host, with {} owned and {} ghost atoms on this rank; use more "
                  "ranks or nodes, precision single, or a smaller neighbour skin",
                  command, lmp->update->ntimestep, lmp->atom->nlocal, lmp->atom->nghost);
}

/// Calls work(). A LoopError that it throws, on this rank alone perhaps, becomes an error that names command(), called
/// only then, and the step, and atoms by tag_of(index); memory that is exhausted becomes an error that names the number
/// of atoms. Errors of LAMMPS pass.
template <class Command, class TagOf, class Work>
void reporting_loop_errors(LAMMPS *lmp, Command &&command, TagOf &&tag_of, Work &&work) {
  try {
    std::forward<Work>(work)();
  } catch (const triad::CoincidentAtoms &e) {
    lmp->error->one(FLERR, "{} at step {}: atoms {} and {}: {}", command(), lmp->update->ntimestep, tag_of(e.i),
                    tag_of(e.j), e.what());
  } catch (const triad::LoopError &e) {
    lmp->error->one(FLERR, "{} at step {}: {}", command(), lmp->update->ntimestep, e.what());
  } catch (const std::bad_alloc &) {
    report_out_of_memory(lmp, command());
  } catch (const std::length_error &) {  // a size beyond what any memory holds
    report_out_of_memory(lmp, command());
  }
}

/// The same for work that throws no CoincidentAtoms.
template <class Command, class Work>
void reporting_loop_errors(LAMMPS *lmp, Command &&command, Work &&work) {
  reporting_loop_errors(
      lmp, command, [](int) { return 0; }, std::forward<Work>(work));
}

}  // namespace LAMMPS_NS
