// The random number generator: published test vectors, and the properties that the Langevin thermostat requires.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "dynamics/langevin.h"
#include "dynamics/philox.h"

namespace triad {
namespace {

struct KnownAnswer {
  std::uint32_t counter[4], key[2], expected[4];
};

// Test vectors of philox4x32 with 10 rounds, published with the paper; the last ones are the digits of pi.
const KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, PublishedVectors) {
  for (const KnownAnswer &known : known_answers) {
    const Philox found = philox(known.counter, known.key);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(found.word[k], known.expected[k]);
  }
}

template <class Real>
class CentredUniform : public testing::Test {};
using Arithmetics = testing::Types<float, double>;
TYPED_TEST_SUITE(CentredUniform, Arithmetics);

TYPED_TEST(CentredUniform, EndsAreInsideAndSymmetric) {
  const TypeParam lowest = centred_uniform<TypeParam>(0), highest = centred_uniform<TypeParam>(0xffffffffu);
  EXPECT_GT(lowest, TypeParam(-0.5));
  EXPECT_EQ(lowest, -highest);
  EXPECT_EQ(centred_uniform<TypeParam>(0x80000000u), -centred_uniform<TypeParam>(0x7fffffffu));
  EXPECT_EQ(double(centred_uniform<float>(0x12345678u)), centred_uniform<double>(0x12345678u));
}

/// Sample correlations of noise with the noise of the next atom, the next step, another seed, and another axis.
TEST(LangevinNoise, MomentsAndCorrelations) {
  const int atoms = 2000, steps = 200;
  double mean = 0, square = 0, fourth = 0, with_atom = 0, with_step = 0, with_seed = 0, with_axis = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t tag = 1; tag <= atoms; ++tag) {
      const auto here = langevin_noise<double>(tag, step, 4711);
      mean += here.x + here.y + here.z;
      square += here.x * here.x;
      fourth += std::pow(here.x, 4);
      with_atom += here.x * langevin_noise<double>(tag + 1, step, 4711).x;
      with_step += here.x * langevin_noise<double>(tag, step + 1, 4711).x;
      with_seed += here.x * langevin_noise<double>(tag, step, 4712).x;
      with_axis += here.x * here.y;
    }
  }
  const double n = double(atoms) * steps, sigma = 1 / (12 * std::sqrt(n));  // standard deviation of a mean of products
  EXPECT_NEAR(mean / (3 * n), 0, 5 * std::sqrt(1 / (36 * n)));
  EXPECT_NEAR(square / n, 1 / 12.0, 5 * std::sqrt(1 / (180 * n)));
  EXPECT_NEAR(fourth / n, 1 / 80.0, 5 * std::sqrt((1 / 2304.0 - 1 / 6400.0) / n));
  for (const double product : {with_atom, with_step, with_seed, with_axis}) EXPECT_NEAR(product / n, 0, 5 * sigma);
}

/// Atom IDs and steps above 32 bits change the noise.
TEST(LangevinNoise, HighWordsMatter) {
  const std::int64_t far = std::int64_t(1) << 32;
  const auto here = langevin_noise<double>(1, 1, 7);
  EXPECT_NE(here.x, langevin_noise<double>(1 + far, 1, 7).x);
  EXPECT_NE(here.x, langevin_noise<double>(1, 1 + far, 7).x);
}

/// Free particles initially at rest: the mean square velocity relaxes to kT/m within half the damping time.
TEST(LangevinForce, HeatsFreeParticlesToTheTarget) {
  const double mass = 3.0, kT = 0.7, damping = 1.0, dt = 0.02;  // units with boltz = mvv2e = ftm2v = 1
  const int atoms = 20000, steps = 250;
  const LangevinTerms terms = langevin_terms(damping, dt, 1, 1, 1);
  std::vector<Vec3<double>> v(atoms, Vec3<double>{0, 0, 0});
  for (int step = 1; step <= steps; ++step) {
    double square = 0, fourth = 0;
    for (int i = 0; i < atoms; ++i) {
      // A single full kick: without other forces the two half kicks are equivalent to one.
      const auto force = langevin_force(terms, mass, std::sqrt(kT), v[i], langevin_noise<double>(i + 1, step, 99));
      v[i] = v[i] + (dt / mass) * force;
      square += dot(v[i], v[i]) / 3;
      fourth += (std::pow(v[i].x, 4) + std::pow(v[i].y, 4) + std::pow(v[i].z, 4)) / 3;
    }
    const double found = mass * square / atoms, deviation = kT * std::sqrt(2.0 / (3 * atoms));
    // The stationary variance of v' = (1 - a) v + noise with a = dt / damping is kT/m / (1 - a/2).
    const double a = dt / damping, expected = kT / (1 - a / 2) * (1 - std::pow(1 - a, 2 * step));
    EXPECT_NEAR(found, expected, 5 * deviation) << "step " << step;
    if (step == steps) {
      EXPECT_NEAR(fourth / atoms * std::pow(mass / found, 2), 3, 0.1) << "not a normal distribution";
    }
  }
}

}  // namespace
}  // namespace triad
