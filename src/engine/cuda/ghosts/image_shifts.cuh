// Shifts of periodic images in the formats of positions.
#pragma once

#include <cmath>

#include "core/cuda/formats.cuh"

namespace triad {
namespace cuda {

TRIAD_HD WrappedPosition shift_in_counts(const double *shift, const PositionScale &scale, WrappedPosition) {
  const auto axis = [&](double v) { return static_cast<int>(static_cast<unsigned>(llrint(v * scale.per_length))); };
  return {axis(shift[0]), axis(shift[1]), axis(shift[2]), 0};
}
TRIAD_HD DoublePosition shift_in_counts(const double *shift, const PositionScale &, DoublePosition) {
  return {shift[0], shift[1], shift[2], 0};
}

/// True if the shift of an image differs by more than `reserve` from that at the pruned list, as the sum over the
/// components; also if it is not a number. Length units.
TRIAD_HD bool shift_exceeds(double reserve, const double *now, const double *at_list) {
  const auto change = [&](int d) { return math::abs(now[d] - at_list[d]); };
  return !(change(0) + change(1) + change(2) <= reserve);
}

}  // namespace cuda
}  // namespace triad
