// Piecewise linear functions of time, for the boundary of a mesh.
#pragma once

#include <string>
#include <vector>

#include "simd/qualifiers.h"

namespace triad {

/// Value at time t of the function with the points (time[k], value[k]), k in [0, n), n >= 1, whose times ascend:
/// linear between points, constant before the first and after the last point.
TRIAD_HD double series_value(const double *time, const double *value, int n, double t) {
  if (t < time[0]) return value[0];
  if (t >= time[n - 1]) return value[n - 1];
  int last = 0, next = n - 1;  // time[last] <= t < time[next]
  while (next - last > 1) {
    const int middle = last + (next - last) / 2;
    if (time[middle] > t)
      next = middle;
    else
      last = middle;
  }
  const double part = (t - time[last]) / (time[next] - time[last]);
  return value[last] + part * (value[next] - value[last]);
}

struct FlowSeries {
  std::string name;
  std::vector<double> time, value;  ///< of the same length, at least 1; times ascend

  double at(double t) const { return series_value(time.data(), value.data(), int(time.size()), t); }
};

}  // namespace triad
