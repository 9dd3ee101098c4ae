#include "lammps/util/text_file.h"

#include <mpi.h>

#include <cstdlib>

#include "comm.h"
#include "error.h"

namespace LAMMPS_NS {

std::string read_on_all_ranks(LAMMPS *lmp, FILE *file, const std::string &what, bigint most_bytes) {
  std::string text;
  if (lmp->comm->me == 0) {
    char buffer[65536];
    std::size_t n;
    while (bigint(text.size()) <= most_bytes && (n = fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, n);
    const bool failed = ferror(file);
    fclose(file);
    if (failed) lmp->error->one(FLERR, "Cannot read {}: {}", what, utils::getsyserror());
  }
  bigint size = text.size();
  MPI_Bcast(&size, 1, MPI_LMP_BIGINT, 0, lmp->world);
  if (size > most_bytes)
    lmp->error->all(FLERR, "{} is larger than {} MiB; give the file that was meant", what, most_bytes >> 20);
  text.resize(size);
  MPI_Bcast(&text[0], static_cast<int>(size), MPI_CHAR, 0, lmp->world);
  return text;
}

std::string read_potential_on_all_ranks(LAMMPS *lmp, const std::string &what, const std::string &name, int conversions,
                                        double &energy_factor, bigint most_bytes) {
  FILE *file = nullptr;
  if (lmp->comm->me == 0) {
    file = utils::open_potential(name, lmp, &conversions);
    if (!file) {
      const char *const folders = std::getenv("LAMMPS_POTENTIALS");
      lmp->error->one(FLERR, "Cannot open {}{}: {}; it is neither here nor in LAMMPS_POTENTIALS, which is {}", what,
                      name, utils::getsyserror(), folders && *folders ? folders : "not set");
    }
    energy_factor = utils::get_conversion_factor(utils::ENERGY, conversions);
  }
  MPI_Bcast(&energy_factor, 1, MPI_DOUBLE, 0, lmp->world);
  return read_on_all_ranks(lmp, file, what + name, most_bytes);
}

}  // namespace LAMMPS_NS
