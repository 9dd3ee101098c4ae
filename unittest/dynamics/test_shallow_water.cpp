// The fluxes of the shallow-water equations: consistency, symmetry, water at rest, dry beds, and registers against
// numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "dynamics/shallow_water/boundary_flux.h"
#include "dynamics/shallow_water/cell_update.h"
#include "dynamics/shallow_water/sub_steps.h"
#include "dynamics/shallow_water/time_series.h"

namespace triad {
namespace {

constexpr FlowConstants<double> constants = {9.81, 1e-6};

struct Cell {
  double v[4];
};

template <FlowFlux kind>
EdgeFlux<double> flux(const Cell &left, const Cell &right, double nx, double ny) {
  return edge_flux<kind>(edge_states<double>(left.v, right.v), nx, ny, constants);
}

template <class Test>
void with_both(Test &&test) {
  test([](const Cell &a, const Cell &b, double nx, double ny) { return flux<FlowFlux::Roe>(a, b, nx, ny); }, "roe");
  test([](const Cell &a, const Cell &b, double nx, double ny) { return flux<FlowFlux::Hll>(a, b, nx, ny); }, "hll");
}

class RandomStates {
 public:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Cell cell(double driest = 0.1) {
    const double h = uniform(driest, 3);
    return {{h, h * uniform(-6, 6), h * uniform(-6, 6), uniform(-0.3, 0.3)}};
  }
  void normal(double &nx, double &ny) {
    const double angle = uniform(0, 6.28);
    nx = std::cos(angle);
    ny = std::sin(angle);
  }

