#include "lammps/compute/compute_moments_triad.h"

#include <algorithm>
#include <cmath>

#include "atom.h"
#include "domain.h"
#include "engine/tuning.h"
#include "error.h"
#include "fix.h"
#include "group.h"
#include "io/setting_reader.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/domain_box.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

constexpr int number_of_origin = triad::tuning::max_fix_tethers;

}  // namespace

triad::MomentSums UnwrappedMoments::sums(Fix *points, int number) {
  EngineRun *const run = engine_run(lmp);
  triad::MdEngine *engine = run ? run->engine_ahead_in(triad::field_x) : nullptr;
  if (engine && number < 0) {
    run->sync_host(triad::field_x);
    engine = nullptr;
  }
  const AtomMotion::OnEngine guard(motion_, engine);
  if (!engine) return sum_over_ranks(motion_.sum_moments(0, wrapped(points)), world);
  const int revision = run->engine_revision();
  // in another box, the points in other periodic images have moved
  if (revision != engine_revision_ || number != number_ || engine->tether_revision() != tether_revision_ ||
      domain->box_change)
    engine->set_tethers(number, wrapped(points), BoxEdges(domain).edge);
  engine_revision_ = revision;
  number_ = number;
  tether_revision_ = engine->tether_revision();
  return sum_over_ranks(motion_.sum_moments(number, nullptr), world);
}

/// The points in the periodic images of LAMMPS's positions, [nlocal][3].
const double *UnwrappedMoments::wrapped(Fix *points) {
  wrapped_.assign(3 * std::size_t(std::max(1, atom->nlocal)), 0.0);
  for (int i = 0; i < atom->nlocal; ++i) {
    double *const x = wrapped_.data() + 3 * std::size_t(i), origin[3] = {0, 0, 0};
    if (points) points->pack_exchange(i, x);
    double edges[3];
    domain->unmap(origin, atom->image[i], edges);
    for (int d = 0; d < 3; ++d) x[d] -= edges[d];
  }
  return wrapped_.data();
}

// ---- com

ComputeCOMTriad::ComputeCOMTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), moments_(lmp, groupbit) {
  read_no_settings(lmp, "compute com/triad", narg - 3, arg + 3);
  vector_flag = 1;
  size_vector = 3;
  extvector = 0;
  vector = new double[size_vector];
}

ComputeCOMTriad::~ComputeCOMTriad() { delete[] vector; }

void ComputeCOMTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  const triad::MomentSums sums = moments_.sums(nullptr, number_of_origin);
  for (int d = 0; d < 3; ++d) vector[d] = sums.mass > 0 ? sums.md[d] / sums.mass : 0;
}

// ---- gyration

ComputeGyrationTriad::ComputeGyrationTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), moments_(lmp, groupbit) {
  read_no_settings(lmp, "compute gyration/triad", narg - 3, arg + 3);
  scalar_flag = vector_flag = 1;
  size_vector = 6;
  extscalar = extvector = 0;
  vector = new double[size_vector];
}

ComputeGyrationTriad::~ComputeGyrationTriad() { delete[] vector; }

/// LAMMPS has set the style name, for which stock compute gyration/shape asks.
void ComputeGyrationTriad::post_constructor() {
  delete[] style;
  style = utils::strdup("gyration");
}

double ComputeGyrationTriad::compute_scalar() {
  invoked_scalar = update->ntimestep;
  double squared[6];
  compute_tensor(squared);  // atoms may have moved since the vector of this step
  scalar = std::sqrt(std::max(0.0, squared[0] + squared[1] + squared[2]));
  return scalar;
}

void ComputeGyrationTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  compute_tensor(vector);
}

/// Computes xx yy zz xy xz yz.
void ComputeGyrationTriad::compute_tensor(double *tensor) {
  const triad::MomentSums sums = moments_.sums(nullptr, number_of_origin);
  const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k) {
    tensor[k] =
        sums.mass > 0 ? sums.mdd[k] / sums.mass - sums.md[first[k]] / sums.mass * (sums.md[second[k]] / sums.mass) : 0;
    if (k < 3) tensor[k] = std::max(0.0, tensor[k]);  // negative by rounding only
  }
}

