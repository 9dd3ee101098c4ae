#include "lammps/util/text_file.h"

#include <mpi.h>

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

}  // namespace LAMMPS_NS
