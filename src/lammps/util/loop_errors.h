// Conversion of LoopError and of exhausted memory to errors of LAMMPS.
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

/// LAMMPS's error for exhausted memory, which names `command`, the step, and the number of atoms of this rank.
[[noreturn]] inline void report_out_of_memory(LAMMPS *lmp, const std::string &command) {
  lmp->error->one(FLERR,
                  "{} at step {}: out of memory on the host, with {} owned and {} ghost atoms on this rank; use more "
                  "ranks or nodes, precision single, or a smaller neighbour skin",
                  command, lmp->update->ntimestep, lmp->atom->nlocal, lmp->atom->nghost);
}

/// Calls work(). A LoopError, which may be thrown on this rank only, becomes LAMMPS's error with command(), the step,
/// and atoms by tag_of(index). Exhausted memory becomes an error with the number of atoms. LAMMPS's own exceptions
/// pass.
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
  } catch (const std::length_error &) {  // a container of impossible size
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
