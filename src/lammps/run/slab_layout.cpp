#include "lammps/run/slab_layout.h"

#include <cmath>

#include "domain.h"
#include "error.h"
#include "utils.h"

using namespace LAMMPS_NS;

void SlabLayout::read_place(triad::SettingReader &words) {
  axis_ = words.choice<int>({{"x", 0}, {"y", 1}, {"z", 2}}, "direction");
  if (!words.done() && utils::is_double(words.peek())) {
    origin_ = Origin::Coordinate;
    coordinate_ = words.number("origin");
  } else {
    origin_ =
        words.choice<Origin>({{"lower", Origin::Low}, {"center", Origin::Centre}, {"upper", Origin::High}}, "origin");
  }
  width_ = words.positive("slab width");
}

void SlabLayout::read_units(triad::SettingReader &words) {
  units_ = words.choice<Units>({{"box", Units::Box}, {"lattice", Units::Lattice}, {"reduced", Units::Reduced}});
}

void SlabLayout::finish(const LAMMPS *lmp, const std::array<double, 3> &lattice, const triad::SettingReader &words) {
  const Domain *const domain = lmp->domain;
  if (axis_ == 2 && domain->dimension == 2) words.reject("cannot have slabs along z in a box of two dimensions");
  if (domain->triclinic && units_ != Units::Reduced) words.reject("in a triclinic box needs units reduced");
  if (units_ != Units::Lattice) return;
  width_ *= lattice[axis_];
  coordinate_ *= lattice[axis_];
}

triad::Slabs SlabLayout::in_box(LAMMPS *lmp, const std::string &holder) const {
  const Domain *const domain = lmp->domain;
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
  const auto widths = [&](double from, double to) { return std::trunc((to - from) * per_width) * width_; };
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
  const double count = std::round((last - slabs.first) * per_width);
  if (!(count <= MAXSMALLINT))
    lmp->error->all(FLERR, "{} has {:.0f} slabs, more than {}, with a width of {} in a box of {}; give a larger width",
                    holder, count, MAXSMALLINT, width_, slabs.high - slabs.low);
  slabs.count = static_cast<int>(count);
  if (slabs.count < 1) lmp->error->all(FLERR, "{} has no slabs; check origin and width", holder);
  return slabs;
}

double SlabLayout::volume_of(const triad::Slabs &slabs, const LAMMPS *lmp) {
  const Domain *const domain = lmp->domain;
  const double volume = domain->xprd * domain->yprd * (domain->dimension == 3 ? domain->zprd : 1);
  return volume * slabs.width / (slabs.high - slabs.low);
}
