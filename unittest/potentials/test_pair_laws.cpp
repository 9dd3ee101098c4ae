// Pair force laws: checks values, and that the pull is the derivative of the energy.

#include <gtest/gtest.h>

#include "potentials/central_difference.h"
#include "potentials/pairwise/laws.h"

namespace triad {
namespace {

/// pull * r is the derivative of the energy at every r.
template <class Law>
void expect_pull_is_derivative(const Law &law, const typename Law::Coefficients &c, double from, double to) {
  const auto energy = [&](double r) { return law(r * r + law.softening(), c).energy; };
  for (double r = from; r < to; r += (to - from) / 97) {
    const double derivative = central_difference(energy, r, 1e-3 * r);
    const double pull = law(r * r + law.softening(), c).pull;
    ASSERT_NEAR(pull * r, derivative, 1e-8 * (std::abs(derivative) + std::abs(energy(r)) / r)) << "r = " << r;
  }
}

TEST(PairLaws, GravityPullsWithItsPotential) {
  for (const double eps : {0.0, 0.01, 1.0})
    expect_pull_is_derivative(GravityLaw<double>(GravitySettings{1, eps}), {}, 0.05, 8);
  const GravityLaw<double> law(GravitySettings{1, 2});
  const auto term = law(3 * 3 + law.softening(), {});
  EXPECT_NEAR(term.energy, -1 / std::sqrt(13.0), 1e-15);
  EXPECT_NEAR(term.pull, std::pow(13.0, -1.5), 1e-15);
}

TEST(PairLaws, CoulombPowerPullsWithItsPotential) {
  const CoulombPowerLaw<double> law(CoulombPowerSettings{{}, 0.04});
  for (const auto &entry : {CoulombPowerSettings::Entry{1.5, 0, 1}, CoulombPowerSettings::Entry{-1, 0.6, 9},
                            CoulombPowerSettings::Entry{0, 1.2, 2}, CoulombPowerSettings::Entry{0.3, 0.5, 0.5},
                            CoulombPowerSettings::Entry{1, 0.5, 2.001}}) {
    expect_pull_is_derivative(law, CoulombPowerLaw<double>::Coefficients(entry), 0.21, 5);
    expect_pull_is_derivative(law, CoulombPowerLaw<double>::Coefficients(entry), 0.01, 0.19);
  }
}

/// F = R (c1 s^-3 + (c2/s)^n), s^2 = max(R^2, floor).
TEST(PairLaws, CoulombPowerIsThePublishedForce) {
  const CoulombPowerSettings::Entry e = {1.5, 0.7, 5};
  const CoulombPowerLaw<double> law(CoulombPowerSettings{{}, 1e-4});
  for (const double r : {0.0, 0.003, 0.0099, 0.0101, 0.5, 3.0}) {
    const double s = std::max(r, 0.01), force = e.c1 / (s * s * s) + std::pow(e.c2 / s, e.n);
    EXPECT_NEAR(law(r * r, CoulombPowerLaw<double>::Coefficients(e)).pull, -force, 1e-13 * force) << "r = " << r;
  }
}

TEST(PairLaws, CoulombPowerIsContinuousAtTheFloor) {
  const CoulombPowerLaw<double> law(CoulombPowerSettings{{}, 0.25});
  const CoulombPowerLaw<double>::Coefficients c(CoulombPowerSettings::Entry{1.5, 0.7, 5});
  EXPECT_NEAR(law(0.25 * (1 - 1e-12), c).energy, law(0.25 * (1 + 1e-12), c).energy, 1e-10);
}

TEST(PairLaws, LennardJonesPullsWithItsPotential) {
  const LennardJonesLaw<double> law{LennardJonesSettings()};
  const LennardJonesLaw<double>::Coefficients c(LennardJonesSettings::Entry{0.8, 1.1});
  expect_pull_is_derivative(law, c, 0.7, 4);
  const double minimum = 1.1 * std::pow(2.0, 1.0 / 6);
  EXPECT_NEAR(law(minimum * minimum, c).energy, -0.8, 1e-14);
  EXPECT_NEAR(law(minimum * minimum, c).pull, 0, 1e-12);
  EXPECT_NEAR(law(1.1 * 1.1, c).energy, 0, 1e-14);
}

TEST(PairLaws, HarmonicPullsWithItsPotential) {
  const HarmonicLaw<double> law{HarmonicSettings()};
  expect_pull_is_derivative(law, {40, 1.2}, 0.1, 4);
  EXPECT_EQ(law(0, {40, 1.2}).pull, 0);
  EXPECT_NEAR(law(0, {40, 1.2}).energy, 20 * 1.44, 1e-13);
}

/// Compares fp32 with fp64, relative to the sizes of the terms.
TEST(PairLaws, AreAccurateInFloat) {
  const auto expect_near = [](double value, double reference, double size) {
    EXPECT_NEAR(value, reference, 3e-6 * std::abs(size));
  };
  for (double r = 0.05; r < 6; r *= 1.07) {
    const float f2 = float(r * r);
    const double r2 = f2;
    const auto gravity = GravityLaw<double>({1, 0})(r2, {});
    expect_near(GravityLaw<float>({1, 0})(f2, {}).pull, gravity.pull, gravity.pull);
    expect_near(GravityLaw<float>({1, 0})(f2, {}).energy, gravity.energy, gravity.energy);
    const CoulombPowerSettings::Entry e = {-1.5, 0.75, 9};
    const auto coulomb = CoulombPowerLaw<double>({{}, 0.01})(r2, CoulombPowerLaw<double>::Coefficients(e));
    const auto in_float = CoulombPowerLaw<float>({{}, 0.01f})(f2, CoulombPowerLaw<float>::Coefficients(e));
    const double s = std::max(r, 0.1), size = 1.5 / (s * s * s) + 10 * std::pow(0.75 / s, 9);
    expect_near(in_float.pull, coulomb.pull, size);
    expect_near(in_float.energy, coulomb.energy, size * s * s);
    const LennardJonesSettings::Entry lj = {1, 1};
    const auto exact = LennardJonesLaw<double>({})(r2, LennardJonesLaw<double>::Coefficients(lj));
    const auto rounded = LennardJonesLaw<float>({})(f2, LennardJonesLaw<float>::Coefficients(lj));
    const double s6 = std::pow(r, -6);
    expect_near(rounded.energy, exact.energy, 4 * (s6 * s6 + s6));
    expect_near(rounded.pull, exact.pull, 24 * (2 * s6 * s6 + s6) / r2);
  }
}

/// The host's reciprocal square root, which uses no divisions.
TEST(PairLaws, ReciprocalRootsAreAccurate) {
  for (double x = 1e-30; x < 1e30; x *= 1.37) {
    EXPECT_NEAR(math::rsqrt_normal(x) * std::sqrt(x), 1, 6e-16) << x;
    const float f = float(x);
    EXPECT_NEAR(math::rsqrt_normal(f) * std::sqrt(double(f)), 1, 2.5e-7) << f;
  }
}

}  // namespace
}  // namespace triad
