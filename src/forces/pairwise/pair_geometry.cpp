#include "forces/pairwise/pair_geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core/messages.h"
#include "core/tuning.h"

namespace triad {
namespace {

/// Largest extent for fp32. For larger extents, r^-3 of distant atoms would underflow: (10^12)^-3 is close to the
/// smallest fp32 number.
constexpr double largest_in_fp32 = 1e12;

[[noreturn]] void throw_bad_position(const PairAtomsView &atoms, const PointMaker &maker, double largest) {
  int i = 0;
  for (; i < atoms.n - 1; ++i) {
    const Vec3<double> s = maker.fraction(atoms.x + 3 * std::size_t(i));
    if (!(std::fabs(s.x) < largest && std::fabs(s.y) < largest && std::fabs(s.z) < largest)) break;
  }
  throw LoopError(position_not_a_number(atoms.x + 3 * std::size_t(i)));
}

/// Minimum and maximum of coordinates in vector registers. The number of registers is chosen so that each lane always
/// holds the same axis.
class RunningExtent {
  using Pair = Lanes<double, 16>;
  static constexpr int registers = 12;

 public:
  static constexpr int span = registers * Pair::count, atoms_per_span = span / 3;

  RunningExtent() {
    for (int r = 0; r < registers; ++r) {
      low_[r] = std::numeric_limits<double>::infinity();
      high_[r] = -std::numeric_limits<double>::infinity();
      zero_[r] = 0.0;
    }
  }
  /// Adds [span] numbers, x y z of atoms.
  TRIAD_HD void add(const double *x) {
    for (int r = 0; r < registers; ++r) {
      Pair v;
      std::memcpy(&v.v, x + r * Pair::count, sizeof v.v);
      low_[r] = math::at_most(low_[r], v);
      high_[r] = math::at_least(high_[r], v);
      zero_[r] += v - v;
    }
  }
  /// Merges the result into `extent`; returns true if the absolute values of all numbers were below `largest`.
  bool widen(PairExtent &extent, double largest) const {
    bool good = true;
    for (int r = 0; r < registers; ++r)
      for (int l = 0; l < Pair::count; ++l) {
        const int axis = (r * Pair::count + l) % 3;
        extent.low[axis] = std::min(extent.low[axis], low_[r].v[l]);
        extent.high[axis] = std::max(extent.high[axis], high_[r].v[l]);
        good = good && zero_[r].v[l] == 0 && -low_[r].v[l] < largest && high_[r].v[l] < largest;
      }
    return good;
  }

 private:
  Pair low_[registers], high_[registers], zero_[registers];
};

/// Extent of the fractional coordinates of all atoms (the positions if there is no box). Throws LoopError for a
/// coordinate whose absolute value is not below `largest`.
PairExtent find_extent(const PairAtomsView &atoms, const PointMaker &maker, bool box, double largest, int n_threads) {
  if (atoms.n == 0) return {};
  constexpr int span = RunningExtent::span, each = RunningExtent::atoms_per_span;
  const int spans = (atoms.n + each - 1) / each;
  const Vec3<double> start = maker.fraction(atoms.x);
  PairExtent extent = {{start.x, start.y, start.z}, {start.x, start.y, start.z}};
  bool good = true;
#pragma omp parallel num_threads(n_threads) if (atoms.n > tuning::threads_pay)
  {
    RunningExtent running;
#pragma omp for schedule(static) nowait
    for (int b = 0; b < spans; ++b) {
      const double *x = atoms.x + std::size_t(b) * span;
      if (box || b == spans - 1) {  // the last span repeats its last atom
        double fraction[span];
        for (int i = 0; i < each; ++i) {
          const double *position = x + 3 * std::min(i, atoms.n - 1 - b * each);
          const Vec3<double> s = maker.fraction(position);
          std::memcpy(fraction + 3 * i, &s, sizeof s);
        }
        running.add(fraction);
      } else {
        running.add(x);
      }
    }
#pragma omp critical(triad_extent)
    good = running.widen(extent, largest) && good;
  }
  if (!good) throw_bad_position(atoms, maker, largest);
  return extent;
}

}  // namespace

PairGeometry::PairGeometry(const PairAtomsView &atoms, const PairwiseSetup &setup, int n_threads) {
  set_box(atoms.box);
  set_extent(find_extent(atoms, maker_, images_ != Images::None, largest_fraction(), n_threads), setup);
}

/// Fractional coordinates whose counts fit 63 bits; without a box the limit has no practical effect.
double PairGeometry::largest_fraction() const { return images_ == Images::None ? 1e150 : 1e9; }

void PairGeometry::set_extent(const PairExtent &extent, const PairwiseSetup &setup) {
  const bool box = images_ != Images::None, fp32 = setup.precision != Precision::Double;
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double width = extent.high[axis] - extent.low[axis];
    largest = std::max(largest, width);
    maker_.counts[axis] = periodic_[axis] ? 4294967296.0 : width > 0 ? 1073741824.0 / width : 1;
    if (!box && fp32) maker_.origin[axis] = (extent.low[axis] + extent.high[axis]) / 2;
  }
  if (fp32 && setup.range == PairRange::All) set_unit(box ? *std::max_element(edges_, edges_ + 3) : largest, setup.law);
  if (!box) std::fill(maker_.to_fraction, maker_.to_fraction + 3, 1 / unit_);
  maker_.quantum = largest > 0 ? std::exp2(std::ceil(std::log2(largest / unit_ / 2)) - 23) : 1;
}

void PairGeometry::set_unit(double extent, const PairLawSettings &law) {
  if (std::holds_alternative<GravitySettings>(law)) {
    if (extent > 0) unit_ = std::exp2(std::ceil(std::log2(extent)));
    least_softening_ = std::exp2(-40);
  } else if (extent > largest_in_fp32) {
    char text[60];
    std::snprintf(text, sizeof text, "%g; the maximum is %g", extent, largest_in_fp32);
    throw LoopError("the extent of the atoms is " + std::string(text) +
                    " length units in precision single and mixed; use precision double or other units");
  }
}

PairLawSettings PairGeometry::law(const PairLawSettings &given) const {
  PairLawSettings result = given;
  if (auto *const gravity = std::get_if<GravitySettings>(&result)) {
    gravity->G /= unit_ * unit_;
    if (gravity->eps > 0) gravity->eps = std::max(gravity->eps / unit_, least_softening_);
  }
  return result;
}

double PairGeometry::distance(const PairAtomsView &atoms, int i, int j) const {
  DoublePoint a, b;
  maker_.make(atoms.x + 3 * std::size_t(i), 0, a);
  maker_.make(atoms.x + 3 * std::size_t(j), 0, b);
  const Vec3<double> d = images_ == Images::None ? separation<Images::None>(a, b, frame<double>())
                                                 : separation<Images::Triclinic>(a, b, frame<double>());
  return unit_ * std::sqrt(dot(d, d));
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
