// Positions modulo a power of two: differences are exact for any position, including across the wrap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "core/cuda/formats.cuh"
#include "core/device_test.h"
#include "testing/systems.h"

namespace triad {
namespace cuda {
namespace {

__global__ void difference_kernel(int n, const double *from, const double *to, PositionScale scale, float *result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  WrappedPosition a, b;
  store(a, from + 3 * i, 0, scale);
  store(b, to + 3 * i, 1, scale);
  const Vec3<float> d = difference(a, b, scale);
  result[3 * i] = d.x;
  result[3 * i + 1] = d.y;
  result[3 * i + 2] = d.z;
}

std::vector<float> differences(const std::vector<double> &from, const std::vector<double> &to,
                               const PositionScale &scale) {
  const int n = int(from.size() / 3);
  const DeviceVector<double> a(from), b(to);
  const DeviceVector<float> result(std::vector<float>(from.size()));
  difference_kernel<<<blocks_for(n, 128), 128>>>(n, a.data(), b.data(), scale, result.data());
  check(cudaDeviceSynchronize(), "subtracting");
  return sync_host(result.data(), from.size());
}

/// Cutoffs of short-ranged and long-ranged parameter sets, just below, at and above powers of two.
const double cutoffs[] = {0.9, 1.0, 1.3, 2.52, 3.6, 3.999, 4.0, 4.001, 40};

TEST(PositionScale, IsAPowerOfTwoWideEnough) {
  for (const double cutoff : cutoffs) {
    const auto scale = PositionScale::for_cutoff(cutoff);
    const double range = scale.length * 4294967296.0;
    EXPECT_GE(range, 4 * cutoff);
    EXPECT_LE(range, 8 * cutoff);
    EXPECT_EQ(std::exp2(std::nearbyint(std::log2(range))), range);
    EXPECT_EQ(scale.per_length * double(scale.length), 1.0);
  }
}

class WrappedPositions : public DeviceTest {};

/// For coordinates that are multiples of a count, up to 1e6 in size, the difference is the float nearest to the exact
/// difference.
TEST_F(WrappedPositions, DifferencesOfCountsAreExact) {
  Random random(60);
  for (const double cutoff : cutoffs) {
    const auto scale = PositionScale::for_cutoff(cutoff);
    const auto to_count = [&](double x) { return std::nearbyint(x * scale.per_length) / scale.per_length; };
    const double range = 4294967296.0 / scale.per_length;
    std::vector<double> from, to;
    const auto add = [&](double x) {
      from.push_back(to_count(x));
      to.push_back(to_count(x + random(-2 * cutoff, 2 * cutoff) * (1 - 1e-6)));
    };
    for (const double size : {1.0, 100.0, 1e4, 1e6})
      for (int k = 0; k < 200; ++k) add(random(-size, size));
    for (const double wrap : {-1e6, -range, -range / 2, 0.0, range / 2, range, 1e6})  // around multiples of the range
      for (int k = 0; k < 200; ++k) add(std::nearbyint(wrap / range * 2) / 2 * range + random(-cutoff, cutoff));
    while (from.size() % 3) add(0);

    const std::vector<float> result = differences(from, to, scale);
    for (std::size_t k = 0; k < from.size(); ++k)
      ASSERT_EQ(result[k], float(to[k] - from[k])) << "from " << from[k] << " to " << to[k] << ", cutoff " << cutoff;
  }
}

/// For arbitrary coordinates the error is below one count plus the rounding of a float.
TEST_F(WrappedPositions, DifferencesAreOffByLessThanACount) {
  Random random(61);
  for (const double cutoff : cutoffs) {
    const auto scale = PositionScale::for_cutoff(cutoff);
    std::vector<double> from, to;
    for (int k = 0; k < 3000; ++k) {
      from.push_back(random(-1e6, 1e6));
      to.push_back(from.back() + random(-cutoff, cutoff));
    }
    const std::vector<float> result = differences(from, to, scale);
    for (std::size_t k = 0; k < from.size(); ++k) {
      const double exact = to[k] - from[k];
      ASSERT_NEAR(result[k], exact, scale.length * 1.01 + std::abs(exact) * 0x1p-24) << "from " << from[k];
    }
  }
}

/// d_ij = -d_ji, so both atoms of a pair use the same distance.
TEST_F(WrappedPositions, DifferencesAreAntisymmetric) {
  Random random(62);
  const auto scale = PositionScale::for_cutoff(3.6);
  std::vector<double> from, to;
  for (int k = 0; k < 3000; ++k) {
    from.push_back(random(-1e3, 1e3));
    to.push_back(from.back() + random(-3.6, 3.6));
  }
  const std::vector<float> there = differences(from, to, scale), back = differences(to, from, scale);
  for (std::size_t k = 0; k < there.size(); ++k) ASSERT_EQ(there[k], -back[k]);
}

__global__ void direction_kernel(int n, const double *from, const double *to, PositionScale scale,
                                 Bond<float> *result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  WrappedPosition a, b;
  store(a, from + 3 * i, 0, scale);
  store(b, to + 3 * i, 0, scale);
  result[i] = bond_to<MixedFormat>(relative_to(a, b), scale, 0.0f);
}

/// The bonds of `mixed` split the difference and truncate the upper part; the directions must nevertheless be accurate.
TEST_F(WrappedPositions, DirectionsInMixedAreRounded) {
  constexpr int n = 20000;
  Random random(62);
  const auto scale = PositionScale::for_cutoff(3.6);
  const auto to_count = [&](double x) { return std::nearbyint(x * scale.per_length) / scale.per_length; };
  std::vector<double> from(3 * n), to(3 * n);
  for (int k = 0; k < 3 * n; ++k) {
    from[k] = to_count(random(-500, 500));
    to[k] = to_count(from[k] + random(0.4, 1.8) * (random.below(2) ? 1 : -1));
  }
  const DeviceVector<double> a(from), b(to);
  const std::vector<Bond<float>> nothing(n);
  const DeviceVector<Bond<float>> result(nothing);
  direction_kernel<<<blocks_for(n, 128), 128>>>(n, a.data(), b.data(), scale, result.data());
  check(cudaDeviceSynchronize(), "computing bonds");
  const auto bond = sync_host(result.data(), n);
  for (int i = 0; i < n; ++i) {
    const Vec3<double> d = {to[3 * i] - from[3 * i], to[3 * i + 1] - from[3 * i + 1], to[3 * i + 2] - from[3 * i + 2]};
    const double length = std::sqrt(dot(d, d));
    ASSERT_NEAR(bond[i].u.x, d.x / length, 3 * FLT_EPSILON);
    ASSERT_NEAR(bond[i].u.y, d.y / length, 3 * FLT_EPSILON);
    ASSERT_NEAR(bond[i].u.z, d.z / length, 3 * FLT_EPSILON);
    ASSERT_NEAR(bond[i].r + double(bond[i].rest), length, 0x1p-37 * length);
  }
}

}  // namespace
}  // namespace cuda
}  // namespace triad
