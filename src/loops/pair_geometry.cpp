#include "loops/pair_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "loops/messages.h"

namespace triad {
namespace {

/// Of the fractions of all atoms. Throws LoopError for one that is not below `largest`.
PairExtent find_extent(const PairAtomsView &atoms, const PointMaker &maker, double largest, int n_threads) {
  if (atoms.n == 0) return {};
  const double infinity = std::numeric_limits<double>::infinity();
  double x0 = infinity, y0 = infinity, z0 = infinity, x1 = -infinity, y1 = -infinity, z1 = -infinity;
  int bad = -1;
  // clang-format off
#pragma omp parallel for num_threads(n_threads) schedule(static) if(atoms.n > 10000) \
    reduction(min : x0, y0, z0) reduction(max : x1, y1, z1, bad)
  // clang-format on
  for (int i = 0; i < atoms.n; ++i) {
    const Vec3<double> s = maker.fraction(atoms.x + 3 * std::size_t(i));
    if (!(std::fabs(s.x) + std::fabs(s.y) + std::fabs(s.z) < largest)) bad = i;
    x0 = std::min(x0, s.x);
    y0 = std::min(y0, s.y);
    z0 = std::min(z0, s.z);
    x1 = std::max(x1, s.x);
    y1 = std::max(y1, s.y);
    z1 = std::max(z1, s.z);
  }
  if (bad >= 0) throw LoopError(position_not_a_number(atoms.x + 3 * std::size_t(bad)));
  return {{x0, y0, z0}, {x1, y1, z1}};
}

}  // namespace

PairGeometry::PairGeometry(const PairAtomsView &atoms, Precision precision, int n_threads) {
  set_box(atoms.box);
  set_extent(find_extent(atoms, maker_, largest_fraction(), n_threads), precision);
}

/// Fractions whose counts fit 63 bits; for lengths in no box hardly a limit.
double PairGeometry::largest_fraction() const { return images_ == Images::None ? 1e150 : 1e9; }

void PairGeometry::set_extent(const PairExtent &extent, Precision precision) {
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double width = extent.high[axis] - extent.low[axis];
    largest = std::max(largest, width);
    maker_.counts[axis] = periodic_[axis] ? 4294967296.0 : width > 0 ? 1073741824.0 / width : 1;
    if (images_ == Images::None && precision != Precision::Double)
      maker_.origin[axis] = (extent.low[axis] + extent.high[axis]) / 2;
  }
  maker_.quantum = largest > 0 ? std::exp2(std::ceil(std::log2(largest / 2)) - 23) : 1;
}

double PairGeometry::distance(const PairAtomsView &atoms, int i, int j) const {
  DoublePoint a, b;
  maker_.make(atoms.x + 3 * std::size_t(i), 0, a);
  maker_.make(atoms.x + 3 * std::size_t(j), 0, b);
  const Vec3<double> d = images_ == Images::None ? separation<Images::None>(a, b, frame<double>())
                                                 : separation<Images::Triclinic>(a, b, frame<double>());
  return std::sqrt(dot(d, d));
}

void PairGeometry::set_box(const PairBox *box) {
  if (!box) return;
  const double xx = box->xx, yy = box->yy, zz = box->zz;
  if (!(xx > 0 && yy > 0 && zz > 0)) throw LoopError("the periodic box has no volume");
  const double edges[6] = {xx, yy, zz, box->xy, box->xz, box->yz};
  std::copy(edges, edges + 6, edges_);
  const double inverse[6] = {1 / xx,
                             1 / yy,
                             1 / zz,
                             -box->xy / (xx * yy),
                             (box->xy * box->yz - yy * box->xz) / (xx * yy * zz),
                             -box->yz / (yy * zz)};
  std::copy(inverse, inverse + 6, maker_.to_fraction);
  std::copy(box->periodic, box->periodic + 3, periodic_);
  images_ = box->xy != 0 || box->xz != 0 || box->yz != 0 ? Images::Triclinic : Images::Orthogonal;
}

}  // namespace triad
