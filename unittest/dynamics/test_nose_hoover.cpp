// Thermostat chains coupled to oscillators, and the barostat coupled to an elastic box: conserved quantities, time
// reversal, and the canonical distribution.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "dynamics/barostat.h"
#include "dynamics/nose_hoover.h"

namespace triad {
namespace {

/// Errors in units of the last place; the largest one of these arguments is 0.59.
TEST(NoseHooverFactors, ExpOfSmall) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> anywhere(-0.07, 0.07);
  for (int n = 0; n < 100000; ++n) {
    const double x = n % 2 ? anywhere(generator) : 1e-3 * anywhere(generator);
    const long double exact = std::exp(static_cast<long double>(x));
    const double ulp = exact < 1 ? 0x1p-53 : 0x1p-52;
    ASSERT_LT(std::abs(static_cast<double>(math::exp_of_small(x) - exact)), 1.0 * ulp) << x;
  }
  EXPECT_EQ(math::exp_of_small(0), 1);
  EXPECT_NEAR(math::exp_of_small(-3), std::exp(-3), 1e-16);
  EXPECT_TRUE(std::isnan(math::exp_of_small(NAN)));
}

struct Chain {
  explicit Chain(int length)
      : position(length), velocity(length), acceleration(length), mass(length), per_mass(length), damping(length) {}
  ThermostatChain view() {
    return {static_cast<int>(mass.size()),
            position.data(),
            velocity.data(),
            acceleration.data(),
            mass.data(),
            per_mass.data(),
            damping.data()};
  }
  std::vector<double> position, velocity, acceleration, mass, per_mass, damping;
};

/// Particles of mass 1 in a harmonic well of frequency 1, with one chain for all.
struct Oscillators {
  Oscillators(int n, int length, double kT_, ChainStep step_) : x(n), v(n), chain(length), kT(kT_), step(step_) {
    for (int i = 0; i < n; ++i) {
      x[i] = 0.3 + 0.1 * i;
      v[i] = 0.2 - 0.05 * i;
    }
    set_chain_masses(chain.view(), n, kT, 1.3);
    start_chain(chain.view(), kT);
  }

  double twice_kinetic() const {
    double sum = 0;
    for (const double u : v) sum += u * u;
    return sum;
  }

  void thermostat() {
    const double factor = advance_chain(chain.view(), step, twice_kinetic(), v.size() * kT, kT);
    for (double &u : v) u *= factor;
  }

  void advance() {
    thermostat();
    for (std::size_t i = 0; i < x.size(); ++i) {
      v[i] -= 0.5 * step.dt * x[i];
      x[i] += step.dt * v[i];
      v[i] -= 0.5 * step.dt * x[i];
    }
    thermostat();
  }

  double conserved() {
    double energy = 0.5 * twice_kinetic() + chain_energy(chain.view(), x.size() * kT, kT);
    for (const double y : x) energy += 0.5 * y * y;
    return energy;
  }

