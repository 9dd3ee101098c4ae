// Distances in two parts on the device, whose square roots and fused operations differ from the host's.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <vector>

#include "core/bond.h"
#include "core/device_test.h"
#include "testing/systems.h"

namespace triad {
namespace cuda {
namespace {

constexpr float step = 0x1p-28f;  // of positions in a range of 16 A

__global__ void bond_kernel(int n, const Vec3<int> *d, float shift, Bond<float> *bond) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bond[i] = make_bond(d[i], step, shift);
}

/// dot() is not for long double.
long double squared_length(const Vec3<long double> &v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

class BondOnDevice : public DeviceTest {
 protected:
  static constexpr int n = 20000;

  void SetUp() override {
    DeviceTest::SetUp();
    Random random(90);
    const auto axis = [&] { return static_cast<int>(random(-4, 4) / step); };
    while (int(d.size()) < n) {
      d.push_back({axis(), axis(), axis()});
      const auto whole = vector(int(d.size()) - 1);
      if (squared_length(whole) < 0.25) d.pop_back();
    }
  }
  std::vector<Bond<float>> bonds(float shift) const {
    const DeviceVector<Vec3<int>> from(d);
    const DeviceVector<Bond<float>> to(std::vector<Bond<float>>(d.size()));
    bond_kernel<<<blocks_for(n, 128), 128>>>(n, from.data(), shift, to.data());
    check(cudaDeviceSynchronize(), "computing bonds");
    return sync_host(to.data(), d.size());
  }
  Vec3<long double> vector(int i) const {
    const long double length = step;
    return {d[i].x * length, d[i].y * length, d[i].z * length};
  }
  std::vector<Vec3<int>> d;
};

TEST_F(BondOnDevice, KnowsTheDistanceTo38Bits) {
  for (const float shift : {0.0f, 0.05f, -0.3f, 0.5f}) {
    const auto measured = bonds(shift);
    for (int i = 0; i < n; ++i) {
      const auto whole = vector(i);
      const long double length = std::sqrt(squared_length(whole));
      const long double r = (long double)measured[i].r + measured[i].rest;
      ASSERT_NEAR(double(r - (length + shift)), 0, 0x1p-38 * double(length)) << double(length) << " shift " << shift;
      ASSERT_LE(std::abs(measured[i].rest), FLT_EPSILON * (measured[i].r + std::abs(shift)));
      ASSERT_NEAR(measured[i].inv_length * double(length), 1, 2 * FLT_EPSILON);
      ASSERT_NEAR(measured[i].u.x, double(whole.x / length), 3 * FLT_EPSILON);
      ASSERT_NEAR(measured[i].u.y, double(whole.y / length), 3 * FLT_EPSILON);
      ASSERT_NEAR(measured[i].u.z, double(whole.z / length), 3 * FLT_EPSILON);
    }
  }
}

/// The forces of a pair cancel because both atoms use the same distance.
TEST_F(BondOnDevice, IsSymmetric) {
  const auto there = bonds(0.1f);
  for (auto &v : d) v = {-v.x, -v.y, -v.z};
  const auto back = bonds(0.1f);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(there[i].r, back[i].r);
    ASSERT_EQ(there[i].rest, back[i].rest);
    ASSERT_EQ(there[i].u.x, -back[i].u.x);
  }
}

}  // namespace
}  // namespace cuda
}  // namespace triad
