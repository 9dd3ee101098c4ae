// Geometry of a bond: distance in two parts, direction, shift.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/bond.h"

namespace triad {
namespace {

using Exact = Vec3<long double>;

long double length_of(const Exact &d) { return std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z); }

/// Vectors of 0.5 to 4 A in all directions, some along or close to the axes.
std::vector<Vec3<double>> vectors() {
  std::mt19937 random(5);
  const auto uniform = [&] { return 2 * (random() / 4294967296.0) - 1; };
  std::vector<Vec3<double>> list = {{2.35, 0, 0}, {0, -1.4, 0}, {0, 0, 3}, {2.7, 1e-5, -1e-9}, {1, 1, 1}};
  while (list.size() < 5000) {
    const Vec3<double> d = {4 * uniform(), 4 * uniform(), 4 * uniform()};
    const double r = std::sqrt(dot(d, d));
    if (r > 0.5 && r < 4) list.push_back(d);
  }
  return list;
}

float rounded(double x) { return static_cast<float>(x); }

/// The step of positions in a range of 16 A, and vectors in such steps.
constexpr float step = 0x1p-28f;
Vec3<int> counts_of(const Vec3<double> &d) {
  const auto axis = [](double x) { return static_cast<int>(std::lround(x / step)); };
  return {axis(d.x), axis(d.y), axis(d.z)};
}
Exact exact(const Vec3<int> &d) {
  const long double length = step;
  return {d.x * length, d.y * length, d.z * length};
}

/// Shifts that do not exceed the shortest vector: the error term of a sum requires the larger summand first.
constexpr float shifts[] = {0, 0.05f, -0.05f, 0.3f, -0.3f, 0.5f};

TEST(BondInTwoParts, KnowsTheDistanceTo38Bits) {
  for (const auto &vector : vectors()) {
    const Vec3<int> d = counts_of(vector);
    const long double length = length_of(exact(d));
    for (const float shift : shifts) {
      const auto bond = make_bond(d, step, shift);
      const long double r = (long double)bond.r + bond.rest;
      EXPECT_NEAR(double(r - (length + shift)), 0, 0x1p-38 * double(length)) << double(length) << " shift " << shift;
    }
  }
}

/// `rest` is at most half an ulp of r.
TEST(BondInTwoParts, HasASmallRest) {
  for (const auto &vector : vectors()) {
    const Vec3<int> d = counts_of(vector);
    for (const float shift : shifts) {
      const auto bond = make_bond(d, step, shift);
      EXPECT_LE(std::abs(bond.rest), 1.01f * FLT_EPSILON * (bond.r + std::abs(shift))) << bond.r << " shift " << shift;
    }
  }
}

TEST(BondInTwoParts, HasTheDirectionOfTheVector) {
  for (const auto &vector : vectors()) {
    const Vec3<int> d = counts_of(vector);
    const Exact whole = exact(d);
    const double length = double(length_of(whole));
    for (const float shift : shifts) {
      const auto bond = make_bond(d, step, shift);
      EXPECT_NEAR(bond.inv_length * length, 1, 1.5 * FLT_EPSILON);
      EXPECT_NEAR(bond.u.x, double(whole.x) / length, 1.5 * FLT_EPSILON);
      EXPECT_NEAR(bond.u.y, double(whole.y) / length, 1.5 * FLT_EPSILON);
      EXPECT_NEAR(bond.u.z, double(whole.z) / length, 1.5 * FLT_EPSILON);
    }
  }
}

TEST(BondInTwoParts, IsSymmetric) {
  for (const auto &vector : vectors()) {
    const Vec3<int> d = counts_of(vector);
    const auto there = make_bond(d, step, 0.1f), back = make_bond(Vec3<int>{-d.x, -d.y, -d.z}, step, 0.1f);
    EXPECT_EQ(there.r, back.r);
    EXPECT_EQ(there.rest, back.rest);
    EXPECT_EQ(there.u.x, -back.u.x);
  }
}

template <class Real>
class BondFromVector : public testing::Test {
 public:
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();
  static Vec3<Real> as_real(const Vec3<double> &d) { return {Real(d.x), Real(d.y), Real(d.z)}; }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(BondFromVector, Reals);

/// The shift changes only the distance: unit vector, inverse length and vector remain those of the atoms.
TYPED_TEST(BondFromVector, AddsTheShiftToTheDistanceAlone) {
  for (const auto &vector : vectors()) {
    const auto d = this->as_real(vector);
    const double length = double(length_of({d.x, d.y, d.z}));
    const auto plain = make_bond(d);
    for (const float shift : shifts) {
      const auto bond = make_bond(d, TypeParam(shift));
      EXPECT_NEAR(bond.r, length + shift, 1.5 * this->epsilon * (length + std::abs(shift)));
      EXPECT_EQ(bond.rest, 0);
      EXPECT_EQ(bond.inv_length, plain.inv_length);
      EXPECT_EQ(bond.u.x, plain.u.x);
      EXPECT_EQ(bond.u.y, plain.u.y);
      EXPECT_EQ(bond.u.z, plain.u.z);
    }
  }
}

TYPED_TEST(BondFromVector, GivesTheVectorBack) {
  for (const auto &vector : vectors()) {
    const auto d = this->as_real(vector);
    const double bound = 2.5 * this->epsilon * double(length_of({d.x, d.y, d.z}));
    for (const float shift : shifts) {
      const auto back = make_bond(d, TypeParam(shift)).vector();
      EXPECT_NEAR(back.x, d.x, bound);
      EXPECT_NEAR(back.y, d.y, bound);
      EXPECT_NEAR(back.z, d.z, bound);
    }
  }
}

TEST(RoundBond, KeepsTheDistanceInTwoParts) {
  for (const auto &vector : vectors())
    for (const float shift : shifts) {
      const auto whole = make_bond(vector, double(shift));
      const auto bond = round_bond(whole);
      EXPECT_EQ(bond.r, rounded(whole.r));
      EXPECT_NEAR(double(bond.r) + bond.rest, whole.r, 0x1p-48 * whole.r);
      EXPECT_EQ(bond.u.x, rounded(whole.u.x));
      EXPECT_EQ(bond.u.y, rounded(whole.u.y));
      EXPECT_EQ(bond.u.z, rounded(whole.u.z));
      EXPECT_EQ(bond.inv_length, rounded(whole.inv_length));
    }
}

/// The fp32 bonds of the host and of the device agree far beyond fp32.
TEST(RoundBond, AgreesWithTheBondInTwoParts) {
  for (const auto &vector : vectors()) {
    const Vec3<int> d = counts_of(vector);
    const Vec3<double> whole = {d.x * double(step), d.y * double(step), d.z * double(step)};
    const auto host = round_bond(make_bond(whole, 0.05)), device = make_bond(d, step, 0.05f);
    // The shift itself is an fp32 number on the device.
    const double difference = (double(host.r) - device.r) + (double(host.rest) - device.rest) - (0.05 - double(0.05f));
    EXPECT_NEAR(difference, 0, 0x1p-38 * host.r);
  }
}

}  // namespace
}  // namespace triad