  std::vector<double> x, v;
  Chain chain;
  const double kT;
  const ChainStep step;
};

struct ChainCase {
  int particles, length, loops;
};

class NoseHoover : public testing::TestWithParam<ChainCase> {
 protected:
  Oscillators make(double dt) const {
    return Oscillators(GetParam().particles, GetParam().length, 0.8, {dt, GetParam().loops, 1.0});
  }
  double largest_error(double dt) const {
    Oscillators system = make(dt);
    const double start = system.conserved();
    double largest = 0;
    for (int s = 0; s < std::lround(20 / dt); ++s) {
      system.advance();
      largest = std::max(largest, std::abs(system.conserved() - start));
    }
    return largest;
  }
};

INSTANTIATE_TEST_SUITE_P(, NoseHoover,
                         testing::Values(ChainCase{1, 1, 1}, ChainCase{1, 3, 1}, ChainCase{5, 3, 1}, ChainCase{5, 2, 4},
                                         ChainCase{7, 5, 2}),
                         [](const auto &info) {
                           return std::to_string(info.param.particles) + "Particles" +
                                  std::to_string(info.param.length) + "Links" + std::to_string(info.param.loops) +
                                  "Loops";
                         });

TEST_P(NoseHoover, ConservesItsEnergyToSecondOrder) {
  const double coarse = largest_error(0.02), fine = largest_error(0.01);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST_P(NoseHoover, RunsBackwards) {
  Oscillators system = make(0.02);
  const Oscillators start = system;
  const auto turn = [&] {
    for (double &u : system.v) u = -u;
    for (double &u : system.chain.velocity) u = -u;
    // The accelerations of the upper thermostats follow from the last velocities, as at the start.
    start_chain(system.chain.view(), system.kT);
  };
  for (int s = 0; s < 300; ++s) system.advance();
  turn();
  for (int s = 0; s < 300; ++s) system.advance();
  turn();
  for (std::size_t i = 0; i < system.x.size(); ++i) {
    EXPECT_NEAR(system.x[i], start.x[i], 1e-9);
    EXPECT_NEAR(system.v[i], start.v[i], 1e-9);
  }
}

TEST_P(NoseHoover, NothingDrivenStaysFinite) {
  Chain chain(GetParam().length);
  set_chain_masses(chain.view(), 0, 0.8, 1.3);
  start_chain(chain.view(), 0.8);
  EXPECT_TRUE(std::isfinite(advance_chain(chain.view(), {0.01, 1, 1.0}, 0, 0, 0.8)));
}

/// A chain makes a single oscillator ergodic: mean squares and kurtosis of x and v are those of the canonical
/// distribution.
TEST(NoseHooverChain, CanonicalDistribution) {
  Oscillators system(1, 4, 0.8, {0.05, 1, 1.0});
  double x2 = 0, x4 = 0, v2 = 0, v4 = 0;
  const int steps = 2000000;
  for (int s = 0; s < steps; ++s) {
    system.advance();
    const double x = system.x[0] * system.x[0], v = system.v[0] * system.v[0];
    x2 += x;
    x4 += x * x;
    v2 += v;
    v4 += v * v;
  }
  EXPECT_NEAR(v2 / steps, 0.8, 0.02);
  EXPECT_NEAR(x2 / steps, 0.8, 0.02);
  EXPECT_NEAR(v4 * steps / (v2 * v2), 3, 0.15);
  EXPECT_NEAR(x4 * steps / (x2 * x2), 3, 0.15);
}

TEST(NoseHooverChain, DragSlowsIt) {
  Oscillators free(5, 3, 0.8, {0.01, 1, 1.0}), dragged(5, 3, 0.8, {0.01, 1, 0.9});
  for (int s = 0; s < 500; ++s) {
    free.advance();
    dragged.advance();
  }
  EXPECT_LT(std::abs(dragged.chain.velocity[0]), 0.5 * std::abs(free.chain.velocity[0]));
}

/// A box without atoms whose edges are springs: the pressure along an edge is that of its spring.
struct ElasticBox {
  explicit ElasticBox(const Barostat &barostat) : b(barostat) {}

  Box box = {{0, 0, 0}, {10.5, 9.4, 11.2}};
  const double rest[3] = {10, 10, 11}, stiffness = 3.0, energy_per_pv = 0.25;
  Barostat b;

  void pressures(double *p) const {
    for (int d = 0; d < 3; ++d)
      p[d] = -stiffness * (box.high[d] - rest[d]) * box.high[d] / (box.volume() * energy_per_pv);
  }

  void advance(double dt) {
    double p[3];
    pressures(p);
    advance_barostat(b, box, p, 0, energy_per_pv, dt, 1.0);
    const double origin[3] = {0, 0, 0};
    for (int half = 0; half < 2; ++half) dilate_box(b, dt, origin, box);
    pressures(p);
    advance_barostat(b, box, p, 0, energy_per_pv, dt, 1.0);
  }

  double conserved() const {
    double energy = b.deviatoric ? strain_energy(b, box, energy_per_pv) : 0;
    for (int d = 0; d < 3; ++d) {
      energy += 0.5 * stiffness * (box.high[d] - rest[d]) * (box.high[d] - rest[d]);
      if (b.controls[d])
        energy += barostat_edge_kinetic(b, d) + barostat_edge_potential(b, box.volume(), energy_per_pv);
    }
    return energy;
  }
};

struct BoxCase {
  const char *name;
  bool controls[3];
  bool deviatoric;
  double target[3];
};

class ElasticBarostat : public testing::TestWithParam<BoxCase> {
 protected:
  ElasticBox make() const {
    Barostat b;
    b.deviatoric = GetParam().deviatoric;
    for (int d = 0; d < 3; ++d) {
      b.controls[d] = GetParam().controls[d];
      b.frequency[d] = 2.0 + 0.3 * d;
    }
    for (int d = 0; d < 3; ++d) {
      b.target.edge[d] = GetParam().target[d];
      b.target.mean += GetParam().target[d] / controlled_edges(b);
    }
    couple_to_atoms(b, 100);
    set_barostat_masses(b, 100, 0.5);
    ElasticBox box(b);
    set_reference_box(box.b, box.box);
    return box;
  }
  double largest_error(double dt) const {
    ElasticBox box = make();
    const double start = box.conserved();
    double largest = 0;
    for (int s = 0; s < std::lround(10 / dt); ++s) {
      box.advance(dt);
      largest = std::max(largest, std::abs(box.conserved() - start));
    }
    return largest;
  }
};

INSTANTIATE_TEST_SUITE_P(, ElasticBarostat,
                         testing::Values(BoxCase{"AllEdges", {true, true, true}, false, {0.01, 0.01, 0.01}},
                                         BoxCase{"OwnTargets", {true, true, true}, true, {0.01, -0.02, 0.015}},
                                         BoxCase{"OneEdge", {false, true, false}, true, {0, 0.01, 0}},
                                         BoxCase{"TwoEdges", {true, false, true}, true, {-0.01, 0, 0.02}}),
                         [](const auto &info) { return info.param.name; });

TEST_P(ElasticBarostat, ConservesItsEnergyToSecondOrder) {
  const double coarse = largest_error(0.02), fine = largest_error(0.01);
  EXPECT_GT(coarse, 0);
  EXPECT_LT(fine, 1e-2);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST_P(ElasticBarostat, StrainIsTheLogarithmOfTheEdge) {
  ElasticBox box = make();
  for (int s = 0; s < 200; ++s) box.advance(0.01);
  for (int d = 0; d < 3; ++d)
    EXPECT_NEAR(std::exp(box.b.strain[d]), box.box.high[d] * box.b.reference_inverse.diagonal(d), 1e-12);
}

TEST(Barostat, TargetsGoFromStartToStop) {
  Barostat b;
  b.controls[0] = b.controls[2] = true;
  const PressureTargets targets = {{1, 50, 3}, {2, 60, 7}, {100, 140}, 0};
  const TargetPressures target = targets.at(b, 110);
  EXPECT_EQ(target.edge[0], 1.25);
  EXPECT_EQ(target.edge[1], 0);
  EXPECT_EQ(target.edge[2], 4);
  EXPECT_EQ(target.mean, (1.25 + 4) / 2);
}

TEST(Barostat, ReferenceBoxIsRenewedIfDeviatoric) {
  Barostat b;
  b.controls[0] = true;
  const PressureTargets targets = {{1, 0, 0}, {2, 0, 0}, {100, 110}, 3};
  const Box box = {{1, 1, 1}, {3, 4, 5}};
  targets.set(b, 103, box);
  EXPECT_EQ(b.target.edge[0], 1 + 3.0 / 10);
  EXPECT_EQ(b.reference_volume, 0);
  b.deviatoric = true;
  targets.set(b, 104, box);
  EXPECT_EQ(b.reference_volume, 0);
  targets.set(b, 106, box);
  EXPECT_EQ(b.reference_volume, 2 * 3 * 4);
}

/// The corners move away from the fixed point, tilts grow with the edges to which they belong, and an edge without
/// pressure control stays.
TEST(Barostat, DilatesTheBox) {
  Barostat b;
  b.controls[0] = b.controls[2] = true;
  const double dt = 0.1, fixed[3] = {1, 2, 3};
  for (int d = 0; d < 3; ++d) b.rate[d] = 2 * std::log(2.0 * (d + 1)) / dt;
  Box box = {{0, 0, 0}, {3, 7, 4}, 0.5, 1.5, 2.5, true};
  dilate_box(b, dt, fixed, box);
  const double low[3] = {-1, 0, -15}, high[3] = {5, 7, 9};
  for (int d = 0; d < 3; ++d) {
    EXPECT_NEAR(box.low[d], low[d], 1e-13);
    EXPECT_NEAR(box.high[d], high[d], 1e-13);
  }
  EXPECT_NEAR(box.yz, 6 * 0.5, 1e-13);
  EXPECT_NEAR(box.xz, 6 * 1.5, 1e-13);
  EXPECT_EQ(box.xy, 2.5);
  EXPECT_EQ(barostat_edge_factor(b, 1, dt), 1);
  EXPECT_NEAR(b.strain[0], std::log(2), 1e-14);
}

/// The chain stays at rest while the kinetic energy is that of one degree of freedom per edge, or of a single one.
TEST(Barostat, ChainDrivesItsDegreesOfFreedom) {
  for (const PressureCoupling coupling : {PressureCoupling::None, PressureCoupling::XYZ}) {
    Barostat b;
    b.coupling = coupling;
    for (int d = 0; d < 3; ++d) {
      b.controls[d] = true;
      b.mass[d] = b.rate[d] = 1;
    }
    const double kT = barostat_kinetic(b) / (isotropic(b) ? 1 : 3);
    HeldChain held = {};
    held.length = 1;
    set_chain_masses(held.chain(), 1, kT, 2);
    advance_barostat_chain(b, held.chain(), {0.1, 1, 1}, kT);
    EXPECT_EQ(held.velocity[0], 0);
    EXPECT_EQ(b.rate[0], 1);
    advance_barostat_chain(b, held.chain(), {0.1, 1, 1}, 0.5 * kT);
    EXPECT_GT(held.velocity[0], 0);
    EXPECT_LT(b.rate[0], 1);
  }
}

TEST(Barostat, KineticEnergyThatDrivesIt) {
  Barostat b;
  b.controls[0] = b.controls[2] = true;
  const double along[3] = {1, 2, 4};
  EXPECT_EQ(driving_kinetic(b, along, 20), 5);
  b.coupling = PressureCoupling::XYZ;
  EXPECT_EQ(driving_kinetic(b, along, 20), 20);
}

/// The correction adds the pressure of one more particle per coupling to the barostat, and damps velocities
/// correspondingly.
TEST(Barostat, KineticCorrection) {
  Barostat b;
  for (int d = 0; d < 3; ++d) {
    b.controls[d] = true;
    b.frequency[d] = 2;
  }
  const double pressure[3] = {0, 0, 0};
  const Box box = {{0, 0, 0}, {1, 1, 1}};
  couple_to_atoms(b, 10);
  set_barostat_masses(b, 10, 8.0 / 11);  // masses of 2
  advance_barostat(b, box, pressure, 30, 1, 0.1, 1);
  EXPECT_DOUBLE_EQ(b.rate[0], 0.5 * 0.1 * (30.0 / 30) / 2);
  EXPECT_DOUBLE_EQ(velocity_coupling(b), 3 * b.rate[0] / 30);
  b.kinetic_correction = false;
  couple_to_atoms(b, 10);
  EXPECT_EQ(velocity_coupling(b), 0);
  for (double &r : b.rate) r = 0;
  advance_barostat(b, box, pressure, 30, 1, 0.1, 1);
  EXPECT_EQ(b.rate[0], 0);
}

}  // namespace
}  // namespace triad
