// Compares fC, fR + b fA and the distance term with the published formulas, and their derivatives with finite
// differences.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "potentials/central_difference.h"
#include "potentials/cutoff_edges.h"
#include "potentials/tersoff/terms.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

class RadialTerms : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const TersoffParams<double> params{GetParam().entry};
};

INSTANTIATE_TEST_SUITE_P(, RadialTerms,
                         testing::Values(silicon_t3(), silicon_t3_lambda3(), silicon_t2(), carbon(), gallium(),
                                         nitrogen(), silicon_step()),
                         testing::PrintToStringParamName());

/// Parameter sets with a taper, with lam3 != 0, and with lam3 = 0.
using Taper = RadialTerms;
INSTANTIATE_TEST_SUITE_P(, Taper, testing::Values(silicon_t3(), silicon_t2(), carbon(), gallium(), nitrogen()),
                         testing::PrintToStringParamName());
using DistanceTerm = RadialTerms;
INSTANTIATE_TEST_SUITE_P(, DistanceTerm, testing::Values(silicon_t3_lambda3(), silicon_t2(), gallium()),
                         testing::PrintToStringParamName());
using NoDistanceTerm = RadialTerms;
INSTANTIATE_TEST_SUITE_P(, NoDistanceTerm, testing::Values(silicon_t3(), nitrogen()),
                         testing::PrintToStringParamName());

/// Distances from a third of the bond length to beyond the cutoff.
std::vector<double> distances(const TersoffEntry &e) {
  std::vector<double> r;
  for (int k = 0; k <= 60; ++k) r.push_back(0.7 + k * (e.cutoff() + 0.3 - 0.7) / 60);
  return r;
}

TEST_P(RadialTerms, CutoffIsOneInsideAndZeroOutside) {
  expect_one_inside_and_zero_outside(params, entry().R - entry().D, entry().R + entry().D);
}

TEST_P(RadialTerms, CutoffIsThePublishedTaper) {
  const double steepest = entry().D > 0 ? 1 / entry().D : 0;
  for (const double r : distances(entry())) {
    const auto term = cutoff(params, r);
    const auto expected = published::cutoff(entry(), r);
    EXPECT_NEAR(term.value, double(expected.value), 2e-15 * (1 + steepest)) << "r = " << r;
    EXPECT_NEAR(term.derivative, double(expected.slope), 2e-15 * (1 + steepest) * steepest) << "r = " << r;
  }
}

/// On both sides of both edges of the taper: fC and its derivative are continuous and approach their limits, and inside
/// the taper the derivative is that of the value.
TEST_P(Taper, MeetsItsEdges) {
  const double inner = params.inner, outer = params.outer, D = entry().D;
  const double curvature = 1.24 / (D * D);  // pi^2/8 is the largest |fC''| times D^2
  for (const double offset : {1e-1, 1e-2, 1e-4, 1e-6, 1e-9}) {
    const double x = offset * D;
    for (const double sign : {-1.0, 1.0}) {
      EXPECT_NEAR(cutoff(params, inner + sign * x).value, 1.0, 0.5 * curvature * x * x + 1e-15) << "offset " << x;
      EXPECT_NEAR(cutoff(params, inner + sign * x).derivative, 0.0, curvature * x + 1e-14) << "offset " << x;
      EXPECT_NEAR(cutoff(params, outer + sign * x).value, 0.0, 0.5 * curvature * x * x + 1e-15) << "offset " << x;
      EXPECT_NEAR(cutoff(params, outer + sign * x).derivative, 0.0, curvature * x + 1e-14) << "offset " << x;
    }
    if (offset < 1e-4) continue;  // for smaller offsets the difference of values has no significant digits
    for (const double r : {inner - x, inner + x, outer - x, outer + x}) {
      const double numeric = central_difference([&](double at) { return cutoff(params, at).value; }, r, 0.4 * x);
      EXPECT_NEAR(cutoff(params, r).derivative, numeric, 2e-16 / (0.1 * x) + 1e-3 * offset * curvature * x)
          << "r = " << r;
    }
  }
  // The third derivative is discontinuous at an edge: a central difference of step h has an error of at most curvature
  // * h.
  for (const double edge : {inner, outer}) {
    const double h = 1e-5 * D;
    EXPECT_NEAR((cutoff(params, edge + h).value - cutoff(params, edge - h).value) / (2 * h),
                cutoff(params, edge).derivative, curvature * h);
  }
}

TEST_P(RadialTerms, BondSumIsPublished) {
  for (const double r : distances(entry()))
    for (const double log2_b : {0.0, -0.01, -0.4, -2.5, -60.0}) {
      const auto pair = bond_sum(params, r, log2_b);
      const auto fR = published::repulsion(entry(), r), fA = published::attraction(entry(), r);
      const double b = std::exp2(log2_b), size = double(fR.value - fA.value), steep = double(fA.slope - fR.slope);
      SCOPED_TRACE("r = " + std::to_string(r) + ", log2 b = " + std::to_string(log2_b));
      EXPECT_NEAR(pair.sum.value, double(fR.value + b * fA.value), 1e-14 * size);
      EXPECT_NEAR(pair.sum.derivative, double(fR.slope + b * fA.slope), 1e-14 * steep);
      EXPECT_NEAR(pair.attractive, b * double(fA.value), 1e-14 * b * size);
    }
}

