// b(zeta) is a single expression here but has five branches in stock LAMMPS. The expression must equal the published
// formula to rounding on every branch and at the thresholds c1 > c2 > c3 > c4 between them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "potentials/bond_order.h"
#include "potentials/central_difference.h"
#include "potentials/tersoff/terms.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

class BondOrder : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const TersoffParams<double> params{GetParam().entry};

  // Thresholds of t = beta zeta, as documented in stock's set-up.
  const double c1 = std::pow(2e-16 * entry().n, -1 / entry().n), c2 = std::pow(2e-8 * entry().n, -1 / entry().n);
  const double c3 = 1 / c2, c4 = 1 / c1;

  void expect_published(double t) const {
    const double zeta = t / entry().beta;
    const auto b = bond_order(params, zeta);
    const auto expected = published::bond_order(entry(), zeta);
    EXPECT_NEAR(b.value / double(expected.value), 1, 2e-14) << "beta zeta = " << t;
    // zeta b' goes to 0 as (beta zeta)^n, and is 0 below c4; the error is bounded absolutely there, and relatively
    // above.
    EXPECT_NEAR(b.derivative * zeta, double(expected.slope) * zeta, 2e-16 * entry().n) << "beta zeta = " << t;
    if (t > c4 * (1 + 1e-9)) {
      EXPECT_NEAR(b.derivative / double(expected.slope), 1, 3e-14) << "beta zeta = " << t;
    }
  }
};

/// n below 1, equal to 1, and far above.
INSTANTIATE_TEST_SUITE_P(, BondOrder, testing::Values(carbon(), silicon_t3(), gallium(), silicon_t2()),
                         testing::PrintToStringParamName());

TEST_P(BondOrder, IsPublishedOnEveryBranch) {
  for (const auto &[low, high] : {std::pair{c4, c3}, {c3, 1.0}, {1.0, c2}, {c2, c1}, {c1, c1 * c1}})
    for (int k = 1; k < 20; ++k) expect_published(low * std::pow(high / low, k / 20.0));
}

TEST_P(BondOrder, IsPublishedAtTheThresholds) {
  for (const double threshold : {c1, c2, 1.0, c3, c4})
    for (const double offset : {-1e-3, -1e-8, -1e-12, 0.0, 1e-12, 1e-8, 1e-3})
      expect_published(threshold * (1 + offset));
}

TEST_P(BondOrder, IsOneBelowTheLowestThreshold) {
  for (const double t : {c4 * (1 - 1e-9), c4 / 2, c4 * c4, std::numeric_limits<double>::min()}) {
    EXPECT_EQ(bond_order(params, t / entry().beta).value, 1.0) << "beta zeta = " << t;
    EXPECT_EQ(bond_order(params, t / entry().beta).derivative, 0.0) << "beta zeta = " << t;
  }
}

TEST_P(BondOrder, IsOneAtZero) {
  EXPECT_EQ(bond_order(params, 0.0).value, 1.0);
  EXPECT_EQ(bond_order(params, 0.0).derivative, 0.0);
}

/// The largest zeta that the limit of the distance term permits, and larger values.
TEST_P(BondOrder, StaysFiniteForHugeZeta) {
  for (const double zeta : {1e12, 1e30, 1e40, 1e100}) {
    const auto b = bond_order(params, zeta);
    const double expected = 1 / std::sqrt(entry().beta * zeta);
    EXPECT_NEAR(b.value / expected, 1, entry().beta * zeta > c1 ? 1e-14 : 1e-3) << "zeta = " << zeta;
    EXPECT_NEAR(b.derivative * zeta / (-0.5 * b.value), 1, 1e-3) << "zeta = " << zeta;
  }
}

TEST_P(BondOrder, DerivativeIsThatOfTheValue) {
  for (const auto &[low, high] : {std::pair{c3, 1.0}, {1.0, c2}, {c2, c1}})
    for (int k = 0; k <= 20; ++k) {
      const double zeta = low * std::pow(high / low, k / 20.0) / entry().beta;
      const double step = 1e-3 * zeta / std::max(1.0, entry().n);
      const double numeric = central_difference([&](double at) { return bond_order(params, at).value; }, zeta, step);
      const double rounding = 1e-15 * bond_order(params, zeta).value / step;
      EXPECT_NEAR(bond_order(params, zeta).derivative, numeric, 1e-8 * std::abs(numeric) + rounding)
          << "beta zeta = " << zeta * entry().beta;
    }
}

TEST_P(BondOrder, FallsWithZeta) {
  double before = 1;
  for (double t = c4; t < c1 * 100; t *= 1.1) {
    const auto b = bond_order(params, t / entry().beta);
    EXPECT_LE(b.value, before) << "beta zeta = " << t;
    EXPECT_LE(b.derivative, 0) << "beta zeta = " << t;
    before = b.value;
  }
}

/// With beta = 0, b = 1 for every zeta.
TEST(BondOrderWithoutBeta, IsOne) {
  TersoffEntry entry = carbon().entry;
  entry.beta = 0;
  const TersoffParams<double> params(entry);
  for (const double zeta : {0.0, 1e-3, 1.0, 1e30}) {
    EXPECT_EQ(bond_order(params, zeta).value, 1.0) << "zeta = " << zeta;
    EXPECT_EQ(bond_order(params, zeta).derivative, 0.0) << "zeta = " << zeta;
  }
}

/// n = 0 leaves the published formula undefined; stock LAMMPS then uses the asymptote of large zeta for every zeta > 0.
/// Triplet entries of shipped files hold such zeros and must not turn into infinities.
TEST(BondOrderWithoutExponent, IsTheAsymptote) {
  TersoffEntry entry = carbon().entry;
  entry.n = 0;
  const TersoffParams<double> params(entry);
  for (const double t : {1e-6, 0.5, 1.0, 2.0, 1e10}) {
    const double zeta = t / entry.beta;
    EXPECT_NEAR(bond_order(params, zeta).value * std::sqrt(t), 1, 1e-14) << "beta zeta = " << t;
    EXPECT_NEAR(bond_order(params, zeta).derivative * zeta * std::sqrt(t), -0.5, 1e-14) << "beta zeta = " << t;
  }
  EXPECT_TRUE(std::isfinite(bond_order(params, 0.0).value));
  EXPECT_EQ(bond_order(params, 0.0).derivative, 0.0);
}

}  // namespace
}  // namespace triad
