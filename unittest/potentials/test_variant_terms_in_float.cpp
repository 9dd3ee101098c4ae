// Compares the terms of the variants in float with the published formulas at the same arguments. Unit of a bound: one
// rounding of a float.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "potentials/bond_order.h"
#include "potentials/tersoff/variants.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

constexpr double rounding = 0.5 * FLT_EPSILON;

class ModTermsInFloat : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const ModParams<float> params{GetParam().entry};
};

INSTANTIATE_TEST_SUITE_P(, ModTermsInFloat, testing::Values(silicon_mod(), silicon_modc()),
                         testing::PrintToStringParamName());

TEST_P(ModTermsInFloat, Cutoff) {
  const double slope = 1.17810 / entry().D;  // 3 pi / 8 D, the largest slope
  for (int k = -5; k <= 105; ++k) {
    const float r = float(entry().R + (k / 50.0 - 1) * entry().D);
    const auto term = cutoff(params, r);
    const auto expected = published::mod::cutoff(entry(), r);
    EXPECT_NEAR(term.value, double(expected.value), 6 * rounding) << "r = " << r;
    EXPECT_NEAR(term.derivative, double(expected.slope), 12 * rounding * slope + 2 * slope / entry().D * 2e-7)
        << "r = " << r;
  }
}

/// With the rest of the distance the error of the value is that of the arithmetic, although r is rounded.
TEST_P(ModTermsInFloat, CutoffOfADistanceInTwoParts) {
  for (int k = 1; k < 100; ++k) {
    const double whole = entry().R + (k / 50.0 - 1) * entry().D;
    const float r = float(whole), rest = float(whole - r);
    EXPECT_NEAR(cutoff(params, r, rest).value, double(published::mod::cutoff(entry(), whole).value), 6 * rounding);
  }
}

TEST_P(ModTermsInFloat, Angle) {
  for (int k = -40; k <= 40; ++k) {
    const float cosine = float(k / 40.0);
    const auto term = angle(params, cosine);
    const auto expected = published::mod::angle(entry(), cosine);
    // h is rounded, which shifts the cosine by up to one rounding of 1.
    EXPECT_NEAR(term.value, double(expected.value),
                8 * rounding * double(expected.value) + 2 * rounding * std::abs(double(expected.slope)))
        << "cos = " << cosine;
    const double curvature = 2 * entry().c2 / entry().c3 * (1 + entry().c4);
    EXPECT_NEAR(term.derivative, double(expected.slope),
                16 * rounding * std::abs(double(expected.slope)) + 2 * rounding * curvature)
        << "cos = " << cosine;
  }
}

TEST_P(ModTermsInFloat, BondOrder) {
  const double ratio = entry().n / entry().n_outer;
  for (double log_t = -20; log_t <= 20; log_t += 0.25) {
    const float zeta = float(std::exp(log_t) / entry().beta);
    const auto b = bond_order(params, zeta);
    const auto expected = published::mod::bond_order(entry(), zeta);
    // The exponent of the decay has its own rounding error and that of log2.
    const double bound = (16 + 2 * ratio * std::abs(log_t)) * rounding;
    EXPECT_NEAR(b.value / double(expected.value), 1, bound) << "zeta = " << zeta;
    EXPECT_NEAR(b.derivative * zeta, double(expected.slope) * zeta, 32 * ratio * rounding) << "zeta = " << zeta;
  }
}

TEST_P(ModTermsInFloat, BondOrderAtZeroAndAtTheLargestZeta) {
  EXPECT_EQ(bond_order(params, 0.0f).value, 1.0f);
  EXPECT_EQ(bond_order(params, 0.0f).derivative, 0.0f);
  for (const float zeta : {1e20f, 1e28f, 1e36f}) {
    const auto b = bond_order(params, zeta);
    EXPECT_NEAR(b.value / double(published::mod::bond_order(entry(), zeta).value), 1, 200 * rounding);
    EXPECT_TRUE(std::isfinite(b.derivative)) << "zeta = " << zeta;
  }
}

class ZblTermsInFloat : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const ZblParams<float> params{GetParam().entry};
};

INSTANTIATE_TEST_SUITE_P(, ZblTermsInFloat, testing::Values(silicon_zbl(), silicon_carbon_zbl()),
                         testing::PrintToStringParamName());

TEST_P(ZblTermsInFloat, ScreenedCoulomb) {
  for (double x = 0.1; x < 3; x += 0.02) {
    const float r = float(x);
    const auto term = screened_coulomb(params, r);
    const auto expected = published::zbl::nuclear(entry(), r);
    const double bound =
        (12 + 2 * 3.2 * params.inv_a * r) * rounding;  // exponents have the rounding error of 3.2 r / a
    EXPECT_NEAR(term.value / double(expected.value), 1, bound) << "r = " << r;
    EXPECT_NEAR(term.derivative / double(expected.slope), 1, 2 * bound) << "r = " << r;
  }
}

TEST_P(ZblTermsInFloat, Join) {
  for (double x = 0.1; x < entry().cutoff(); x += 0.02) {
    const float r = float(x);
    const auto join = zbl_join(params, cutoff(params, r), r);
    const auto weight = product(published::zbl::fermi(entry(), r), published::cutoff(entry(), r));
    const auto nuclear = product(published::zbl::one_minus_fermi(entry(), r), published::zbl::nuclear(entry(), r));
    // The exponent of the Fermi function, up to 14 (0.95 - r), is rounded with its factors; the taper as in Cutoff.
    const double bound = (40 + 4 * entry().zbl_scale * std::abs(entry().zbl_cut - r)) * rounding;
    const double taper = r > params.inner ? 8 * rounding : 0;
    EXPECT_NEAR(join.weight.value, double(weight.value), bound * double(weight.value) + taper) << "r = " << r;
    EXPECT_NEAR(
        join.weight.derivative, double(weight.slope),
        bound * (entry().zbl_scale * double(weight.value) + std::abs(double(weight.slope))) + 5 * taper / entry().D)
        << "r = " << r;
    EXPECT_NEAR(join.nuclear.value, double(nuclear.value), bound * double(nuclear.value)) << "r = " << r;
    EXPECT_NEAR(join.nuclear.derivative, double(nuclear.slope),
                bound * (entry().zbl_scale * double(nuclear.value) + std::abs(double(nuclear.slope))))
        << "r = " << r;
  }
}

/// Also where the exponential of the Fermi function would overflow a float.
TEST_P(ZblTermsInFloat, JoinIsNuclearAtShortDistance) {
  TersoffEntry steep = entry();
  steep.zbl_scale = 1e4;
  const ZblParams<float> params(steep);
  const auto join = zbl_join(params, cutoff(params, 0.5f), 0.5f);
  EXPECT_NEAR(join.nuclear.value / screened_coulomb(params, 0.5f).value, 1, 4 * rounding);
  EXPECT_TRUE(std::isfinite(join.nuclear.derivative));
  EXPECT_NEAR(join.weight.value, 0, 1e-10);
}

}  // namespace
}  // namespace triad
