// Factors of a velocity-Verlet step in fp32.
#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>

namespace triad {

/// Factors of a step: v += kick * f, x += drift * v.
struct StepFactors {
  float kick, drift;
};

/// Rounds the factors of a step to fp32 so that their product, rounded to fp32, is nearly the exact product.
///
/// A kernel that moves a neighbour by its force alone uses the rounded product, while the atom's own velocity takes up
/// `kick` and moves the atom by `drift`. A relative difference d between the two acts as a friction (or its opposite)
/// of the order of d * omega^2 * dt on a vibration of frequency omega: with d up to 6e-8 a silicon crystal at 300 K
/// would drift by 1e-5 eV per atom and ns. Each factor is changed by as few units in the last place as make d smaller
/// than 1e-10, and by at most 32 (4e-6 relative); then d is the smallest found.
///
/// Both factors must be finite, positive and, with their product, in the normal range of fp32; others are rounded to
/// the nearest.
inline StepFactors round_step_factors(double kick, double drift) {
  constexpr int most_units = 32;
  constexpr double small_enough = 1e-10, smallest = std::numeric_limits<float>::min();
  StepFactors best = {static_cast<float>(kick), static_cast<float>(drift)};
  if (!(kick > smallest && drift > smallest && kick * drift > smallest) || !std::isfinite(best.kick * best.drift))
    return best;
  const StepFactors nearest = best;
  const auto moved = [](float value, int by) {
    return value + std::ldexp(static_cast<float>(by) * std::numeric_limits<float>::epsilon(), std::ilogb(value));
  };
  double least = 1;
  for (int units = 0; units <= most_units && least > small_enough; ++units)
    for (int k = -units; k <= units; ++k)
      for (int d = -units; d <= units; d += std::abs(k) == units ? 1 : 2 * units) {  // the rim of a square
        const StepFactors factors = {moved(nearest.kick, k), moved(nearest.drift, d)};
        const double exact = double(factors.kick) * factors.drift;
        const double difference = std::fabs(static_cast<float>(exact) - exact) / exact;
        if (difference < least) {
          least = difference;
          best = factors;
        }
      }
  return best;
}

}  // namespace triad
