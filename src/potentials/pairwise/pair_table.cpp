#include "potentials/pairwise/pair_table.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "simd/lanes.h"

namespace triad {
namespace {

/// The cubic spline through (x, y) with given slopes at both ends.
class ClampedSpline {
 public:
  ClampedSpline(const std::vector<double> &x, const std::vector<double> &y, double slope_low, double slope_high)
      : x_(x), y_(y), second_(x.size()) {
    // The second derivatives m solve h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 (d[i] - d[i-1]), where h
    // are widths and d slopes of the intervals; at both ends the given slope replaces d. Gaussian elimination.
    const std::size_t n = x.size();
    std::vector<double> upper(n);
    double before = slope_low, h_before = 0, upper_before = 0, m_before = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool last = i + 1 == n;
      const double h = last ? 0 : x[i + 1] - x[i], slope = last ? slope_high : (y[i + 1] - y[i]) / h;
      const double pivot = 2 * (h_before + h) - h_before * upper_before;
      upper[i] = h / pivot;
      second_[i] = (6 * (slope - before) - h_before * m_before) / pivot;
      before = slope;
      h_before = h;
      upper_before = upper[i];
      m_before = second_[i];
    }
    for (std::size_t i = n - 1; i-- > 0;) second_[i] -= upper[i] * second_[i + 1];
  }

  double operator()(double x) const {
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    const std::size_t i = after - x_.begin() - 1;
    const double h = x_[i + 1] - x_[i], b = (x - x_[i]) / h, a = 1 - b;
    return a * y_[i] + b * y_[i + 1] + ((a * a * a - a) * second_[i] + (b * b * b - b) * second_[i + 1]) * h * h / 6;
  }

  /// The second derivative at x[i].
  double curvature(std::size_t i) const { return second_[i]; }

 private:
  const std::vector<double> &x_, &y_;
  std::vector<double> second_;
};

void append(TableSettings::Points &points, std::initializer_list<double> values) {
  for (const double value : values) {
    points.exact.push_back(value);
    points.rounded.push_back(static_cast<float>(value));
  }
}

/// The splines of a table.
struct TableSplines {
  explicit TableSplines(const PairTable &t)
      : table(t),
        energy(t.r, t.energy, -t.force.front(), -t.force.back()),
        force(t.r, t.force, t.has_slopes ? t.slope_low : secant(t, 1),
              t.has_slopes ? t.slope_high : secant(t, t.r.size() - 1)) {}

  static double secant(const PairTable &t, std::size_t i) {
    return (t.force[i] - t.force[i - 1]) / (t.r[i] - t.r[i - 1]);
  }
  double force_over_r(double squared) const { return force(std::sqrt(squared)) / std::sqrt(squared); }

  const PairTable &table;
  const ClampedSpline energy, force;
};

/// n squared distances, and the values there.
struct Samples {
  std::vector<double> squared, energy, force_over_r;

