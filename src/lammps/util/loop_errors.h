// Conversion of LoopError and of exhausted memory to errors of LAMMPS.
#pragma once

#include <string>
#include <utility>

#include "forces/pairwise/pairwise_backend.h"
#include "lammps.h"

namespace LAMMPS_NS {

/// Called while an exception is handled. A LoopError, which may be thrown on this rank only, becomes LAMMPS's error
/// with `command` and the step. Exhausted memory becomes an error with the number of atoms. Other exceptions pass. This
/// is no template, because the handlers would take most of the time that the classes in reporting_style.h take to
/// compile.
[[noreturn]] void throw_lammps_error(LAMMPS *lmp, const std::string &command);

/// Raises LAMMPS's error for two atoms at the same position, by tag.
[[noreturn]] void throw_coincident_atoms(LAMMPS *lmp, const std::string &command, long long first, long long second,
                                         const char *what);

/// Calls work() and converts its exceptions as throw_lammps_error() does.
template <class Command, class Work>
void reporting_loop_errors(LAMMPS *lmp, Command &&command, Work &&work) {
  try {
    std::forward<Work>(work)();
  } catch (...) {
    throw_lammps_error(lmp, command());
  }
}

/// The same for pair forces: errors name atoms by tag_of(index).
template <class Command, class TagOf, class Work>
void reporting_loop_errors(LAMMPS *lmp, Command &&command, TagOf &&tag_of, Work &&work) {
  reporting_loop_errors(lmp, command, [&] {
    try {
      std::forward<Work>(work)();
    } catch (const triad::CoincidentAtoms &e) {
      throw_coincident_atoms(lmp, command(), tag_of(e.i), tag_of(e.j), e.what());
    }
  });
}

}  // namespace LAMMPS_NS
