// Enumeration of the pairs (low, high) with 0 <= low <= high: 0 = (0,0), 1 = (0,1), 2 = (1,1), 3 = (0,2), ...
#pragma once

#include <cmath>
#include <cstdint>

#include "core/portable_math.h"

namespace triad {

struct TrianglePair {
  std::int64_t low, high;
};

/// Number of pairs with high < n, n <= 2^31.
TRIAD_HD std::int64_t triangle_size(std::int64_t n) { return n * (n + 1) / 2; }

TRIAD_HD std::int64_t triangle_number(const TrianglePair &pair) { return triangle_size(pair.high) + pair.low; }

/// Inverse of triangle_number() for 0 <= number < triangle_size(2^31).
///
/// high is the floor of h = (sqrt(8 number + 1) - 1) / 2 < 2^31. The conversion of 8 number + 1 < 2^64 to double has a
/// relative error of at most 2^-53. The square root halves this error and adds 2^-53 by rounding; the subtraction adds
/// another 2^-53. The absolute error of h is therefore below 2^31 * 2^-51 < 1, so the floor is wrong by at most one,
/// and one step corrects the result.
TRIAD_HD TrianglePair triangle_pair(std::int64_t number) {
  std::int64_t high = static_cast<std::int64_t>((::sqrt(8.0 * static_cast<double>(number) + 1.0) - 1.0) * 0.5);
  if (triangle_size(high) > number) --high;
  if (triangle_size(high + 1) <= number) ++high;
  return {number - triangle_size(high), high};
}

}  // namespace triad