  /// `same`: the points are those of the table.
  Samples(const TableSplines &splines, std::vector<double> at, bool same) : squared(std::move(at)) {
    const PairTable &table = splines.table;
    for (std::size_t i = 0; i < squared.size(); ++i) {
      const double r = same ? table.r[i] : std::sqrt(squared[i]);
      energy.push_back(same ? table.energy[i] : splines.energy(r));
      force_over_r.push_back((same ? table.force[i] : splines.force(r)) / r);
    }
  }
};

/// The derivative of force / r with respect to r^2, from the slope F' of the force.
double slope_over_square(double r, double force_over_r, double slope) { return (slope - force_over_r) / (2 * r * r); }

/// Appends the points of the splines over r^2 through energy and force / r. The slopes of force / r at the ends are
/// those of FPRIME, or secants over a tenth of a spacing, as in LAMMPS.
void append_spline(const Samples &at, const TableSplines &splines, double cutoff, double spacing,
                   TableSettings::Points &points) {
  const PairTable &table = splines.table;
  const std::size_t last = at.squared.size() - 1;
  const double inner = table.inner(), step = 0.1 * spacing;
  const double f0 = at.force_over_r[0], fn = at.force_over_r[last];
  const double low = table.has_slopes ? slope_over_square(inner, f0, table.slope_low)
                                      : (splines.force_over_r(inner * inner + step) - f0) / step;
  const double high = table.has_slopes && cutoff == table.outer()
                          ? slope_over_square(cutoff, fn, table.slope_high)
                          : (fn - splines.force_over_r(cutoff * cutoff - step)) / step;
  const ClampedSpline energy(at.squared, at.energy, -f0 / 2, -fn / 2), force(at.squared, at.force_over_r, low, high);
  const double sixth = spacing * spacing / 6;
  for (std::size_t i = 0; i <= last; ++i)
    append(points, {at.energy[i], at.force_over_r[i], energy.curvature(i) * sixth, force.curvature(i) * sixth});
}

/// The points of style Bitmap. The grid may end before the cutoff; a point at the cutoff or, if the points are those of
/// the table, one that continues the last interval then follows. One more point is for distances that rounding moves to
/// the cutoff.
TableSettings::Entry add_bitmap(const TableSplines &splines, double cutoff, int bits, TableSettings::Points &points,
                                double first) {
  const PairTable &table = splines.table;
  const bool same =
      table.spacing == TableSpacing::Bitmap && table.r.size() == std::size_t(1) << bits && cutoff == table.high;
  const BitmapGrid grid = bitmap_grid(table.low > 0 ? table.low : table.inner(), cutoff, bits).value();
  std::vector<double> squared;
  for (int k = 0; k < 1 << bits && (k == 0 || squared.back() < cutoff * cutoff); ++k)
    squared.push_back(grid.squared(k));
  const bool ends_early = squared.back() < cutoff * cutoff;
  if (ends_early && !same) squared.push_back(cutoff * cutoff);
  const Samples at(splines, squared, same);
  for (std::size_t i = 0; i < at.squared.size(); ++i)
    append(points, {at.energy[i], at.force_over_r[i], at.squared[i], 0});
  const auto continued = [](const std::vector<double> &x) { return 2 * x.back() - x[x.size() - 2]; };
  for (int k = 0; k < 1 + (ends_early && same); ++k)
    append(points, {continued(at.energy), continued(at.force_over_r), continued(at.squared), 0});
  return {grid.squared(0), double(grid.shift), cutoff * cutoff, first};
}

}  // namespace

double BitmapGrid::squared(int k) const { return from_bits(first + (static_cast<std::uint32_t>(k) << shift)); }

std::optional<BitmapGrid> bitmap_grid(double inner, double outer, int bits) {
  constexpr int mantissa = 23, exponent = 8;  // bits of an IEEE float
  const double range = std::ldexp(outer * outer, -std::ilogb(inner * inner));
  int of_exponent = 0;
  while (of_exponent <= exponent && std::ldexp(1, 1 << of_exponent) < range) ++of_exponent;
  const int of_mantissa = bits - of_exponent;
  if (of_exponent > exponent || of_mantissa < 3 || of_mantissa > mantissa) return std::nullopt;
  BitmapGrid grid;
  grid.shift = mantissa - of_mantissa;
  grid.first = bits_of(static_cast<float>(inner * inner)) >> grid.shift << grid.shift;
  while (grid.squared(0) < inner * inner) grid.first += 1u << grid.shift;
  return grid;
}

TableSettings::Entry add_points(const PairTable &table, double cutoff, TableStyle style, int n,
                                TableSettings::Points &points) {
  const TableSplines splines(table);
  const std::size_t present = points.exact.size() / TableSettings::numbers_per_point(style);  // of other tables
  const auto first = static_cast<double>(present);
  if (style == TableStyle::Bitmap) return add_bitmap(splines, cutoff, n, points, first);
  const double inner_squared = table.inner() * table.inner();
  const double spacing = (cutoff * cutoff - inner_squared) / (n - 1);
  const bool middle = style == TableStyle::Lookup;
  const bool same = style == TableStyle::Linear && table.spacing == TableSpacing::Squared && int(table.r.size()) == n &&
                    cutoff == table.outer();
  std::vector<double> squared(n);
  for (int i = 0; i < n; ++i) squared[i] = inner_squared + (middle ? std::min(i + 0.5, n - 1.0) : double(i)) * spacing;
  const Samples at(splines, squared, same);
  if (style == TableStyle::Spline)
    append_spline(at, splines, cutoff, spacing, points);
  else
    for (int i = 0; i < n; ++i) append(points, {at.energy[i], at.force_over_r[i]});
  return {inner_squared, 1 / spacing, double(n - 1), first};
}

}  // namespace triad
