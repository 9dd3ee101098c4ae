// Accuracy of positions as steps update them: conversion to fixed point and back, coarse references, and the positions
// around which atoms are expected to move.
#include <cmath>
#include <vector>

#include "core/device_test.h"
#include "engine/cuda/state/coordinates.cuh"
#include "engine/cuda/state/expected_path.cuh"
#include "testing/systems.h"

namespace triad {
namespace cuda {
namespace {

class OnDevice : public DeviceTest {};

constexpr double cutoff = 4.0;

/// Encodes x, moves it `steps` times by v * drift, and decodes it with x as the anchor.
template <class Format>
__global__ void travel_kernel(Coordinates<Format> at, int n, const double *x, const double *v, double drift, int steps,
                              double *result) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  using Velocity = typename Coordinates<Format>::Velocity;
  const Vec3<double> start = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
  const Vec3<Velocity> u = {Velocity(v[3 * i]), Velocity(v[3 * i + 1]), Velocity(v[3 * i + 2])};
  at.store_coord(i, at.encode(start, 1));
  for (int s = 0; s < steps; ++s) {
    auto coord = at.load_coord(i);
    Coordinates<Format>::move(coord, at.step(drift) * u);
    at.store_coord(i, coord);
  }
  const Vec3<double> end = at.decode(at.load_coord(i), start);
  result[3 * i] = end.x;
  result[3 * i + 1] = end.y;
  result[3 * i + 2] = end.z;
}

template <class Format>
double largest_error(int steps) {
  const int n = 500;
  const double drift = 0.001;
  Random random(3);
  std::vector<double> x, v;
  for (int k = 0; k < 3 * n; ++k) {
    x.push_back(random(-900, 900));
    v.push_back(random(-15, 15));
  }
  DeviceVector<double> x_device(x), v_device(v), result(x);
  DeviceVector<typename Coordinates<Format>::Position> position{std::vector<typename Coordinates<Format>::Position>(n)};
  DeviceVector<unsigned> lower{std::vector<unsigned>(3 * n)};
  const Coordinates<Format> at = {position.data(), lower.data(), n, PositionScale::for_cutoff(cutoff)};
  travel_kernel<Format>
      <<<blocks_for(n, 128), 128>>>(at, n, x_device.data(), v_device.data(), drift, steps, result.data());
  check(cudaDeviceSynchronize(), "travelling");
  const auto end = sync_host(result.data(), 3 * n);
  double worst = 0;
  for (int k = 0; k < 3 * n; ++k) worst = std::max(worst, std::abs(end[k] - (x[k] + steps * drift * v[k])));
  return worst;
}

TEST_F(OnDevice, PositionsComeBackAsTheyWere) {
  EXPECT_LT(largest_error<SingleFormat>(0), 3e-9);  // half a count of 2^-32 of the range
  EXPECT_LT(largest_error<MixedFormat>(0), 2e-13);  // the rounding of fp64 at 900 length units
  EXPECT_EQ(largest_error<DoubleFormat>(0), 0);
}

TEST_F(OnDevice, PositionsFollowTheirVelocities) {
  const int steps = 60;  // less than half of the range
  EXPECT_LT(largest_error<SingleFormat>(steps), steps * 1e-8);
  EXPECT_LT(largest_error<MixedFormat>(steps), 3e-13);
  EXPECT_LT(largest_error<DoubleFormat>(steps), steps * 2e-13);
}

template <class Position>
__global__ void coarse_kernel(CoarseReference coarse, PositionScale scale, int n, const double *x, const double *moved,
                              int *within) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Position reference, now;
  store(reference, x + 3 * i, 0, scale);
  store(now, moved + 3 * i, 0, scale);
  within[i] = coarse.surely_within(coarse.pack(reference), coarse.pack(now));
}

template <class Position>
void expect_conservative(double limit) {
  const int n = 20000;
  Random random(8);
  std::vector<double> x, moved;
  for (int i = 0; i < n; ++i) {
    const double length = random(0, 1.8 * limit);  // beyond twice the limit the check is out of range
    const double z = random(-1, 1), angle = random(0, 6.283185307179586), r = std::sqrt(1 - z * z);
    const double d[3] = {length * r * std::cos(angle), length * r * std::sin(angle), length * z};
    for (int axis = 0; axis < 3; ++axis) {
      x.push_back(random(-300, 300));
      moved.push_back(x.back() + d[axis]);
    }
  }
  const PositionScale scale = PositionScale::for_cutoff(cutoff);
  DeviceVector<double> x_device(x), moved_device(moved);
  DeviceVector<int> within{std::vector<int>(n)};
  coarse_kernel<Position><<<blocks_for(n, 128), 128>>>(CoarseReference::for_limit(limit, scale), scale, n,
                                                       x_device.data(), moved_device.data(), within.data());
  check(cudaDeviceSynchronize(), "checking");
  const auto found = sync_host(within.data(), n);
  for (int i = 0; i < n; ++i) {
    double squared = 0;
    for (int k = 3 * i; k < 3 * i + 3; ++k) squared += (moved[k] - x[k]) * (moved[k] - x[k]);
    const double length = std::sqrt(squared);
    ASSERT_FALSE(found[i] && length > limit) << "moved by " << length << ", limit " << limit;
    ASSERT_TRUE(found[i] || length > 0.95 * limit) << "moved by " << length << ", limit " << limit;
  }
}

TEST_F(OnDevice, CoarseReferencesMissNoDisplacement) {
  for (const double limit : {0.1, 0.25, 0.5, 1.0, 1.7}) {
    expect_conservative<WrappedPosition>(limit);
    expect_conservative<DoublePosition>(limit);
  }
}

/// With a limit of zero, every displacement requires an exact check.
TEST_F(OnDevice, CoarseReferencesAllowNothingWithoutASkin) {
  EXPECT_EQ(CoarseReference::for_limit(0, PositionScale::for_cutoff(cutoff)).limit_squared, -1);
}

/// Writes the expected position of an atom at x with a displacement of `by` per step, to which each step adds twice
/// `bend`; and its share, its element, and the vector to it from the atom.
template <class Format>
__global__ void expect_kernel(Coordinates<Format> at, ExpectedPath<Format> path, int n, const double *x,
                              const double *by, const double *bend, float *share, int *element, double *offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  at.store_coord(i, at.encode({x[3 * i], x[3 * i + 1], x[3 * i + 2]}, i % 5 - 1));
  const double per_length = at.step(1.0);
  const auto per_step = [&](const double *v) {
    return Vec3<float>{float(per_length * v[3 * i]), float(per_length * v[3 * i + 1]),
                       float(per_length * v[3 * i + 2])};
  };
  path.store(i, at.position[i], per_step(by), per_step(bend));
  const auto d = difference(at.position[i], path.position[i], at.scale);
  share[i] = share_of(path.position[i]);
  element[i] = element_of(path.position[i]);
  offset[3 * i] = d.x;
  offset[3 * i + 1] = d.y;
  offset[3 * i + 2] = d.z;
}

/// The expected position is the mean of the path while the force stays the same, and no point of the path is farther
/// from there than the share. If the mean is too far away, the expected position is on the way to it.
template <class Format>
void expect_paths(double most) {
  const int n = 2000;
  Random random(9);
  std::vector<double> x, by, bend;
  for (int i = 0; i < n; ++i) {
    const double fast = std::pow(10.0, random(-3, -1)), curved = std::pow(10.0, random(-4, -2));
    for (int axis = 0; axis < 3; ++axis) {
      x.push_back(random(-900, 900));
      by.push_back(fast * random(-1, 1));
      bend.push_back(curved * random(-1, 1));
    }
  }
  using Position = typename Coordinates<Format>::Position;
  DeviceVector<double> x_device(x), by_device(by), bend_device(bend), offset(x);
  DeviceVector<float> share{std::vector<float>(n)};
  DeviceVector<int> element{std::vector<int>(n)};
  DeviceVector<Position> position{std::vector<Position>(n)}, expected{std::vector<Position>(n)};
  DeviceVector<unsigned> lower{std::vector<unsigned>(3 * n)};
  const Coordinates<Format> at = {position.data(), lower.data(), n, PositionScale::for_cutoff(cutoff)};
  const ExpectedPath<Format> path = {expected.data(), at.scale, float(most), float(1 / at.step(1.0))};
  expect_kernel<Format><<<blocks_for(n, 128), 128>>>(at, path, n, x_device.data(), by_device.data(), bend_device.data(),
                                                     share.data(), element.data(), offset.data());
  check(cudaDeviceSynchronize(), "extrapolating paths");
  const auto shares = sync_host(share.data(), n);
  const auto elements = sync_host(element.data(), n);
  const auto offsets = sync_host(offset.data(), 3 * n);
  constexpr int steps = int(tuning::expected_steps);
  int capped = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(elements[i], i % 5 - 1);
    const auto length = [](const double *v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); };
    constexpr int parts = 1000;  // of a step, for the integral over the path
    double mean[3] = {0, 0, 0}, farthest = 0;
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < steps * parts; ++k) {
        const double t = (k + 0.5) / parts;
        mean[axis] += (t * by[3 * i + axis] + t * (t + 1) * bend[3 * i + axis]) / (steps * parts);
      }
    for (int k = 0; k <= steps; ++k) {
      double away[3];
      for (int axis = 0; axis < 3; ++axis)
        away[axis] = k * by[3 * i + axis] + k * (k + 1) * bend[3 * i + axis] - offsets[3 * i + axis];
      farthest = std::max(farthest, length(away));
    }
    ASSERT_LE(farthest, shares[i]) << "atom " << i;
    EXPECT_LE(shares[i], 1.1 * farthest) << "atom " << i;
    const double far = length(mean), factor = far > most ? most / far : 1;
    capped += far > most;
    for (int axis = 0; axis < 3; ++axis)
      ASSERT_NEAR(offsets[3 * i + axis], factor * mean[axis], 1e-7 + 1e-5 * far) << "atom " << i;
  }
  if (most < 1) {
    EXPECT_GT(capped, n / 10);
    EXPECT_LT(capped, n - n / 10);
  } else {
    EXPECT_EQ(capped, 0);
  }
}

TEST_F(OnDevice, ExpectedPositionsAreTheMeansOfPaths) {
  for (const double most : {0.2, 100.0}) {
    expect_paths<SingleFormat>(most);
    expect_paths<MixedFormat>(most);
    expect_paths<DoubleFormat>(most);
  }
}

}  // namespace
}  // namespace cuda
}  // namespace triad
