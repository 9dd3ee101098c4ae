// Samples within batches are those between batches that end with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {

/// Runs the steps 101 to 112 as one batch with samples in some of them.
template <class Samples>
void Courses::run_with_samples(Samples &few, Samples &all, std::vector<Samples *> StepBatch::*samplings) {
  few.group_bit = 2;
  few.steps = {103, 104, 111};
  for (std::int64_t step = 101; step < 112; ++step) all.steps.push_back(step);
  StepBatch batch = batch_of(12);
  batch.first_step = 101;
  batch.*samplings = {&few, &all};
  ASSERT_EQ(batches->run_steps(batch).completed, 12);
  ASSERT_EQ(few.sums.size(), few.steps.size());
  ASSERT_EQ(all.sums.size(), all.steps.size());
}

/// Makes the same steps with the other engine in batches of one step, and calls check(sampling, index) behind each step
/// that is sampled.
template <class Samples, class Check>
void Courses::check_samples(const Samples &few, const Samples &all, const Check &check) {
  for (std::int64_t step = 101; step <= 112; ++step) {
    StepBatch one = batch_of(1);
    one.first_step = step;
    hooks->run_steps(one);
    for (const Samples *sampling : {&few, &all}) {
      const int index = sampling->index_of(step);
      if (index >= 0) check(*sampling, index);
    }
  }
}

namespace {

/// Samples within a batch are the sums between batches that end with them.
TEST_P(Courses, SampleSlabsWithinBatches) {
  start_two();
  SlabSampling few, all;
  for (SlabSampling *one : {&few, &all}) {
    one->slabs.high = named.edge[2];
    one->slabs.width = named.edge[2] / 3;
    one->slabs.count = 3;
  }
  ASSERT_NO_FATAL_FAILURE(run_with_samples(few, all, &StepBatch::samplings));
  check_samples(few, all, [&](const SlabSampling &sampling, int index) {
    std::vector<SlabSums> found = sampling.sums[index];
    std::vector<SlabSums> expected = hooks->sum_slabs(sampling.group_bit, sampling.slabs);
    for (int k = 0; k < sampling.slabs.count; ++k) {
      EXPECT_EQ(found[k].count, expected[k].count) << "step " << sampling.steps[index] << " slab " << k;
      EXPECT_NEAR(found[k].mass, expected[k].mass, 1e-9);
      EXPECT_NEAR(found[k].mvv, expected[k].mvv, 1e5 * error * box.n_owned());
    }
  });
  expect_the_same();
}

TEST_P(Courses, SampleKineticSumsWithinBatches) {
  start_two();
  KineticSampling few, all;
  ASSERT_NO_FATAL_FAILURE(run_with_samples(few, all, &StepBatch::kinetic_samplings));
  check_samples(few, all, [&](const KineticSampling &sampling, int index) {
    KineticSums found = sampling.sums[index], expected = hooks->kinetic(sampling.group_bit);
    const double scale = expected.mvv[0] + expected.mvv[1] + expected.mvv[2];
    ASSERT_GT(scale, 0);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(found.mvv[k], expected.mvv[k], 1e5 * error * box.n_owned()) << "step " << sampling.steps[index];
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(found.mv[d], expected.mv[d], 1e4 * error * box.n_owned());
    EXPECT_NEAR(found.mass, expected.mass, 1e-9 * expected.mass);
  });
  expect_the_same();
}

TEST_P(Courses, SampleEnergyAndVirialWithinBatches) {
  start_two();
  if (!batches->samples_totals()) GTEST_SKIP() << "this engine samples no energies in batches";
  TotalsSampling sampling;
  sampling.steps = {101, 103, 104, 111, 112};
  StepBatch batch = batch_of(12);
  batch.first_step = 101;
  batch.totals_sampling = &sampling;
  ASSERT_EQ(batches->run_steps(batch).completed, 12);
  ASSERT_EQ(sampling.sums.size(), sampling.steps.size());
  for (std::int64_t step = 101; step <= 112; ++step) {
    StepBatch one = batch_of(1);
    one.first_step = step;
    one.last.energy = one.last.virial = true;
    hooks->run_steps(one);
    const int index = sampling.index_of(step);
    if (index < 0) continue;
    const std::vector<ForceTotals> &found = sampling.sums[index], &expected = hooks->term_totals();
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LT(expected[0].energy, -1);
    EXPECT_NEAR(found[0].energy, expected[0].energy, 30 * error * box.n_owned()) << "step " << step;
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(found[0].virial[k], expected[0].virial[k], 300 * error * box.n_owned()) << "step " << step;
  }
  expect_the_same();
}

TEST_P(Courses, SampleHeatCurrentsWithinBatches) {
  start_two();
  if (!batches->samples_heat_current()) GTEST_SKIP() << "this engine samples no heat currents in batches";
  HeatSampling few, all;
  few.kinetic_factor = all.kinetic_factor = 0.5 * mass_to_energy;
  few.kind = AtomVirial::Thirds;
  ASSERT_NO_FATAL_FAILURE(run_with_samples(few, all, &StepBatch::heat_samplings));
  check_samples(few, all, [&](const HeatSampling &sampling, int index) {
    const HeatFlow &found = sampling.sums[index];
    const HeatFlow expected = hooks->heat_flow(sampling.group_bit, sampling.kinetic_factor, sampling.kind);
    double most = 0;
    for (const double flow : expected.flow) most = std::max(most, std::abs(flow));
    ASSERT_GT(most, 1);
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(found.flow[k], expected.flow[k], 1e3 * error * most) << "step " << sampling.steps[index];
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(found.convective[d], expected.convective[d], 1e3 * error * most);
  });
  expect_the_same();
}

}  // namespace
}  // namespace triad
