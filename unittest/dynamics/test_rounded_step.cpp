// The factors of a step in fp32: their product is nearly exact, and an oscillator that is moved by it keeps its energy.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "dynamics/rounded_step.h"

namespace {

using triad::round_step_factors;
using triad::StepFactors;

double product_error(const StepFactors &factors) {
  const double exact = double(factors.kick) * factors.drift;
  return std::fabs(static_cast<float>(exact) - exact) / exact;
}

TEST(RoundedStep, TheProductIsNearlyExact) {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> exponent(-18, 6);
  int above = 0, plain = 0;
  for (int n = 0; n < 20000; ++n) {
    const double kick = std::pow(10, exponent(random)), drift = std::pow(10, exponent(random));
    const StepFactors found = round_step_factors(kick, drift);
    // 32 units and the rounding of the factor itself
    ASSERT_NEAR(found.kick / kick, 1, 32.5 * std::numeric_limits<float>::epsilon());
    ASSERT_NEAR(found.drift / drift, 1, 32.5 * std::numeric_limits<float>::epsilon());
    above += product_error(found) > 1e-9;
    plain += product_error({static_cast<float>(kick), static_cast<float>(drift)}) > 1e-9;
  }
  EXPECT_LT(above, 90) << "measured 30 of 20,000";
  EXPECT_GT(plain, 15000) << "measured 19,530, where each factor is rounded to the nearest";
}

TEST(RoundedStep, FactorsOutOfRangeAreRoundedToTheNearest) {
  for (const double odd : {0.0, -0.5, 1e-42, 1e300, std::numeric_limits<double>::infinity()}) {
    const StepFactors found = round_step_factors(odd, 0.5);
    EXPECT_EQ(found.kick, static_cast<float>(odd));
    EXPECT_EQ(found.drift, 0.5f);
  }
}

/// Relative change of the energy of a harmonic oscillator of unit frequency over n steps, where the position takes the
/// force by way of the rounded product and the velocity by way of the factors.
double energy_change(const StepFactors &factors, int n) {
  const double push = factors.kick * factors.drift;  // in fp32
  double ahead = 1, v = 0, x = 1, f = 0;
  const auto energy = [&] {
    // of the modified Hamiltonian that leapfrog keeps
    return v * v / factors.kick + x * x / factors.drift - x * v;
  };
  double first = 0;
  for (int s = 0; s < n; ++s) {
    x = ahead + push * f;
    v += factors.kick * f;
    if (s == 1) first = energy();
    f = -x;
    ahead = x + factors.drift * v;
  }
  x = ahead + push * f;
  v += factors.kick * f;
  return std::fabs(energy() / first - 1);
}

TEST(RoundedStep, AnOscillatorKeepsItsEnergy) {
  double plain = 0, together = 0;
  for (const double dt : {0.0501, 0.0517, 0.0533, 0.0549}) {
    plain = std::max(plain, energy_change({static_cast<float>(dt), static_cast<float>(dt)}, 1000000));
    together = std::max(together, energy_change(round_step_factors(dt, dt), 1000000));
  }
  EXPECT_GT(plain, 1e-5) << "measured 7.2e-5";
  EXPECT_LT(together, 2.6e-6) << "measured 8.8e-7";
}

}  // namespace
