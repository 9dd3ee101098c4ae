#include "lammps/compute/compute_temp_bias_triad.h"

#include <algorithm>

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "io/setting_reader.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "update.h"

using namespace LAMMPS_NS;

ComputeTempBiasTriad::ComputeTempBiasTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), SampledKinetic(lmp, groupbit) {
  scalar_flag = vector_flag = extvector = tempflag = tempbias = 1;
  size_vector = 6;
  extscalar = 0;
  vector = new double[size_vector];
}

ComputeTempBiasTriad::~ComputeTempBiasTriad() { delete[] vector; }

void ComputeTempBiasTriad::setup() {
  dynamic = dynamic_user || group->dynamic[igroup];
  count_degrees();
}

/// Degrees of freedom that are taken away count in proportion to the axes.
void ComputeTempBiasTriad::count_degrees() {
  adjust_dof_fix();
  natoms_temp = group->count(igroup);
  const int axes = centre_ ? domain->dimension : along_[0] + along_[1] + along_[2];
  dof = axes * natoms_temp - double(axes) / domain->dimension * (extra_dof + fix_dof);
  per_degree_ = dof > 0 ? force->mvv2e / (dof * force->boltz) : 0;
}

void ComputeTempBiasTriad::sum(double (&mvv)[6]) {
  const triad::KineticSums sums = sum_over_ranks(sums_of_rank(lmp), world);
  const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  for (int d = 0; d < 3; ++d) of_centre_[d] = sums.mass > 0 ? sums.mv[d] / sums.mass : 0;
  for (int k = 0; k < 6; ++k) {
    mvv[k] = sums.mvv[k];
    if (centre_) mvv[k] -= sums.mass * of_centre_[first[k]] * of_centre_[second[k]];
    if (k < 3) mvv[k] = std::max(0.0, mvv[k]);  // negative by rounding only
    if (!along_[first[k]] || !along_[second[k]]) mvv[k] = 0;
  }
}

double ComputeTempBiasTriad::compute_scalar() {
  invoked_scalar = update->ntimestep;
  double mvv[6];
  sum(mvv);
  if (dynamic) count_degrees();
  if (dof < 0 && natoms_temp > 0) error->all(FLERR, "Temperature compute degrees of freedom < 0");
  scalar = triad::temperature_of(mvv, per_degree_);
  return scalar;
}

/// Computes the sum of m v v in energy units: xx yy zz xy xz yz.
void ComputeTempBiasTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  double mvv[6];
  sum(mvv);
  for (int k = 0; k < 6; ++k) vector[k] = mvv[k] * force->mvv2e;
}

void ComputeTempBiasTriad::remove_bias(int i, double *v) { remove_bias_thr(i, v, removed_one_); }

void ComputeTempBiasTriad::remove_bias_thr(int, double *v, double *b) {
  for (int d = 0; d < 3; ++d) {
    b[d] = bias(d, v[d]);
    v[d] -= b[d];
  }
}

void ComputeTempBiasTriad::remove_bias_all() {
  removed_.resize(3 * std::size_t(atom->nlocal));
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit) remove_bias_thr(i, atom->v[i], removed_.data() + 3 * std::size_t(i));
}

/// Sets the velocities along axes that do not count to zero: the command velocity has drawn some there, to which
/// restore_bias_all() would add the earlier ones.
void ComputeTempBiasTriad::reapply_bias_all() {
  for (int i = 0; i < atom->nlocal; ++i)
    for (int d = 0; d < 3; ++d)
      if ((atom->mask[i] & groupbit) && !along_[d]) atom->v[i][d] = 0;
}

/// Degrees of freedom per atom that do not count.
int ComputeTempBiasTriad::dof_remove(int) {
  return centre_ ? 0 : domain->dimension - (along_[0] + along_[1] + along_[2]);
}

void ComputeTempBiasTriad::restore_bias(int i, double *v) { restore_bias_thr(i, v, removed_one_); }

void ComputeTempBiasTriad::restore_bias_thr(int, double *v, double *b) {
  for (int d = 0; d < 3; ++d) v[d] += b[d];
}

void ComputeTempBiasTriad::restore_bias_all() {
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit) restore_bias_thr(i, atom->v[i], removed_.data() + 3 * std::size_t(i));
}

ComputeTempComTriad::ComputeTempComTriad(LAMMPS *lmp, int narg, char **arg) : ComputeTempBiasTriad(lmp, narg, arg) {
  read_no_settings(lmp, "compute temp/com/triad", narg - 3, arg + 3);
  centre_ = true;
}

ComputeTempPartialTriad::ComputeTempPartialTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeTempBiasTriad(lmp, narg, arg) {
  read_settings(lmp, "compute temp/partial/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    const char *const names[] = {"x", "y", "z"};
    for (int d = 0; d < 3; ++d) along_[d] = words.whole_number(names[d]) != 0;
    if (along_[2] && domain->dimension == 2) words.reject("z counts in three dimensions only; give 0");
    words.keywords({});
  });
}
