// The sub-steps that fill an interval of time exactly.
#pragma once

#include "simd/qualifiers.h"

namespace triad {

/// The interval [start, start + span] and how far sub-steps have come. Times in the units of the run.
struct SubSteps {
  double start = 0, span = 0;
  double done = 0;      ///< part of span that is done
  double step = 0;      ///< the last chosen step
  long long count = 0;  ///< completed sub-steps

  TRIAD_HD double time() const { return start + done; }
  TRIAD_HD bool finished() const { return !(done < span); }

  /// Chooses the next step for the largest stable step `limit`: what is left of the span if that is stable, otherwise
  /// at most half of it, so that no tiny step remains. Returns false if the step does not advance the time, or is less
  /// than least_share of the span, so that the sub-steps would hardly end.
  TRIAD_HD bool choose(double limit) {
    const double left = span - done, half = 0.5 * left;
    step = !(limit < left) ? left : (limit < half ? limit : half);
    return advances();
  }
  static constexpr double least_share = 1e-8;
  /// False if the chosen step does not advance the time, or is less than least_share of the span.
  TRIAD_HD bool advances() const { return time() + step > time() && step > least_share * span; }
  /// Counts the chosen step as done.
  TRIAD_HD void complete() {
    done = step == span - done ? span : done + step;
    ++count;
  }
};

}  // namespace triad
