// A target temperature that changes linearly during a run.
#pragma once

#include <cstdint>

#include "simd/qualifiers.h"

namespace triad {

/// The range of steps during which a setting ramps from its start value to its end value.
struct RunSpan {
  std::int64_t first = 0, last = 0;

  /// Returns 0 at the first step and 1 at the last step.
  TRIAD_HD double progress(std::int64_t step) const {
    const auto done = static_cast<double>(step - first);
    return done == 0 ? 0 : done / static_cast<double>(last - first);
  }
};

struct TemperatureRamp {
  double start = 0, stop = 0;
  RunSpan span;

  TRIAD_HD double at(std::int64_t step) const {
    return start == stop ? start : start + span.progress(step) * (stop - start);
  }
};

}  // namespace triad
