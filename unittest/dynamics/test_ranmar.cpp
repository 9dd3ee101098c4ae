// RANMAR: the numbers of its distributions are finite, and have the moments of the distributions.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/ranmar.h"

namespace triad {
namespace {

/// uniform() is exactly 0 once in 2^24 numbers: for this seed, within these draws of fix temp/csvr with 6 degrees of
/// freedom.
TEST(Ranmar, SumsOfSquaresAreFinite) {
  Ranmar random(1);
  for (int n = 0; n < 300000; ++n) {
    const double one = random.gaussian(), others = random.squares(5);
    ASSERT_TRUE(std::isfinite(one) && std::isfinite(others)) << "draw " << n;
  }
}

TEST(Ranmar, DistributionsHaveTheirMoments) {
  constexpr int n = 200000;
  for (const int order : {1, 3, 5, 6, 20}) {
    Ranmar random(4711);
    double sum = 0, squares = 0;
    for (int k = 0; k < n; ++k) {
      const double x = random.gamma(order);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / n, variance = squares / n - mean * mean;
    EXPECT_NEAR(mean, order, 4 * std::sqrt(double(order) / n)) << "order " << order;
    EXPECT_NEAR(variance, order, 0.05 * order) << "order " << order;
  }
}

}  // namespace
}  // namespace triad
