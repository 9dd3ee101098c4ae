#include "potentials/pairwise/pair_table.h"

#include <algorithm>
#include <cmath>

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

 private:
  const std::vector<double> &x_, &y_;
  std::vector<double> second_;
};

}  // namespace

TableSettings::Entry add_points(const PairTable &table, double cutoff, int n, TableSettings::Points &points) {
  const std::vector<double> &r = table.r, &f = table.force;
  const std::size_t last = r.size() - 1;
  const double slope_low = table.has_slopes ? table.slope_low : (f[1] - f[0]) / (r[1] - r[0]);
  const double slope_high = table.has_slopes ? table.slope_high : (f[last] - f[last - 1]) / (r[last] - r[last - 1]);
  const ClampedSpline energy(r, table.energy, -f[0], -f[last]), force(r, f, slope_low, slope_high);
  const double inner_squared = table.inner() * table.inner();
  const double spacing = (cutoff * cutoff - inner_squared) / (n - 1);
  const bool same = table.squared && int(r.size()) == n && cutoff == table.outer();
  const std::size_t before = points.exact.size() / 2;  // points of other tables
  const TableSettings::Entry entry = {inner_squared, 1 / spacing, double(n - 1), double(before)};
  for (int i = 0; i < n; ++i) {
    const double at = same ? r[i] : std::sqrt(inner_squared + i * spacing);
    for (const double value : {same ? table.energy[i] : energy(at), (same ? f[i] : force(at)) / at}) {
      points.exact.push_back(value);
      points.rounded.push_back(static_cast<float>(value));
    }
  }
  return entry;
}

}  // namespace triad
