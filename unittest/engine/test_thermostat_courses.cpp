// Thermostats in batches act as by the hooks of fixes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {

/// Thermostats of these groups, and velocity Verlet of the group `rest` if it is not 0; in batches and by hooks. Each
/// controls the temperature of its own group, or of all atoms if it is alone.
void Courses::compare_thermostats(const std::vector<int> &bits, int rest) {
  start_two();
  const bool alone = bits.size() == 1 && rest == 0;
  std::vector<ThermostatBatch> in_batches;
  for (const int bit : bits) {
    const int atoms = static_cast<int>(std::count_if(box.mask.begin(), box.mask.begin() + box.n_owned(),
                                                     [&](int mask) { return alone || (mask & bit); }));
    in_batches.push_back(nose_hoover_of(*hooks, atoms, bit));
    if (!alone) in_batches.back().measured_bit = bit;
    HeldThermostat &held = in_batches.back().thermostat;
    held.temperature = temperature_of(hooks->kinetic(in_batches.back().measured_bit).mvv, held.per_degree);
  }
  std::vector<ThermostatBatch> by_hooks = in_batches;
  std::vector<int> moved = bits;
  if (rest) moved.push_back(rest);

  std::int64_t step = 100;
  for (const int steps : {1, 7, 12}) {
    StepBatch batch = batch_of(steps);
    batch.groups.clear();
    for (const int bit : moved) batch.groups.push_back({bit, all_atoms.half_kick, all_atoms.drift});
    batch.first_step = step;
    for (ThermostatBatch &one : in_batches) batch.thermostats.push_back(&one);
    EXPECT_EQ(batches->run_steps(batch).completed, steps);
    step += steps;
  }
  const auto scale = [&](ThermostatBatch &one) {
    const double factor = one.thermostat.half_step(step), factors[3] = {factor, factor, factor};
    hooks->queue_scale_velocities(one.group_bit, factors);
  };
  for (step = 100; step < 120; ++step) {
    for (ThermostatBatch &one : by_hooks) scale(one);
    for (const int bit : moved) hooks->queue_kick(bit, all_atoms.half_kick);
    for (const int bit : moved) hooks->queue_drift(bit, all_atoms.drift);
    hooks->compute_forces({}, results);
    for (const int bit : moved) hooks->queue_kick(bit, all_atoms.half_kick);
    for (ThermostatBatch &one : by_hooks) {
      one.measured = hooks->kinetic(one.measured_bit);
      one.thermostat.see(one.measured.mvv);
      scale(one);
    }
  }
  expect_the_same();
  const double relative = backend.precision == Precision::Double ? 1e-10 : 1e-5;
  for (std::size_t t = 0; t < bits.size(); ++t) {
    const HeldThermostat &held = in_batches[t].thermostat, &expected = by_hooks[t].thermostat;
    for (int k = 0; k < held.length; ++k)
      EXPECT_NEAR(held.velocity[k], expected.velocity[k], relative * std::abs(held.velocity[k]));
    EXPECT_NEAR(held.temperature, expected.temperature, relative * held.temperature);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(in_batches[t].measured.mvv[k], by_hooks[t].measured.mvv[k], relative * by_hooks[t].measured.mvv[0]);
  }
}

