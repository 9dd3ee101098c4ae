// Compares the terms in float with the published formulas at the same arguments. The documented errors of precision
// single and mixed follow from these bounds. Unit of a bound: one rounding of a float.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "potentials/bond_order.h"
#include "potentials/tersoff/terms.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

constexpr double rounding = 0.5 * FLT_EPSILON;

class TermsInFloat : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const TersoffParams<float> params{GetParam().entry};
};

INSTANTIATE_TEST_SUITE_P(, TermsInFloat,
                         testing::Values(silicon_t3(), silicon_t3_lambda3(), silicon_t2(), carbon(), gallium(),
                                         nitrogen()),
                         testing::PrintToStringParamName());

using DistanceTermInFloat = TermsInFloat;
INSTANTIATE_TEST_SUITE_P(, DistanceTermInFloat, testing::Values(silicon_t3_lambda3(), silicon_t2(), gallium()),
                         testing::PrintToStringParamName());

/// Near the edges the rounding of the argument matters: fC changes by (pi/4D) per length. R is stored in two parts, so
/// r - R has no other error.
TEST_P(TermsInFloat, Cutoff) {
  const double slope = 0.785398 / entry().D;
  for (int k = -5; k <= 105; ++k) {
    const float r = float(entry().R + (k / 50.0 - 1) * entry().D);
    const auto term = cutoff(params, r);
    const auto expected = published::cutoff(entry(), r);
    EXPECT_NEAR(term.value, double(expected.value), 6 * rounding) << "r = " << r;
    EXPECT_NEAR(term.derivative, double(expected.slope), 8 * rounding * slope + 2 * slope / entry().D * 2e-7)
        << "r = " << r;
  }
}

/// The error of the sum and its slope is determined by the arguments of the exponentials and by the sizes of sum and
/// slope, not by the much larger terms: near the minimum, where repulsion and attraction cancel, the error is far below
/// one rounding of either term.
TEST_P(TermsInFloat, BondSum) {
  const TersoffParams<double> exact(entry());
  for (double x = 0.6; x <= 1.05; x += 0.01)
    for (const float log2_b : {0.0f, -0.02f, -0.3f, -1.0f, -20.0f}) {
      const float r = float(x * entry().R);
      const double b = std::exp2(double(log2_b)), from_centre = double(params.centre) - r;
      const auto pair = bond_sum(params, r, log2_b);
      const auto fR = published::repulsion(entry(), r), fA = published::attraction(entry(), r);
      const double sum = double(fR.value + b * fA.value), slope = double(fR.slope + b * fA.slope);
      const double attraction = b * std::abs(double(fA.value));
      const double exponents = (3 + entry().lam1 * std::abs(from_centre)) * rounding;
      const double ratio = 2 * (std::abs(log2_b) + 3 * std::abs(exact.slower_decay * from_centre)) * rounding;
      // Sizes of the summands: the part of the dimer and the change of the attraction.
      const double scale = std::exp(entry().lam1 * from_centre);
      const double change = std::abs(exact.B_centre * scale - attraction);
      const double energies = scale * std::abs(exact.dimer_energy) + change;
      const double slopes = scale * std::abs(exact.dimer_slope) + entry().lam2 * change;
      SCOPED_TRACE("r = " + std::to_string(r) + ", log2 b = " + std::to_string(log2_b));
      EXPECT_NEAR(pair.sum.value, sum, exponents * std::abs(sum) + 3 * rounding * energies + ratio * attraction);
      EXPECT_NEAR(pair.sum.derivative, slope,
                  exponents * std::abs(slope) + 3 * rounding * slopes + ratio * entry().lam2 * attraction);
      EXPECT_NEAR(pair.attractive, -attraction, (exponents + ratio + 5 * rounding) * attraction);
    }
}

