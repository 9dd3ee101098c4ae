#include "lammps/util/run_log.h"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "update.h"
#include "utils.h"

namespace LAMMPS_NS {

void RunLog::before_thermo(const std::string &lines) {
  if (in_thermo_block()) return keep(lines);
  write_kept();
  write(lines);
}

void RunLog::keep(const std::string &lines) {
  if (std::find(kept_.begin(), kept_.end(), lines) == kept_.end()) kept_.push_back(lines);
}

void RunLog::write_kept() {
  for (const std::string &lines : std::exchange(kept_, {})) write(lines);
  write(std::exchange(summary_, ""));
}

/// True from the thermo header of a run or a minimisation to its end. LAMMPS prints the header at the end of setup().
bool RunLog::in_thermo_block() const { return update->whichflag != 0 && !update->setupflag && !in_init_; }

void RunLog::write(const std::string &lines) const {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  if (rank == 0 && !lines.empty()) utils::logmesg(lmp, lines);
}

}  // namespace LAMMPS_NS

std::string LAMMPS_NS::list_line(double neighbours, int n_atoms) {
  return fmt::format("Triad: the last neighbor list of rank 0 has {:.0f} neighbors, {:.6g} per atom\n", neighbours,
                     neighbours / n_atoms);
}
