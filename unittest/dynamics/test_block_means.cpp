// Means and standard errors of BlockMeans against those of whole series.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dynamics/block_means.h"

namespace triad {
namespace {

double first(const std::vector<double> &means) { return means[0]; }

TEST(BlockMeans, MeanIsThatOfAllSamples) {
  for (const int n : {1, 31, 32, 33, 1000, 4097}) {
    BlockMeans blocks(2);
    double sum = 0;
    for (int k = 0; k < n; ++k) {
      const double values[2] = {std::sin(k), 3};
      blocks.add(values);
      sum += values[0];
    }
    EXPECT_NEAR(blocks.mean()[0], sum / n, 1e-13);
    EXPECT_EQ(blocks.mean()[1], 3);
    EXPECT_EQ(blocks.samples(), n);
    EXPECT_LT(blocks.blocks(), BlockMeans::most_blocks);
    EXPECT_GE(blocks.blocks(), std::min(n, BlockMeans::most_blocks / 2));
  }
}

TEST(BlockMeans, StandardErrorOfIndependentSamples) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 2);
  BlockMeans blocks(1);
  const int n = 1 << 20;
  for (int k = 0; k < n; ++k) {
    const double value = normal(random);
    blocks.add(&value);
  }
  // 16 blocks know the error to 1 / sqrt(30) of itself
  EXPECT_NEAR(blocks.standard_error(first, 0, blocks.blocks()) * std::sqrt(n) / 2, 1, 0.55);
}

TEST(BlockMeans, FewerThanTwoBlocksHaveNoError) {
  BlockMeans blocks(1);
  EXPECT_EQ(blocks.mean()[0], 0);
  EXPECT_TRUE(std::isinf(blocks.standard_error(first, 0, blocks.blocks())));
}

TEST(BlockMeans, PackedStateGoesOn) {
  BlockMeans whole(1), begun(1), later(1), other(2);
  for (int k = 0; k < 700; ++k) {
    const double value = std::cos(0.1 * k);
    whole.add(&value);
    if (k == 333) {
      ASSERT_TRUE(later.unpack(begun.pack()));
    }
    (k < 333 ? begun : later).add(&value);
  }
  EXPECT_EQ(later.pack(), whole.pack());
  EXPECT_FALSE(other.unpack(begun.pack()));
  EXPECT_FALSE(other.unpack({}));
}

}  // namespace
}  // namespace triad
