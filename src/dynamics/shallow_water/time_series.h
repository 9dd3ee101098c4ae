// Piecewise linear functions of time, for the boundary of a mesh.
#pragma once

#include <string>
#include <vector>

#include "simd/qualifiers.h"

namespace triad {

/// Value at time t of the function with the points (time[k], value[k]), k in [0, n), n >= 1, whose times ascend:
/// linear between points, constant before the first and after the last point.
TRIAD_HD double series_value(const double *time, const double *value, int n, double t) {
  int next = 0, end = n;  // the first point later than t is in [next, end]
  while (next < end) {
    const int middle = next + (end - next) / 2;
    if (time[middle] > t)
      end = middle;
    else
      next = middle + 1;
  }
  if (next == 0) return value[0];
  if (next == n) return value[n - 1];
  const double part = (t - time[next - 1]) / (time[next] - time[next - 1]);
  return value[next - 1] + part * (value[next] - value[next - 1]);
}

struct FlowSeries {
  std::string name;
  std::vector<double> time, value;  ///< of the same length, at least 1; times ascend

  double at(double t) const { return series_value(time.data(), value.data(), int(time.size()), t); }
};

}  // namespace triad
