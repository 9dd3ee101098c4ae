// Compares g(theta) with the published formula, which subtracts two large terms, and checks the derivative.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <vector>

#include "potentials/central_difference.h"
#include "potentials/tersoff/terms.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

class Angle : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const TersoffParams<double> params{GetParam().entry};

  /// Cosines from -1 to 1, with additional values close to the minimum of g.
  std::vector<double> cosines() const {
    std::vector<double> values;
    for (int k = 0; k <= 40; ++k) values.push_back(-1 + k / 20.0);
    for (const double offset : {0.0, 1e-9, 1e-6, 1e-3})
      for (const double sign : {-1.0, 1.0}) values.push_back(entry().costheta0 + sign * offset);
    return values;
  }
};

INSTANTIATE_TEST_SUITE_P(, Angle, testing::Values(silicon_t3(), silicon_t2(), carbon(), gallium(), nitrogen()),
                         testing::PrintToStringParamName());

TEST_P(Angle, IsThePublishedFormula) {
  const double c2_over_d2 = std::pow(entry().c / entry().d, 2);
  for (const double cosine : cosines()) {
    const auto term = angle(params, cosine);
    const auto expected = published::angle(entry(), cosine);
    const double cancellation = 4 * double(LDBL_EPSILON) * entry().gamma * (1 + c2_over_d2);  // of the reference
    EXPECT_NEAR(term.value, double(expected.value), 4e-15 * double(expected.value) + cancellation) << cosine;
    EXPECT_NEAR(term.derivative, double(expected.slope), 4e-15 * std::abs(double(expected.slope))) << cosine;
  }
}

TEST_P(Angle, DerivativeIsThatOfTheValue) {
  const double step = 1e-3 * std::min(1.0, entry().d);
  for (const double cosine : cosines()) {
    const double numeric = central_difference([&](double at) { return angle(params, at).value; }, cosine, step);
    const double scale = angle(params, cosine).value / step;
    EXPECT_NEAR(angle(params, cosine).derivative, numeric, 1e-12 * scale) << cosine;
  }
}

TEST_P(Angle, IsLowestAtItsOwnAngle) {
  EXPECT_EQ(angle(params, entry().costheta0).value, entry().gamma);
  EXPECT_EQ(angle(params, entry().costheta0).derivative, 0.0);
}

}  // namespace
}  // namespace triad
