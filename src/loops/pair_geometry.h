// Extent and periodicity of a set of atoms, and the number formats of points that follow from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "loops/backend.h"
#include "loops/messages.h"
#include "loops/pair_points.h"
#include "loops/pairwise_backend.h"

namespace triad {

class PairGeometry {
 public:
  /// Throws LoopError for a position that is not a number or too far out, and for a box without volume.
  PairGeometry(const PairAtomsView &atoms, Precision precision, int n_threads) {
    set_box(atoms.box);
    double low[3], high[3];
    find_extent(atoms, n_threads, low, high);
    double extent = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (atoms.n == 0) low[axis] = high[axis] = 0;
      extent = std::max(extent, high[axis] - low[axis]);
      maker_.counts[axis] = periodic_[axis]          ? 4294967296.0
                            : high[axis] > low[axis] ? 1073741824.0 / (high[axis] - low[axis])
                                                     : 1;
      if (images_ == Images::None && precision != Precision::Double) maker_.origin[axis] = (low[axis] + high[axis]) / 2;
    }
    maker_.quantum = extent > 0 ? std::exp2(std::ceil(std::log2(extent / 2)) - 23) : 1;
  }

  Images images() const { return images_; }
  const PointMaker &maker() const { return maker_; }

  template <class Real>
  PairFrame<Real> frame() const {
    PairFrame<Real> f = {};
    for (int k = 0; k < 6; ++k) f.edges[k] = Real(edges_[k]);
    f.tilt[0] = Real(edges_[3] / edges_[0]);
    f.tilt[1] = Real(edges_[4] / edges_[0]);
    f.tilt[2] = Real(edges_[5] / edges_[1]);
    for (int axis = 0; axis < 3; ++axis) {
      f.per_count[axis] = Real(1 / maker_.counts[axis]);
      f.length[axis] = Real(edges_[axis] / maker_.counts[axis]);
      f.periodic[axis] = periodic_[axis] ? Real(1) : Real(0);
    }
    return f;
  }

  /// Distance of two atoms.
  double distance(const PairAtomsView &atoms, int i, int j) const {
    DoublePoint a, b;
    maker_.make(atoms.x + 3 * std::size_t(i), 0, a);
    maker_.make(atoms.x + 3 * std::size_t(j), 0, b);
    const Vec3<double> d = images_ == Images::None ? separation<Images::None>(a, b, frame<double>())
                                                   : separation<Images::Triclinic>(a, b, frame<double>());
    return std::sqrt(dot(d, d));
  }

 private:
  void set_box(const PairBox *box) {
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

  void find_extent(const PairAtomsView &atoms, int n_threads, double *low, double *high) const {
    const double infinity = std::numeric_limits<double>::infinity();
    double x0 = infinity, y0 = infinity, z0 = infinity, x1 = -infinity, y1 = -infinity, z1 = -infinity;
    int bad = -1;
    (void)n_threads;  // without OpenMP
#pragma omp parallel for num_threads(n_threads) schedule(static) if (atoms.n > 10000) reduction(min           \
                                                                                                : x0, y0, z0) \
    reduction(max                                                                                             \
              : x1, y1, z1, bad)
    for (int i = 0; i < atoms.n; ++i) {
      const double *x = atoms.x + 3 * std::size_t(i);
      const Vec3<double> s = maker_.fraction(x);
      if (!(std::fabs(s.x) + std::fabs(s.y) + std::fabs(s.z) < largest())) bad = i;
      x0 = std::min(x0, s.x);
      y0 = std::min(y0, s.y);
      z0 = std::min(z0, s.z);
      x1 = std::max(x1, s.x);
      y1 = std::max(y1, s.y);
      z1 = std::max(z1, s.z);
    }
    if (bad >= 0) throw LoopError(position_not_a_number(atoms.x + 3 * std::size_t(bad)));
    const double lows[3] = {x0, y0, z0}, highs[3] = {x1, y1, z1};
    std::copy(lows, lows + 3, low);
    std::copy(highs, highs + 3, high);
  }

  /// Of fractions in a box: their counts fit 63 bits. Of lengths in none: hardly a limit.
  double largest() const { return images_ == Images::None ? 1e150 : 1e9; }

  Images images_ = Images::None;
  PointMaker maker_;
  double edges_[6] = {1, 1, 1, 0, 0, 0};
  bool periodic_[3] = {false, false, false};
};

}  // namespace triad