 private:
  std::mt19937 engine_{7};
};

TEST(EdgeFlux, OfEqualStatesIsTheirDischarge) {
  with_both([](auto &&f, const char *name) {
    RandomStates random;
    for (int k = 0; k < 1000; ++k) {
      double nx, ny;
      random.normal(nx, ny);
      const Cell c = random.cell();
      const auto got = f(c, c, nx, ny);
      EXPECT_NEAR(got.mass, c.v[1] * nx + c.v[2] * ny, 1e-13) << name;
      for (const double m : {got.left_x, got.left_y, got.right_x, got.right_y}) EXPECT_NEAR(m, 0, 3e-13) << name;
    }
  });
}

/// The fluctuations of both sides add up to the difference of the physical fluxes, without a step in the bed.
TEST(EdgeFlux, ConservesMomentumOnAFlatBed) {
  with_both([](auto &&f, const char *name) {
    RandomStates random;
    for (int k = 0; k < 1000; ++k) {
      double nx, ny;
      random.normal(nx, ny);
      Cell a = random.cell(), b = random.cell();
      a.v[3] = b.v[3] = 0.2;
      const auto got = f(a, b, nx, ny);
      const auto physical = [&](const Cell &c, int axis) {
        const double qn = c.v[1] * nx + c.v[2] * ny;
        return qn * c.v[1 + axis] / c.v[0] + 0.5 * constants.gravity * c.v[0] * c.v[0] * (axis ? ny : nx);
      };
      EXPECT_NEAR(got.left_x + got.right_x, physical(b, 0) - physical(a, 0), 3e-12) << name;
      EXPECT_NEAR(got.left_y + got.right_y, physical(b, 1) - physical(a, 1), 3e-12) << name;
    }
  });
}

/// Exchanging the cells and turning the normal gives the same edge.
TEST(EdgeFlux, IsTheSameFromBothSides) {
  with_both([](auto &&f, const char *name) {
    RandomStates random;
    for (int k = 0; k < 1000; ++k) {
      double nx, ny;
      random.normal(nx, ny);
      const Cell a = random.cell(0), b = random.cell(0);
      const auto one = f(a, b, nx, ny), other = f(b, a, -nx, -ny);
      EXPECT_NEAR(one.mass, -other.mass, 1e-13) << name;
      EXPECT_NEAR(one.left_x, other.right_x, 2e-12) << name;
      EXPECT_NEAR(one.right_y, other.left_y, 2e-12) << name;
      EXPECT_NEAR(one.speed, other.speed, 1e-13) << name;
    }
  });
}

TEST(EdgeFlux, VanishesForWaterAtRest) {
  with_both([](auto &&f, const char *name) {
    RandomStates random;
    for (int k = 0; k < 1000; ++k) {
      double nx, ny;
      random.normal(nx, ny);
      const double low = random.uniform(-2, 0.9), high = random.uniform(-2, 2);
      const Cell a = {{1 - low, 0, 0, low}}, b = {{std::max(0.0, 1 - high), 0, 0, high}};
      const auto got = f(a, b, nx, ny);
      EXPECT_LT(std::fabs(got.mass), 2e-15) << name;  // measured 1.2e-15
      for (const double m : {got.left_x, got.left_y, got.right_x, got.right_y}) EXPECT_LT(std::fabs(m), 1e-14) << name;
    }
  });
}

/// A shock that obeys the jump conditions and stands: exact for Roe.
TEST(RoeFlux, KeepsAStandingJump) {
  const double h1 = 0.5, h2 = 1.7, g = constants.gravity;
  const double q = std::sqrt(0.5 * g * h1 * h2 * (h1 + h2));
  const auto got = flux<FlowFlux::Roe>({{h1, q, 0, 0}}, {{h2, q, 0, 0}}, 1, 0);
  EXPECT_NEAR(got.mass, q, 1e-13);
  for (const double m : {got.left_x, got.left_y, got.right_x, got.right_y}) EXPECT_NEAR(m, 0, 1e-13);
}

/// Without the entropy fix the mirror image of a standing jump, an expansion shock, would stand, too.
TEST(RoeFlux, SpreadsAnExpansionShock) {
  const double h1 = 1.7, h2 = 0.5, g = constants.gravity;
  const double q = std::sqrt(0.5 * g * h1 * h2 * (h1 + h2));
  const auto got = flux<FlowFlux::Roe>({{h1, q, 0, 0}}, {{h2, q, 0, 0}}, 1, 0);
  EXPECT_GT(std::fabs(got.mass - q), 0.05 * q);
}

TEST(HllFlux, TakesNoMoreThanTheStepAllows) {
  RandomStates random;
  for (int k = 0; k < 20000; ++k) {
    Cell a = random.cell(0), b = random.cell(0);
    if (k % 3 == 0) a.v[0] = a.v[1] = a.v[2] = 0;
    const auto got = flux<FlowFlux::Hll>(a, b, 1, 0);
    EXPECT_LE(got.mass, a.v[0] * got.speed * (1 + 1e-12));
    EXPECT_GE(got.mass, -b.v[0] * got.speed * (1 + 1e-12));
  }
}

TEST(HllFlux, LeavesWaterBehindAHigherBed) {
  const auto got = flux<FlowFlux::Hll>({{1, 0, 0, 0}}, {{0, 0, 0, 1.5}}, 1, 0);
  EXPECT_EQ(got.mass, 0);
  EXPECT_EQ(got.left_x, 0);
  EXPECT_EQ(got.right_x, 0);
}

// ---- boundaries

TEST(BoundaryFlux, OfAWallLetsNothingThrough) {
  RandomStates random;
  for (int k = 0; k < 100; ++k) {
    double nx, ny;
    random.normal(nx, ny);
    const Cell c = random.cell();
    const auto got = boundary_flux<FlowFlux::Roe>(FlowBoundaryKind::Wall, 0.0, c.v, nx, ny, constants);
    EXPECT_EQ(got.mass, 0);
  }
}

TEST(BoundaryFlux, OfStageWithTheSameSurfaceIsZero) {
  const Cell c = {{1.2, 0, 0, -0.2}};
  const auto got = boundary_flux<FlowFlux::Roe>(FlowBoundaryKind::Stage, 1.0, c.v, 0.6, 0.8, constants);
  EXPECT_NEAR(got.mass, 0, 1e-15);
  EXPECT_NEAR(got.left_x, 0, 1e-14);
  EXPECT_NEAR(got.left_y, 0, 1e-14);
}

/// The inflow of a uniform flow continues it: q and the invariant of the flow give its own depth.
TEST(BoundaryFlux, OfDischargeContinuesAUniformFlow) {
  const Cell c = {{1.3, 1.1, 0, 0}};  // to the right; the normal of the left boundary points to the left
  const auto got = boundary_flux<FlowFlux::Roe>(FlowBoundaryKind::Discharge, 1.1, c.v, -1.0, 0.0, constants);
  EXPECT_EQ(got.mass, -1.1);
  EXPECT_NEAR(got.left_x, 0, 1e-13);
  EXPECT_NEAR(got.left_y, 0, 1e-13);
}

TEST(BoundaryFlux, OfDischargeEntersDryCells) {
  const Cell c = {{0, 0, 0, 2}};
  const auto in = boundary_flux<FlowFlux::Hll>(FlowBoundaryKind::Discharge, 0.5, c.v, -1.0, 0.0, constants);
  EXPECT_EQ(in.mass, -0.5);
  EXPECT_GT(-in.left_x, 0.1) << "momentum enters to the right, against the normal";
  const auto out = boundary_flux<FlowFlux::Hll>(FlowBoundaryKind::Discharge, -0.5, c.v, -1.0, 0.0, constants);
  EXPECT_EQ(out.mass, 0);
}

TEST(BoundaryFlux, OfAnOpenEdgeIsTheDischarge) {
  const Cell c = {{1.2, 0.4, 0.3, 0}};
  const auto got = boundary_flux<FlowFlux::Roe>(FlowBoundaryKind::Open, 0.0, c.v, 1.0, 0.0, constants);
  EXPECT_NEAR(got.mass, 0.4, 1e-15);
}

// ---- cells

TEST(CellUpdate, DrainsACellToZeroAndNotBeyond) {
  const CellRates<double> rates = {-3, 0, 0, 1e-3};
  const double h = 0.7, area = 2;
  const double dt = largest_time_step(rates, h, area, 0.9, 1e300);
  EXPECT_DOUBLE_EQ(dt, h * area / 3);
  double cell[4] = {h, 0.1, 0, 0};
  update_cell(cell, rates, area, dt, 0.0, 0.0, 1e-6);
  EXPECT_GE(cell[0], 0);
  EXPECT_LT(cell[0], 1e-15);
  EXPECT_EQ(cell[1], 0);
}

/// With any time step, the discharge down a plane ends at that of Manning's law.
TEST(CellUpdate, FrictionReachesManningsLaw) {
  const double h = 0.8, slope = 0.01, n = 0.03, g = 9.81;
  const double normal = std::pow(h, 5.0 / 3.0) * std::sqrt(slope) / n;
  for (const double dt : {1.0, 100.0}) {
    double cell[4] = {h, 0, 0, 0};
    const CellRates<double> rates = {0, g * h * slope, 0, 0};
    for (int k = 0; k < 10000; ++k) update_cell(cell, rates, 1.0, dt, 0.0, g * n * n, 1e-6);
    EXPECT_NEAR(cell[1] / normal, 1, 1e-12) << dt;
  }
}

TEST(CellUpdate, CountsRainAndEvaporation) {
  const CellRates<double> rates = {0, 0, 0, 0};
  double cell[4] = {0.5, 0.2, 0, 0};
  EXPECT_NEAR(update_cell(cell, rates, 1.0, 2.0, 0.05, 0.0, 1e-6), 0.1, 1e-15);
  EXPECT_DOUBLE_EQ(cell[0], 0.6);
  EXPECT_DOUBLE_EQ(cell[1], 0.2);
  EXPECT_NEAR(update_cell(cell, rates, 1.0, 2.0, -1.0, 0.0, 1e-6), -0.6, 1e-15) << "no more than there is";
  EXPECT_EQ(cell[0], 0);
}

// ---- registers

TEST(EdgeFlux, OfARegisterIsThatOfItsNumbers) {
  using Number = Lanes<float, 16>;
  const FlowConstants<float> k = {9.81f, 1e-4f};
  RandomStates random;
  for (int round = 0; round < 300; ++round) {
    alignas(16) float left[4][4], right[4][4], of[13][4];
    EdgeFlux<float> one[4];
    for (int lane = 0; lane < 4; ++lane) {
      Cell a = random.cell(0), b = random.cell(0);
      if ((round + lane) % 3 == 0) b = {{0, 0, 0, b.v[3]}};
      for (int v = 0; v < 4; ++v) left[lane][v] = float(a.v[v]), right[lane][v] = float(b.v[v]);
      const auto s = edge_states<float>(left[lane], right[lane]);
      one[lane] = edge_flux<FlowFlux::Roe>(s, 0.6f, 0.8f, k);
      const float row[13] = {s.h_left, s.h_right, s.qx_left,  s.qy_left,    s.qx_right,    s.qy_right, s.dh,
                             s.dqx,    s.dqy,     s.dsurface, s.above_left, s.above_right, s.dabove};
      for (int v = 0; v < 13; ++v) of[v][lane] = row[v];
    }
    EdgeStates<Number> s;
    Number *const members[13] = {&s.h_left, &s.h_right, &s.qx_left,  &s.qy_left,    &s.qx_right,    &s.qy_right, &s.dh,
                                 &s.dqx,    &s.dqy,     &s.dsurface, &s.above_left, &s.above_right, &s.dabove};
    for (int v = 0; v < 13; ++v) *members[v] = Number::load(of[v]);
    const auto all = edge_flux<FlowFlux::Roe>(s, Number(0.6f), Number(0.8f), k);
    for (int lane = 0; lane < 4; ++lane) {
      EXPECT_FLOAT_EQ(all.mass.v[lane], one[lane].mass);
      EXPECT_FLOAT_EQ(all.left_x.v[lane], one[lane].left_x);
      EXPECT_FLOAT_EQ(all.right_y.v[lane], one[lane].right_y);
      EXPECT_FLOAT_EQ(all.speed.v[lane], one[lane].speed);
    }
  }
}

// ---- time

TEST(SubSteps, FillTheSpanWithoutATinyStep) {
  for (const double limit : {0.3, 0.125, 0.7, 1.0, 5.0}) {
    SubSteps steps;
    steps.start = 100;
    steps.span = 1;
    double sum = 0, least = 1;
    while (!steps.finished()) {
      ASSERT_TRUE(steps.choose(limit));
      EXPECT_LE(steps.step, limit);
      sum += steps.step;
      least = std::min(least, steps.step);
      steps.complete();
    }
    EXPECT_EQ(steps.done, 1) << limit;
    EXPECT_EQ(steps.time(), 101);
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_GE(least, std::min(1.0, 0.5 * limit)) << "the last two steps share what is left";
    EXPECT_EQ(steps.count, static_cast<long long>(std::ceil(1 / limit)));
  }
}

TEST(SubSteps, RefuseStepsThatDoNotAdvanceTheTime) {
  SubSteps steps;
  EXPECT_TRUE(steps.finished()) << "of no time";
  steps.start = 1;
  steps.span = 1;
  EXPECT_FALSE(steps.choose(1e-17));
  EXPECT_FALSE(steps.choose(0));
  steps.start = 0;
  steps.span = 1e13;
  EXPECT_FALSE(steps.choose(1));
  EXPECT_FALSE(steps.choose(0.5 * SubSteps::least_share * steps.span));
  EXPECT_TRUE(steps.choose(2 * SubSteps::least_share * steps.span));
}

TEST(TimeSeries, IsLinearBetweenPointsAndConstantBeyondThem) {
  const FlowSeries s = {"tide", {1, 2, 4}, {10, 20, 0}};
  const double time[] = {-5, 1, 1.5, 2, 3, 4, 9}, value[] = {10, 10, 15, 20, 10, 0, 0};
  for (int k = 0; k < 7; ++k) EXPECT_EQ(s.at(time[k]), value[k]) << time[k];
  EXPECT_EQ((FlowSeries{"level", {3}, {7}}.at(3)), 7);
}

}  // namespace
}  // namespace triad