// ---- msd

ComputeMSDTriad::ComputeMSDTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg),
      moments_(lmp, groupbit),
      centre_(lmp, groupbit),
      id_fix_(std::string(id) + "_COMPUTE_STORE") {
  read_settings(lmp, "compute msd/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    words.keywords({{"com", [&] { relative_ = words.logical(); }}, {"average", [&] {
                                                                      if (words.logical())
                                                                        words.reject_unsupported("average yes");
                                                                    }}});
  });
  vector_flag = 1;
  size_vector = 4;
  extvector = 0;
  create_attribute = 1;
  dynamic_group_allow = 0;
  if (group->dynamic[igroup]) error->all(FLERR, "Compute {} is not compatible with dynamic groups", style);
  vector = new double[size_vector];
  original_ = modify->add_fix(fmt::format("{} {} STORE/ATOM 3 0 0 1", id_fix_, group->names[igroup]));
  if (original_->restart_reset) {
    original_->restart_reset = 0;
    return;
  }
  double centre[3] = {0, 0, 0};
  if (relative_) group->xcm(igroup, group->mass(igroup), centre);
  for (int i = 0; i < atom->nlocal; ++i) {
    double x[3] = {0, 0, 0};
    if (atom->mask[i] & groupbit) {
      domain->unmap(atom->x[i], atom->image[i], x);
      for (int d = 0; d < 3; ++d) x[d] -= centre[d];
    }
    original_->unpack_exchange(i, x);
  }
}

ComputeMSDTriad::~ComputeMSDTriad() {
  if (modify->get_fix_by_id(id_fix_)) modify->delete_fix(id_fix_);
  delete[] vector;
}

std::string ComputeMSDTriad::unsupported(LAMMPS *, int narg, char **arg) {
  for (int k = 3; k < narg; ++k)
    if (std::string(arg[k]) == "average" && !(k + 1 < narg && std::string(arg[k + 1]) == "no")) return "average";
  return "";
}

void ComputeMSDTriad::init() {
  original_ = modify->get_fix_by_id(id_fix_);
  if (!original_) error->all(FLERR, "Could not find compute msd fix with ID {}", id_fix_);
  count_ = static_cast<double>(group->count(igroup));
}

/// Number of this compute's points among those of the engine, or -1.
int ComputeMSDTriad::number() const {
  int number = number_of_origin + 1;
  for (const Compute *compute : modify->get_compute_list()) {
    if (compute == this) break;
    number += dynamic_cast<const ComputeMSDTriad *>(compute) != nullptr;
  }
  return number < triad::tuning::max_tethers ? number : -1;
}

/// The sum of (d - c)^2 over n atoms with centre c is that of (d - mean)^2, which rounding must not make negative, plus
/// n (mean - c)^2.
void ComputeMSDTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  const triad::MomentSums sums = moments_.sums(original_, number());
  if (sums.count != count_) error->all(FLERR, "Number of atoms in compute {} group must not change", style);
  double centre[3] = {0, 0, 0};
  if (relative_) {
    const triad::MomentSums of_all = centre_.sums(nullptr, number_of_origin);
    for (int d = 0; d < 3; ++d) centre[d] = of_all.mass > 0 ? of_all.md[d] / of_all.mass : 0;
  }
  vector[3] = 0;
  for (int d = 0; d < 3; ++d) {
    const double mean = relative_ && sums.count > 0 ? sums.d[d] / sums.count : 0;
    vector[d] = std::max(0.0, sums.dd[d] - mean * sums.d[d]) + sums.count * (mean - centre[d]) * (mean - centre[d]);
    if (count_ > 0) vector[d] /= count_;
    vector[3] += vector[d];
  }
}

/// An atom that a fix adds starts where it is.
void ComputeMSDTriad::set_arrays(int i) {
  double x[3];
  domain->unmap(atom->x[i], atom->image[i], x);
  original_->unpack_exchange(i, x);
}