namespace {

LangevinThermostat langevin(int group_bit, const std::vector<LangevinTerms> &terms, std::uint32_t seed) {
  return {{group_bit, terms.data(), 0, 0, seed}, ramp};
}

/// Thermostats on all atoms and on a group, and on groups that overlap; on a GPU, groups have a step kernel of their
/// own.
class LangevinCourses : public Courses {
 protected:
  void compare(int first_bit, int second_bit, bool tallied);
};

INSTANTIATE_TEST_SUITE_P(, LangevinCourses,
                         testing::Combine(testing::ValuesIn(all_backends()), testing::ValuesIn(boxes())),
                         [](const auto &info) {
                           return testing::PrintToString(std::get<0>(info.param)) +
                                  testing::PrintToString(std::get<1>(info.param));
                         });

TEST_P(LangevinCourses, AreTheSameInBatchesAndByHooks) { compare(1, 2, true); }
TEST_P(LangevinCourses, OfGroupsAreTheSameInBatchesAndByHooks) { compare(4, 2, true); }
TEST_P(LangevinCourses, WithoutTalliesAreTheSameInBatchesAndByHooks) { compare(4, 2, false); }
TEST_P(LangevinCourses, OfAGroupWithoutAtomsAreTheSameInBatchesAndByHooks) { compare(8, 8, false); }

void LangevinCourses::compare(int first_bit, int second_bit, bool tallied) {
  for (PeriodicBox *of : {&box, &other})
    for (int i = 1; i < of->n_owned(); i += 2) of->mask[i] |= 4;
  start_two();
  const std::vector<LangevinTerms> strong(4, langevin_terms(0.05, dt, boltz, mass_to_energy, conversion)),
      weak(4, langevin_terms(0.5, dt, boltz, mass_to_energy, conversion));
  std::vector<LangevinThermostat> thermostats = {langevin(first_bit, strong, 11), langevin(second_bit, weak, 12)};
  LangevinWork of_batch[2], of_hooks[2];
  double sum[2] = {0, 0};
  for (int k = 0; k < 2 && tallied; ++k) {
    thermostats[k].force.tally = k;
    thermostats[k].work = &of_batch[k];
  }
  std::int64_t step = 100;
  for (const int steps : {1, 7, 12}) {
    StepBatch batch = batch_of(steps);
    batch.first_step = step;
    batch.langevin = thermostats;
    batches->run_steps(batch);
    step += steps;
    for (int k = 0; k < 2; ++k) sum[k] += of_batch[k].sum;
  }
  for (step = 100; step < 120; ++step) {
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->compute_forces({}, results);
    for (const LangevinThermostat &thermostat : thermostats) hooks->add_langevin(thermostat.at(step));
    hooks->queue_kick(1, all_atoms.half_kick);
    for (int k = 0; k < 2 && tallied; ++k) {
      of_hooks[k].last = hooks->langevin_power(thermostats[k].force.group_bit, k);
      of_hooks[k].sum += of_hooks[k].last;
    }
  }
  expect_the_same();
  // relative to the power of the noise if all atoms took heat alike
  double scale = 0;
  for (const double v : other.v) scale += std::fabs(v);
  for (int k = 0; k < 2 && tallied; ++k) {
    EXPECT_NEAR(of_batch[k].last, of_hooks[k].last, 300 * error * scale);
    EXPECT_NEAR(sum[k], of_hooks[k].sum, 20 * 300 * error * scale);
    EXPECT_GT(std::fabs(of_hooks[k].sum), 1e-3);
  }
}

/// Thermostats that scale all velocities at the end of each step: temp/csvr, temp/berendsen and temp/rescale.
TEST_P(Courses, WithThermostatsThatScaleAreTheSameInBatchesAndByHooks) {
  const std::vector<BathNoise> noise = noise_of(box.n_owned(), 20);
  for (const RescaledTemperature &rule : {csvr_of(box.n_owned(), 1).thermostat.rescaling.rescaled,
                                          RescaledTemperature{0, 1, 0.1}, RescaledTemperature{1, 0.5, 0}}) {
    start_two();
    ThermostatBatch in_batches = csvr_of(box.n_owned(), 1), by_hooks = in_batches;
    double cooled = 0;
    std::int64_t step = 100;
    for (const int steps : {1, 7, 12}) {
      Rescaling &rescaling = in_batches.thermostat.rescaling;
      rescaling = Rescaling();
      rescaling.rescaled = rule;
      rescaling.noise = noise.data() + (step - 100);
      StepBatch batch = batch_of(steps);
      batch.first_step = step;
      batch.thermostats = {&in_batches};
      EXPECT_EQ(batches->run_steps(batch).completed, steps);
      EXPECT_EQ(rescaling.scalings, steps);
      EXPECT_EQ(rescaling.noise, noise.data() + (step - 100));
      EXPECT_FALSE(rescaling.failed);
      cooled += rescaling.cooled;
      step += steps;
    }
    HeldThermostat &held = by_hooks.thermostat;
    held.rescaling.rescaled = rule;
    held.rescaling.noise = noise.data();
    for (step = 100; step < 120; ++step) {
      EXPECT_EQ(held.start_step(step), 1);
      hooks->queue_kick(1, all_atoms.half_kick);
      hooks->queue_drift(1, all_atoms.drift);
      hooks->compute_forces({}, results);
      hooks->queue_kick(1, all_atoms.half_kick);
      held.see(hooks->kinetic(1).mvv);
      const double factor = held.end_step(), factors[3] = {factor, factor, factor};
      hooks->queue_scale_velocities(1, factors);
    }
    expect_the_same();
    const double relative = backend.precision == Precision::Double ? 1e-10 : 1e-5;
    EXPECT_NEAR(in_batches.thermostat.temperature, held.temperature, relative * held.temperature);
    EXPECT_NEAR(cooled, held.rescaling.cooled, 1e4 * error);
    EXPECT_NE(cooled, 0);
  }
}

TEST_P(Courses, WithNoseHooverAreTheSameInBatchesAndByHooks) { compare_thermostats({2}, 0); }

TEST_P(Courses, WithNoseHooverOfGroupsAreTheSameInBatchesAndByHooks) {
  for (PeriodicBox *of : {&box, &other})
    for (int i = 0; i < of->n_owned(); ++i) of->mask[i] = 1 | (i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 16);
  compare_thermostats({8, 4}, 16);
}

}  // namespace
}  // namespace triad
