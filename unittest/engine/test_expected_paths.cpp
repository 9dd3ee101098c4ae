// The expected paths of the host engine's atoms.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/host/expected_paths.h"
#include "engine/tuning.h"

namespace triad {
namespace {

/// Two atoms under constant forces, and an image of each in reverse order.
struct Falling {
  static constexpr double half_kick = 0.3, drift = 0.02;

  Falling() {
    HaloPlan plan;
    plan.owner = {1, 0};
    plan.image = {0, 0};
    plan.shift = {0, 0, 0};
    const int index_map[] = {0, 1, 2, 3};
    ghosts.take(plan, 2, index_map, 1);
  }
  const double *to_means() {
    AtomArrays atoms;
    atoms.n_owned = atoms.n_ghosts = 2;
    atoms.v = v.data();
    atoms.f = f.data();
    atoms.rmass = mass.data();
    paths.take(atoms, {1, half_kick, drift}, 1);
    return paths.to_means();
  }
  /// Mean displacement along coordinate k until `steps` further steps are made.
  double mean_of_steps(int k, int steps) const {
    double x = 0, speed = v[k], sum = 0;
    for (int step = 0; step < steps; ++step) {
      const double before = x;
      speed += 2 * half_kick / mass[k / 3] * f[k];
      x += drift * speed;
      sum += 0.5 * (before + x);
    }
    return sum / steps;
  }

  std::vector<double> v = {1, -2, 0.5, 0, 3, -1}, f = {0.3, 0.1, 0, -0.2, 0, 0.7}, mass = {2, 5};
  HostGhosts ghosts;
  ExpectedPaths paths{ghosts};
};

TEST(ExpectedPaths, HaveTheMeansOfVelocityVerlet) {
  Falling falling;
  const double *to_mean = falling.to_means();
  for (int k = 0; k < 6; ++k) {
    const double mean = falling.mean_of_steps(k, int(tuning::expected_steps));
    EXPECT_NEAR(to_mean[k], mean, 0.005 * std::abs(mean)) << k;  // a sum over steps instead of an integral
  }
}

TEST(ExpectedPaths, OfGhostsAreThoseOfTheirOwners) {
  Falling falling;
  const double *to_mean = falling.to_means();
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(to_mean[6 + k], to_mean[3 + k]);
    EXPECT_EQ(to_mean[9 + k], to_mean[k]);
  }
}

TEST(ExpectedPaths, AreComputedOnceForEachStep) {
  Falling falling;
  const double first = falling.to_means()[0];
  falling.v[0] = -1;
  EXPECT_EQ(falling.paths.to_means()[0], first);
  EXPECT_LT(falling.to_means()[0], 0);
}

}  // namespace
}  // namespace triad
