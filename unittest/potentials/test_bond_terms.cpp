// Functions that combine terms: geometry of a bond, energy of a bond, one term of zeta.
#include <gtest/gtest.h>

#include <cmath>

#include "potentials/central_difference.h"
#include "potentials/tersoff/terms.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

TEST(MakeBond, IsDistanceAndDirection) {
  for (const double length : {1e-6, 0.1, 1.7, 2.35, 1e3}) {
    const Vec3<double> d = {0.48 * length, -0.6 * length, 0.64 * length};
    const auto bond = make_bond(d);
    EXPECT_NEAR(bond.r / length, 1, 4e-16);
    EXPECT_NEAR(bond.inv_length * length, 1, 6e-16);
    EXPECT_NEAR(bond.u.x, 0.48, 4e-16);
    EXPECT_NEAR(bond.u.y, -0.6, 4e-16);
    EXPECT_NEAR(bond.u.z, 0.64, 4e-16);
  }
}

TEST(MakeBond, IsSymmetric) {
  const auto there = make_bond(Vec3<double>{1.1, -0.2, 2.0}), back = make_bond(Vec3<double>{-1.1, 0.2, -2.0});
  EXPECT_EQ(there.r, back.r);
  EXPECT_EQ(there.u.x, -back.u.x);
  EXPECT_EQ(there.u.y, -back.u.y);
  EXPECT_EQ(there.u.z, -back.u.z);
}

class BondTerms : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const TersoffParams<double> params{GetParam().entry};

  double energy(double r, double zeta) const { return bond_energy(params, cutoff(params, r), r, zeta).energy; }
  ZetaTerm<double> term(double cosine, double r_ij, double r_ik) const {
    return zeta_term(cutoff(params, r_ik), angle(params, cosine), distance(params, r_ij - r_ik));
  }
};

INSTANTIATE_TEST_SUITE_P(, BondTerms,
                         testing::Values(silicon_t3(), silicon_t3_lambda3(), silicon_t2(), carbon(), gallium(),
                                         nitrogen()),
                         testing::PrintToStringParamName());

TEST_P(BondTerms, EnergyIsPublished) {
  for (const double fraction : {0.6, 0.8, 0.95, 1.0, 1.03})
    for (const double t : {1e-3, 0.7, 5.0}) {
      const double r = fraction * entry().R, zeta = t / entry().beta;
      const auto fR = published::repulsion(entry(), r), fA = published::attraction(entry(), r);
      const auto b = published::bond_order(entry(), zeta), fC = published::cutoff(entry(), r);
      EXPECT_NEAR(energy(r, zeta), double(fC.value * (fR.value + b.value * fA.value) / 2), 1e-14 * entry().B)
          << "r = " << r << ", beta zeta = " << t;
    }
}

TEST_P(BondTerms, EnergyHasItsDerivatives) {
  for (const double fraction : {0.6, 0.8, 0.93, 1.0, 1.03})
    for (const double t : {0.3, 0.9, 5.0}) {
      const double r = fraction * entry().R, zeta = t / entry().beta;
      const auto e = bond_energy(params, cutoff(params, r), r, zeta);
      const double dr = central_difference([&](double at) { return energy(at, zeta); }, r, 1e-4);
      const double step = 1e-4 * zeta;
      const double dzeta = central_difference([&](double at) { return energy(r, at); }, zeta, step);
      EXPECT_NEAR(e.dr, dr, 1e-9 * entry().B) << "r = " << r << ", beta zeta = " << t;
      EXPECT_NEAR(e.dzeta, dzeta, 1e-15 * entry().B / step) << "r = " << r << ", beta zeta = " << t;
    }
}

/// For zeta -> 0 the energy approaches that of an isolated bond, whose zeta is 0.
TEST_P(BondTerms, EnergyIsContinuousAtZeroZeta) {
  const double r = 0.8 * entry().R;
  const double alone = energy(r, 0.0);
  EXPECT_EQ(bond_energy(params, cutoff(params, r), r, 0.0).dzeta, 0.0);
  EXPECT_NEAR(alone, double(published::repulsion(entry(), r).value + published::attraction(entry(), r).value) / 2,
              1e-14 * entry().B);
  for (const double t : {1e-8, 1e-12, 1e-20, 1e-30, 1e-100}) {
    const double deviation = std::pow(t, entry().n) / entry().n;  // minimum deviation of b from 1
    EXPECT_NEAR(energy(r, t / entry().beta), alone, entry().B * (deviation + 1e-15)) << "beta zeta = " << t;
  }
}

TEST_P(BondTerms, ZetaTermHasItsDerivatives) {
  const double h = 1e-4;
  for (const double cosine : {-0.9, -0.33, 0.2, 0.7})
    for (const double fraction : {0.75, 0.97, 1.02}) {
      const double r_ij = 0.82 * entry().R, r_ik = fraction * entry().R;
      const auto zeta = term(cosine, r_ij, r_ik);
      const double scale = 1e-7 * std::abs(term(cosine, r_ij, r_ik).value()) + 1e-7 * entry().gamma;
      EXPECT_NEAR(zeta.angular, central_difference([&](double c) { return term(c, r_ij, r_ik).value(); }, cosine, h),
                  scale);
      EXPECT_NEAR(zeta.radial_j, central_difference([&](double r) { return term(cosine, r, r_ik).value(); }, r_ij, h),
                  scale);
      EXPECT_NEAR(zeta.radial_k, central_difference([&](double r) { return term(cosine, r_ij, r).value(); }, r_ik, h),
                  scale);
    }
}

TEST_P(BondTerms, ZetaTermWithoutLambda3IsTheSame) {
  const Dual<double> fc = cutoff(params, 0.98 * entry().R), g = angle(params, 0.1), one = {1, 0};
  const auto general = zeta_term(fc, g, one), shortened = zeta_term(fc, g);
  EXPECT_EQ(shortened.value(), general.value());
  EXPECT_EQ(shortened.angular, general.angular);
  EXPECT_EQ(shortened.radial_j, general.radial_j);
  EXPECT_EQ(shortened.radial_k, general.radial_k);
}

}  // namespace
}  // namespace triad