TEST_P(TermsInFloat, Angle) {
  for (int k = -20; k <= 20; ++k) {
    const float cosine = float(k / 20.0);
    const auto term = angle(params, cosine);
    const auto expected = published::angle(entry(), cosine);
    // h is rounded, which shifts the cosine by up to one rounding of 1.
    EXPECT_NEAR(term.value, double(expected.value),
                8 * rounding * double(expected.value) + rounding * std::abs(double(expected.slope)))
        << "cos = " << cosine;
    const double curvature = 2 * entry().gamma * std::pow(entry().c / entry().d / entry().d, 2);
    EXPECT_NEAR(term.derivative, double(expected.slope),
                8 * rounding * std::abs(double(expected.slope)) + rounding * curvature)
        << "cos = " << cosine;
  }
}

TEST_P(TermsInFloat, DistanceTerm) {
  for (double x = -1.2; x <= 1.2; x += 0.05) {
    const float delta = float(x);
    const double exponent = std::abs(std::pow(entry().lam3 * delta, entry().m));
    const double expected = double(published::distance(entry(), delta).value);
    EXPECT_NEAR(distance(params, delta).value / expected, 1, (2 + 8 * exponent) * rounding) << "delta = " << delta;
  }
}

/// The exponent is limited to +-46.05 (e^46.05 = 1e20) in float, so zeta and gradients cannot overflow.
TEST_P(DistanceTermInFloat, IsLimited) {
  EXPECT_NEAR(distance(params, 1e3f).value / std::exp(46.05), 1, 50 * rounding);
  EXPECT_TRUE(std::isfinite(distance(params, 1e3f).derivative));
  EXPECT_EQ(distance(params, -1e3f).value, 0.0f);
  EXPECT_EQ(distance(params, -1e3f).derivative, 0.0f);
}

TEST_P(TermsInFloat, BondOrder) {
  for (double log_t = -20; log_t <= 20; log_t += 0.25) {
    const float zeta = float(std::exp(log_t) / entry().beta);
    const auto b = bond_order(params, zeta);
    const auto expected = published::bond_order(entry(), zeta);
    EXPECT_NEAR(b.value / double(expected.value), 1, 16 * rounding) << "beta zeta = e^" << log_t;
    // (beta zeta)^n is an exponential whose argument has the rounding error of log2; up to stock's thresholds the
    // argument is at most 52.
    EXPECT_NEAR(b.derivative * zeta, double(expected.slope) * zeta, 32 * rounding) << "beta zeta = e^" << log_t;
    const double power = std::pow(std::exp(-std::abs(log_t)), entry().n);
    if (power > 3e-16 * entry().n) {  // above stock's lowest threshold
      EXPECT_NEAR(b.derivative / double(expected.slope), 1, (16 - 4 * std::log(power)) * rounding)
          << "beta zeta = e^" << log_t;
    }
  }
}

TEST_P(TermsInFloat, BondOrderAtZeroAndAtTheLargestZeta) {
  EXPECT_EQ(bond_order(params, 0.0f).value, 1.0f);
  EXPECT_EQ(bond_order(params, 0.0f).derivative, 0.0f);
  for (const float zeta : {1e20f, 1e28f, 1e36f}) {  // b is 2 to a power down to -50, whose rounding counts
    const auto b = bond_order(params, zeta);
    EXPECT_NEAR(b.value / double(published::bond_order(entry(), zeta).value), 1, 40 * rounding) << "zeta = " << zeta;
    EXPECT_TRUE(std::isfinite(b.derivative)) << "zeta = " << zeta;
  }
}

TEST(MakeBondInFloat, IsCorrectToOneUnit) {
  for (int k = 0; k < 200; ++k) {
    const Vec3<float> d = {0.013f * k + 0.7f, 1.9f - 0.017f * k, 0.3f + 0.007f * k};
    const double exact = std::sqrt(double(d.x) * d.x + double(d.y) * d.y + double(d.z) * d.z);
    const auto bond = make_bond(d);
    EXPECT_NEAR(bond.r / exact, 1, 3 * rounding);
    EXPECT_NEAR(bond.u.x, d.x / exact, 5 * rounding);
    EXPECT_NEAR(bond.u.y, d.y / exact, 5 * rounding);
    EXPECT_NEAR(bond.u.z, d.z / exact, 5 * rounding);
  }
}

}  // namespace
}  // namespace triad