/// Entries with repulsion or attraction only, which a file may contain.
TEST_P(RadialTerms, BondSumMayLackATerm) {
  for (const double r : distances(entry())) {
    TersoffEntry repels = entry(), attracts = entry();
    repels.B = 0;
    attracts.A = 0;
    const auto fR = published::repulsion(entry(), r), fA = published::attraction(entry(), r);
    const auto repulsion = bond_sum(TersoffParams<double>(repels), r, -0.4);
    const auto attraction = bond_sum(TersoffParams<double>(attracts), r, -1.0);
    EXPECT_NEAR(repulsion.sum.value / double(fR.value), 1, 1e-14) << "r = " << r;
    EXPECT_NEAR(repulsion.sum.derivative / double(fR.slope), 1, 1e-14) << "r = " << r;
    EXPECT_EQ(repulsion.attractive, 0.0);
    EXPECT_NEAR(attraction.sum.value / double(fA.value), 0.5, 1e-14) << "r = " << r;
    EXPECT_NEAR(attraction.sum.derivative / double(fA.slope), 0.5, 1e-14) << "r = " << r;
    EXPECT_NEAR(attraction.attractive / double(fA.value), 0.5, 1e-14) << "r = " << r;
  }
}

TEST_P(RadialTerms, DerivativesAreThoseOfTheValues) {
  const double h = 1e-3;
  for (const double r : distances(entry())) {
    const auto slope = [&](auto term) {
      return central_difference([&](double at) { return term(params, at).value; }, r, h);
    };
    for (const double log2_b : {0.0, -0.4, -60.0}) {
      const double steep = double(published::attraction(entry(), r).slope - published::repulsion(entry(), r).slope);
      EXPECT_NEAR(bond_sum(params, r, log2_b).sum.derivative,
                  slope([&](const auto &p, double at) { return bond_sum(p, at, log2_b).sum; }), 1e-10 * steep)
          << "r = " << r << ", log2 b = " << log2_b;
    }
    const bool in_taper = r > params.inner + 2 * h && r < params.outer - 2 * h;
    if (in_taper) {
      EXPECT_NEAR(cutoff(params, r).derivative / slope([](const auto &p, double at) { return cutoff(p, at); }), 1, 1e-7)
          << "r = " << r;
    }
  }
}

TEST_P(RadialTerms, DistanceTermIsPublished) {
  for (double delta = -1.4; delta <= 1.4; delta += 0.1) {
    const auto term = distance(params, delta);
    const auto expected = published::distance(entry(), delta);
    const double exponent = std::abs(std::pow(entry().lam3 * delta, entry().m));
    EXPECT_NEAR(term.value / double(expected.value), 1, 1e-15 * (2 + exponent)) << "delta = " << delta;
    const double scale = std::abs(double(expected.slope)) + 1e-15;
    EXPECT_NEAR(term.derivative, double(expected.slope), 2e-15 * (2 + exponent) * scale) << "delta = " << delta;
    const double numeric = central_difference([&](double at) { return distance(params, at).value; }, delta, 1e-4);
    EXPECT_NEAR(term.derivative, numeric, 1e-8 * term.value * (1 + exponent)) << "delta = " << delta;
  }
}

TEST_P(NoDistanceTerm, IsOne) {
  for (const double delta : {-3.0, 0.0, 3.0}) {
    EXPECT_EQ(distance(params, delta).value, 1.0);
    EXPECT_EQ(distance(params, delta).derivative, 0.0);
  }
}

/// The exponent is limited to +-69.0776 as in stock LAMMPS: above, the value stays at e^69.0776 while the slope keeps
/// the factor of the unlimited exponent; below, both are 0.
TEST_P(DistanceTerm, IsLimited) {
  const double limit = 69.0776, largest = std::exp(limit);
  const auto delta_of = [&](double exponent) {
    return (entry().m == 3 ? std::cbrt(exponent) : exponent) / entry().lam3;
  };
  const auto slope = [&](double delta) {
    return entry().m * std::pow(entry().lam3, entry().m) * std::pow(delta, entry().m - 1);
  };

  const double below_upper = delta_of(limit * (1 - 1e-9)), above_upper = delta_of(limit * (1 + 1e-9));
  EXPECT_LT(distance(params, below_upper).value, largest);
  EXPECT_NEAR(distance(params, below_upper).value / largest, 1, 1e-6);
  for (const double delta : {above_upper, delta_of(100), delta_of(1e6)}) {
    EXPECT_EQ(distance(params, delta).value, largest) << "delta = " << delta;
    EXPECT_NEAR(distance(params, delta).derivative / (slope(delta) * largest), 1, 1e-14) << "delta = " << delta;
  }
  const double above_lower = delta_of(-limit * (1 - 1e-9)), below_lower = delta_of(-limit * (1 + 1e-9));
  EXPECT_NEAR(distance(params, above_lower).value * largest, 1, 1e-6);
  for (const double delta : {below_lower, delta_of(-100), delta_of(-1e6)}) {
    EXPECT_EQ(distance(params, delta).value, 0.0) << "delta = " << delta;
    EXPECT_EQ(distance(params, delta).derivative, 0.0) << "delta = " << delta;
  }
}

}  // namespace
}  // namespace triad
