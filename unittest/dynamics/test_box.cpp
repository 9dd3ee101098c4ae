// Boxes, their changes, and the atoms that follow them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "dynamics/box.h"
#include "dynamics/box_path.h"

namespace triad {
namespace {

constexpr Box tilted = {{-1, 2, 0.5}, {9, 10, 12}, 1.5, -2, 4, true};

/// The position at fractions of the edges.
Vec3<double> at(const Box &box, const Vec3<double> &fraction) {
  return Vec3<double>{box.low[0], box.low[1], box.low[2]} + box.edges() * fraction;
}

void expect_near(const Vec3<double> &a, const Vec3<double> &b, double error) {
  EXPECT_NEAR(a.x, b.x, error);
  EXPECT_NEAR(a.y, b.y, error);
  EXPECT_NEAR(a.z, b.z, error);
}

TEST(UpperTriangular, InverseTimesMatrixIsOne) {
  const UpperTriangular a = {2, 3, 5, 7, 11, 13}, one = inverse(a) * a;
  expect_near({one.xx, one.yy, one.zz}, {1, 1, 1}, 1e-15);
  expect_near({one.yz, one.xz, one.xy}, {0, 0, 0}, 1e-15);
}

/// The columns of the matrix are LAMMPS's edges, and the diagonal is that of the matrix.
TEST(Box, EdgesAndVolume) {
  UpperTriangular edges = tilted.edges();
  expect_near(edges * Vec3<double>{1, 0, 0}, {10, 0, 0}, 0);
  expect_near(edges * Vec3<double>{0, 1, 0}, {4, 8, 0}, 0);
  expect_near(edges * Vec3<double>{0, 0, 1}, {-2, 1.5, 11.5}, 0);
  EXPECT_EQ(tilted.volume(), 10 * 8 * 11.5);
  for (int d = 0; d < 3; ++d) EXPECT_EQ(edges.diagonal(d), tilted.high[d] - tilted.low[d]);
}

TEST(BoxChange, KeepsFractions) {
  Box after = tilted;
  after.low[0] -= 0.3;
  after.high[1] += 0.2;
  after.yz = -0.5;
  after.xz = 1;
  after.xy = 3.5;
  const BoxChange change = change_of_box(tilted, after);
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> anywhere(-1, 2);
  for (int n = 0; n < 20; ++n) {
    const Vec3<double> fraction = {anywhere(generator), anywhere(generator), anywhere(generator)};
    const Vec3<double> x = at(tilted, fraction);
    expect_near(x + change.displacement(x), at(after, fraction), 3e-14);
  }
}

TEST(BoxChange, OfTheSameBoxIsNone) {
  const BoxChange none = change_of_box(tilted, tilted);
  expect_near(none.displacement({3, 4, 5}), {0, 0, 0}, 0);
}

/// A box that is only shifted takes its atoms along.
TEST(BoxChange, OfAShiftedBox) {
  Box after = tilted;
  for (double *corner : {after.low, after.high}) corner[1] += 0.25;
  expect_near(change_of_box(tilted, after).displacement({3, 4, 5}), {0, 0.25, 0}, 1e-15);
}

/// Factors of the edges give a matrix that depends on the directions of the edges only.
TEST(BoxChange, OfScaledEdges) {
  const double factor[3] = {1.1, 0.9, 1.3}, fixed[3] = {1, -2, 3};
  Box after = tilted;
  for (int d = 0; d < 3; ++d) after.scale_edge(d, factor[d], fixed[d]);
  const BoxChange change = change_of_box(tilted, after);
  UpperTriangular growth = {factor[0] - 1, factor[1] - 1, factor[2] - 1, 0, 0, 0};
  complete_scaling(growth, after.edges());
  const UpperTriangular rest = growth - change.growth;
  expect_near({rest.xx, rest.yy, rest.zz}, {0, 0, 0}, 3e-16);
  expect_near({rest.yz, rest.xz, rest.xy}, {0, 0, 0}, 3e-16);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(fixed[d] + factor[d] * (tilted.low[d] - fixed[d]), after.low[d], 1e-15);
}

TEST(BoxPath, HoldsTheChangeOfEachStep) {
  Box next = tilted;
  next.xy += 0.1;
  BoxPath path;
  for (const Box &box : {tilted, tilted, next}) path.add(box);
  ASSERT_EQ(path.steps.size(), 3u);
  for (const int k : {0, 1}) EXPECT_EQ(path.steps[k].change.growth.xy, 0);
  EXPECT_NEAR(path.steps[2].change.growth.xy, 0.1 / 8, 1e-16);
}

/// In an orthogonal box the lowest and the highest corner count, in a triclinic one those two of eight that LAMMPS's
/// class Neighbor finds.
TEST(Box, DisplacementsOfCorners) {
  Box before = {{0, 0, 0}, {10, 20, 30}}, after = {{-1, 0, 0}, {13, 24, 30}};
  EXPECT_NEAR(displacements_of_corners(before, after), 1 + 5, 1e-15);
  Box sheared = tilted;
  sheared.xy += 0.5;
  sheared.high[2] += 1;
  std::vector<double> moved;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3<double> fraction = {double(corner % 2), double(corner / 2 % 2), double(corner / 4)};
    const Vec3<double> from = at(tilted, fraction), to = at(sheared, fraction);
    moved.push_back(std::hypot(to.x - from.x, to.y - from.y, to.z - from.z));
  }
  double first = 0, second = 0;  // the loop of class Neighbor
  for (const double one : moved) {
    if (one > first)
      first = one;
    else if (one > second)
      second = one;
  }
  EXPECT_NEAR(displacements_of_corners(tilted, sheared), first + second, 1e-14);
  EXPECT_NEAR(first, std::hypot(0.5, 1), 1e-14);
}

}  // namespace
}  // namespace triad
