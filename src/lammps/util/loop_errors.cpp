#include "lammps/util/loop_errors.h"

#include <new>
#include <stdexcept>

#include "atom.h"
#include "error.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

[[noreturn]] void throw_out_of_memory(LAMMPS *lmp, const std::string &command) {
  lmp->error->one(FLERR,
                  "{} at step {}: out of memory on the host, with {} owned and {} ghost atoms on this rank; use more "
                  "ranks or nodes, precision single, or a smaller neighbor skin",
                  command, lmp->update->ntimestep, lmp->atom->nlocal, lmp->atom->nghost);
}

}  // namespace

void LAMMPS_NS::throw_lammps_error(LAMMPS *lmp, const std::string &command) {
  try {
    throw;
  } catch (const triad::LoopError &e) {
    lmp->error->one(FLERR, "{} at step {}: {}", command, lmp->update->ntimestep, e.what());
  } catch (const std::bad_alloc &) {
    throw_out_of_memory(lmp, command);
  } catch (const std::length_error &) {  // a container of impossible size
    throw_out_of_memory(lmp, command);
  }
}

void LAMMPS_NS::throw_coincident_atoms(LAMMPS *lmp, const std::string &command, long long first, long long second,
                                       const char *what) {
  lmp->error->one(FLERR, "{} at step {}: atoms {} and {}: {}", command, lmp->update->ntimestep, first, second, what);
}
