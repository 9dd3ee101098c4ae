#include "lammps/compute/compute_temp_triad.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "update.h"

using namespace LAMMPS_NS;

ComputeTempTriad::ComputeTempTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), SampledKinetic(lmp, groupbit) {
  read_no_settings(lmp, "compute temp/triad", narg - 3, arg + 3);
  scalar_flag = vector_flag = extvector = tempflag = 1;
  size_vector = 6;
  extscalar = 0;
  vector = new double[size_vector];
}

ComputeTempTriad::~ComputeTempTriad() { delete[] vector; }

void ComputeTempTriad::setup() {
  dynamic = dynamic_user || group->dynamic[igroup];
  count_degrees();
}

void ComputeTempTriad::count_degrees() {
  adjust_dof_fix();
  natoms_temp = group->count(igroup);
  dof = domain->dimension * natoms_temp - (extra_dof + fix_dof);
  per_degree_ = dof > 0 ? force->mvv2e / (dof * force->boltz) : 0;
}

/// As in stock, a vector that something has asked for remains in this step, though a fix may have changed the
/// velocities since.
double ComputeTempTriad::compute_scalar() {
  const triad::KineticSums sums = sums_of_all();
  set_scalar(sums);
  if (output_step_ == update->ntimestep && vector_step_ != update->ntimestep) set_vector(sums);
  return scalar;
}

void ComputeTempTriad::serve_output() { output_step_ = update->ntimestep; }

void ComputeTempTriad::compute_vector() {
  vector_step_ = update->ntimestep;
  set_vector(sums_of_all());
}

double ComputeTempTriad::measure(bool with_vector) {
  take_sums(sums_of_all(), with_vector);
  return scalar;
}

void ComputeTempTriad::take_sums(const triad::KineticSums &sums, bool with_vector) {
  set_scalar(sums);
  if (!with_vector) return;
  vector_step_ = update->ntimestep;
  set_vector(sums);
}

/// Sums of m v v over all ranks.
triad::KineticSums ComputeTempTriad::sums_of_all() {
  return sum_over_ranks(sums_of_rank(lmp), world, triad::KineticSums::n_tensor);
}

void ComputeTempTriad::set_scalar(const triad::KineticSums &sums) {
  invoked_scalar = update->ntimestep;
  if (dynamic) count_degrees();
  if (dof < 0 && natoms_temp > 0) error->all(FLERR, "Temperature compute degrees of freedom < 0");
  scalar = triad::temperature_of(sums.mvv, per_degree_);
}

/// Sets the vector: m v v in energy units, xx yy zz xy xz yz.
void ComputeTempTriad::set_vector(const triad::KineticSums &sums) {
  invoked_vector = update->ntimestep;
  for (int k = 0; k < 6; ++k) vector[k] = sums.mvv[k] * force->mvv2e;
}

namespace {

/// Access to protected members of any compute, through pointers to members that a derived class may form.
struct ProtectedMembers : Compute {
  static constexpr auto extra = &ProtectedMembers::extra_dof;
  static constexpr auto user_dynamic = &ProtectedMembers::dynamic_user;
};

}  // namespace

TemperatureSettings::TemperatureSettings(const Compute &from)
    : extra_dof(from.*ProtectedMembers::extra), dynamic(from.*ProtectedMembers::user_dynamic) {}

void TemperatureSettings::give_to(Compute &to) const {
  to.*ProtectedMembers::extra = extra_dof;
  to.*ProtectedMembers::user_dynamic = dynamic;
}
