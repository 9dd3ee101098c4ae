#include "lammps/compute/compute_kinetic_triad.h"

#include <cstring>

#include "error.h"
#include "force.h"
#include "lammps/compat/releases.h"
#include "lammps/util/settings.h"
#include "update.h"

using namespace LAMMPS_NS;

ComputeKETriad::ComputeKETriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), SampledKinetic(lmp, groupbit) {
  read_no_settings(lmp, "compute ke/triad", narg - 3, arg + 3);
  scalar_flag = extscalar = 1;
}

/// Fix grem makes such a compute and then requires that the style is ke.
std::string ComputeKETriad::unsupported(LAMMPS *lmp, int, char **) {
  const char *const command = current_command(lmp->input);
  return command && std::strcmp(command, "compute") == 0 ? "" : "a compute that a fix makes for itself";
}

double ComputeKETriad::compute_scalar() {
  invoked_scalar = update->ntimestep;
  const triad::KineticSums sums = sums_of_rank(lmp);
  const double mine = 0.5 * force->mvv2e * (sums.mvv[0] + sums.mvv[1] + sums.mvv[2]);
  MPI_Allreduce(&mine, &scalar, 1, MPI_DOUBLE, MPI_SUM, world);
  return scalar;
}

ComputeMomentumTriad::ComputeMomentumTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), SampledKinetic(lmp, groupbit) {
  read_no_settings(lmp, "compute momentum/triad", narg - 3, arg + 3);
  vector_flag = extvector = 1;
  size_vector = 3;
  vector = new double[size_vector];
}

ComputeMomentumTriad::~ComputeMomentumTriad() { delete[] vector; }

void ComputeMomentumTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  const triad::KineticSums sums = sums_of_rank(lmp);
  MPI_Allreduce(sums.mv, vector, 3, MPI_DOUBLE, MPI_SUM, world);
}
