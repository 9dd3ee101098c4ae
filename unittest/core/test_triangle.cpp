// Enumeration of the pairs of a triangle and its inverse.

#include <gtest/gtest.h>

#include "core/triangle.h"

namespace triad {
namespace {

void expect_inverse(std::int64_t number, std::int64_t low, std::int64_t high) {
  const TrianglePair pair = triangle_pair(number);
  ASSERT_EQ(pair.low, low) << "of number " << number;
  ASSERT_EQ(pair.high, high) << "of number " << number;
  ASSERT_EQ(triangle_number(pair), number);
}

TEST(Triangle, NumbersPairsInOrder) {
  std::int64_t number = 0;
  for (std::int64_t high = 0; high < 3000; ++high)
    for (std::int64_t low = 0; low <= high; ++low) expect_inverse(number++, low, high);
  EXPECT_EQ(number, triangle_size(3000));
}

/// The first and last pair of every column up to 2^20, where the floor of the root changes.
TEST(Triangle, FindsTheColumnUpTo2To20) {
  for (std::int64_t high = 1; high <= 1 << 20; ++high) {
    expect_inverse(triangle_size(high) - 1, high - 1, high - 1);
    expect_inverse(triangle_size(high), 0, high);
    expect_inverse(triangle_size(high) + 1, 1, high);
  }
}

/// Numbers beyond 2^53 are rounded when they become doubles.
TEST(Triangle, FindsTheColumnUpTo2To31) {
  for (std::int64_t high = (1ll << 31) - 1; high > 1 << 20; high -= 1 + high / 100000) {
    expect_inverse(triangle_size(high) - 1, high - 1, high - 1);
    expect_inverse(triangle_size(high), 0, high);
    expect_inverse(triangle_size(high) + high / 2, high / 2, high);
  }
}

}  // namespace
}  // namespace triad
