#include "lammps/compute/compute_profile_triad.h"

#include <cmath>
#include <string>

#include "domain.h"
#include "error.h"
#include "force.h"
#include "lammps/util/settings.h"
#include "lattice.h"
#include "memory.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

ComputeProfileTriad::ComputeProfileTriad(LAMMPS *lmp, int narg, char **arg)
    : Compute(lmp, narg, arg), motion_(lmp, groupbit) {
  const std::vector<triad::NamedValue<Value>> known = {{"count", Value::Count},
                                                       {"density/number", Value::NumberDensity},
                                                       {"density/mass", Value::MassDensity},
                                                       {"temp", Value::Temperature},
                                                       {"ke", Value::KineticEnergy}};
  read_settings(lmp, "compute profile/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    axis_ = words.choice<int>({{"x", 0}, {"y", 1}, {"z", 2}}, "direction");
    if (!words.done() && utils::is_double(words.peek())) {
      origin_ = Origin::Coordinate;
      coordinate_ = words.number("origin");
    } else {
      origin_ =
          words.choice<Origin>({{"lower", Origin::Low}, {"center", Origin::Centre}, {"upper", Origin::High}}, "origin");
    }
    width_ = words.positive("slab width");
    while (!words.done() && words.peek() != "units") values_.push_back(words.choice<Value>(known, "value"));
    if (values_.empty()) words.reject("needs at least one value: count, density/number, density/mass, temp or ke");
    const auto read_units = [&] {
      units_ = words.choice<Units>({{"box", Units::Box}, {"lattice", Units::Lattice}, {"reduced", Units::Reduced}});
    };
    words.keywords({{"units", read_units}});
  });
  if (axis_ == 2 && domain->dimension == 2)
    error->all(FLERR, "Compute profile/triad cannot have slabs along z in a box of two dimensions");
  if (domain->triclinic && units_ != Units::Reduced)
    error->all(FLERR, "Compute profile/triad in a triclinic box needs units reduced");
  if (units_ == Units::Lattice) {
    const double edge[3] = {domain->lattice->xlattice, domain->lattice->ylattice, domain->lattice->zlattice};
    width_ *= edge[axis_];
    coordinate_ *= edge[axis_];
  }
  array_flag = 1;
  extarray = 0;
  size_array_rows = slabs().count;
  size_array_cols = 1 + static_cast<int>(values_.size());
  memory->create(array, size_array_rows, size_array_cols, "profile/triad:array");
}

ComputeProfileTriad::~ComputeProfileTriad() { memory->destroy(array); }

/// The slabs cover the present box. One of their faces is at the origin.
triad::Slabs ComputeProfileTriad::slabs() const {
  triad::Slabs slabs;
  for (double &weight : slabs.weight) weight = 0;
  if (units_ == Units::Reduced) {
    const double *const h = domain->h_inv;  // xx yy zz yz xz xy
    const double rows[3][3] = {{h[0], h[5], h[4]}, {0, h[1], h[3]}, {0, 0, h[2]}};
    for (int d = 0; d < 3; ++d) {
      slabs.weight[d] = rows[axis_][d];
      slabs.origin[d] = domain->boxlo[d];
    }
    slabs.low = 0;
    slabs.high = 1;
  } else {
    slabs.weight[axis_] = 1;
    slabs.low = domain->boxlo[axis_];
    slabs.high = domain->boxhi[axis_];
  }
  slabs.periodic = domain->periodicity[axis_];
  slabs.width = width_;
  const double per_width = 1 / width_;
  const double origin = origin_ == Origin::Low      ? slabs.low
                        : origin_ == Origin::High   ? slabs.high
                        : origin_ == Origin::Centre ? 0.5 * (slabs.low + slabs.high)
                                                    : coordinate_;
  // whole widths from the origin to the faces that enclose the box
  const auto widths = [&](double from, double to) { return static_cast<int>((to - from) * per_width) * width_; };
  if (origin < slabs.low) {
    slabs.first = origin + widths(origin, slabs.low);
  } else {
    slabs.first = origin - widths(slabs.low, origin);
    if (slabs.first > slabs.low) slabs.first -= width_;
  }
  double last;
  if (origin < slabs.high) {
    last = origin + widths(origin, slabs.high);
    if (last < slabs.high) last += width_;
  } else {
    last = origin - widths(slabs.high, origin);
  }
  slabs.count = static_cast<int>(std::lround((last - slabs.first) * per_width));
  if (slabs.count < 1) error->all(FLERR, "Compute profile/triad has no slabs; check origin and width");
  return slabs;
}

double ComputeProfileTriad::value_of(Value value, const triad::SlabSums &sums, double volume) const {
  switch (value) {
    case Value::Count:
      return sums.count;
    case Value::NumberDensity:
      return sums.count / volume;
    case Value::MassDensity:
      return sums.mass / volume * force->mv2d;
    case Value::Temperature:
      return sums.count > 0 ? sums.mvv * force->mvv2e / (domain->dimension * sums.count * force->boltz) : 0;
    default:
      return 0.5 * force->mvv2e * sums.mvv;
  }
}

void ComputeProfileTriad::compute_array() {
  invoked_array = update->ntimestep;
  const triad::Slabs slabs = this->slabs();
  if (slabs.count != size_array_rows)
    error->all(FLERR, "The box of compute {} ({}) has {} slabs instead of {}; use units reduced where the box changes",
               id, style, slabs.count, size_array_rows);
  EngineRun *const run = engine_run(lmp);
  const AtomMotion::OnEngine guard(motion_, run ? run->engine_ahead_in(triad::field_x | triad::field_v) : nullptr);
  std::vector<triad::SlabSums> mine = motion_.sum_slabs(slabs);
  std::vector<double> sums, all(mine.size() * triad::SlabSums::size);
  sums.reserve(all.size());
  for (triad::SlabSums &slab : mine)
    for (int k = 0; k < triad::SlabSums::size; ++k) sums.push_back(slab[k]);
  MPI_Allreduce(sums.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, world);
  double volume = domain->xprd * domain->yprd * (domain->dimension == 3 ? domain->zprd : 1);
  volume *= slabs.width / (slabs.high - slabs.low);
  for (int row = 0; row < size_array_rows; ++row) {
    triad::SlabSums slab;
    for (int k = 0; k < triad::SlabSums::size; ++k) slab[k] = all[std::size_t(row) * triad::SlabSums::size + k];
    array[row][0] = slabs.first + (row + 0.5) * slabs.width;
    for (std::size_t k = 0; k < values_.size(); ++k) array[row][k + 1] = value_of(values_[k], slab, volume);
  }
}

double ComputeProfileTriad::memory_usage() {
  return double(size_array_rows) * (size_array_cols + 2 * triad::SlabSums::size) * sizeof(double);
}
