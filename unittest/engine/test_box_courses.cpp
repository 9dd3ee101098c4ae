// Barostats and deformations in batches change the box as by the hooks of fixes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/changing_boxes.h"

namespace triad {

void Courses::expect_the_same_with_barostat(bool anisotropic, bool deforms, bool triclinic) {
  start_two();
  if (!batches->takes_changing_box()) GTEST_SKIP() << "this engine changes no box in batches";
  TallyRequest request;
  request.virial = true;
  batches->compute_forces(request, results);
  const Box start = box_from_origin(named.edge, triclinic);
  const std::vector<double> edges = edges_of(box, start);
  ThermostatBatch in_batches = barostat_of(*hooks, box.n_owned(), start, anisotropic);
  HeldBarostat &held = in_batches.barostat;
  std::copy_n(results.virial, 3, held.virial);
  for (int d = 0; d < 3; ++d) held.kinetic[d] = mass_to_energy * hooks->kinetic(1).mvv[d];
  in_batches.thermostat.step = 99;
  ThermostatBatch by_hooks = in_batches;
  const DeformedBox deformed = {start, {false, deforms, false}};
  const auto follow_in = [&](MdEngine &engine, HeldBarostat &barostat, int step) {
    if (!deforms || step == 0) return;
    follow(engine, deformed, step);
    barostat.box.low[1] = deformed.at(step).low[1];
    barostat.box.high[1] = deformed.at(step).high[1];
    barostat.start(barostat.box);
  };
  const auto set_shifts = [&] { batches->set_shifts(shifts_of(edges, held.box)); };

  const double relative = backend.precision == Precision::Double ? 1e-9 : 1e-4;
  std::vector<Box> boxes;                // of all steps
  std::vector<KineticSums> kinetic(20);  // of all steps but the last of each batch
  std::vector<double> energy(20, 0);
  int done = 0;
  for (const int steps : {1, 7, 12}) {
    follow_in(*batches, held, done);
    set_shifts();
    const BoxPath path = deformed.path(done, steps);
    StepBatch batch = batch_of(steps);
    batch.first_step = in_batches.thermostat.step + 1;
    batch.thermostats = {&in_batches};
    batch.last.virial = true;
    batch.samples_boxes = true;
    KineticSampling kinetic_samples;
    TotalsSampling totals_samples;
    for (int k = 0; k < steps - 1; ++k) kinetic_samples.steps.push_back(batch.first_step + k);
    totals_samples.steps = kinetic_samples.steps;
    batch.kinetic_samplings = {&kinetic_samples};
    batch.totals_sampling = &totals_samples;
    if (deforms) batch.box_path = &path;
    const BatchResult result = batches->run_steps(batch);
    EXPECT_EQ(result.completed, steps);
    ASSERT_EQ(int(result.boxes.size()), steps);
    boxes.insert(boxes.end(), result.boxes.begin(), result.boxes.end());
    ASSERT_EQ(int(kinetic_samples.sums.size()), steps - 1);
    ASSERT_EQ(int(totals_samples.sums.size()), steps - 1);
    for (int k = 0; k < steps - 1; ++k) {
      kinetic[done + k] = kinetic_samples.sums[k];
      energy[done + k] = totals_samples.sums[k].at(0).energy;
    }
    std::copy_n(result.totals.virial, 3, held.virial);
    set_shifts();
    done += steps;
  }
  for (int step = 0; step < 20; ++step) {
    follow_in(*hooks, by_hooks.barostat, step);
    step_by_hooks(*hooks, by_hooks, edges);
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(boxes[step].low[d], by_hooks.barostat.box.low[d], 0.01 * relative * named.edge[d]) << "step " << step;
      EXPECT_NEAR(boxes[step].high[d], by_hooks.barostat.box.high[d], 0.01 * relative * named.edge[d])
          << "step " << step;
    }
    if (kinetic[step].mass == 0) continue;
    const KineticSums present = hooks->kinetic(1);
    for (int d = 0; d < 3; ++d)
      EXPECT_NEAR(kinetic[step].mvv[d], present.mvv[d], relative * present.mvv[0]) << "step " << step;
    EXPECT_NEAR(energy[step], hooks->term_totals().at(0).energy, relative * std::abs(energy[step])) << "step " << step;
  }
  expect_the_same();
  for (int d = 0; d < 3; ++d) {
    const double rate = by_hooks.barostat.state.rate[d], edge = by_hooks.barostat.box.edges().diagonal(d);
    EXPECT_NEAR(held.state.rate[d], rate, relative * std::abs(rate));
    EXPECT_NEAR(held.box.edges().diagonal(d), edge, 0.01 * relative * edge);
    EXPECT_EQ(edge == named.edge[d], anisotropic && !deforms && d == 1);
    EXPECT_NEAR(in_batches.measured.mvv[d], by_hooks.measured.mvv[d], relative * by_hooks.measured.mvv[0]);
  }
  const double temperature = by_hooks.thermostat.temperature;
  EXPECT_NEAR(in_batches.thermostat.temperature, temperature, relative * temperature);
}

void Courses::expect_the_same_in_deformed_box(bool thermostat, bool triclinic) {
  start_two();
  if (!batches->takes_changing_box()) GTEST_SKIP() << "this engine changes no box in batches";
  const DeformedBox deformed = {box_from_origin(named.edge, triclinic), {true, true, true}};
  ThermostatBatch in_batches = nose_hoover_of(*hooks, box.n_owned(), 1);
  ThermostatBatch by_hooks = in_batches;
  const std::vector<double> edges = edges_of(box, deformed.start);
  const auto shifts = [&](int step) { return shifts_of(edges, deformed.at(step)); };

  int done = 0;
  for (const int steps : {1, 7, 12}) {
    if (done > 0) follow(*batches, deformed, done);
    batches->set_shifts(shifts(done));
    const BoxPath path = deformed.path(done, steps);
    StepBatch batch = batch_of(steps);
    batch.first_step = 100 + done;
    if (thermostat) batch.thermostats = {&in_batches};
    batch.box_path = &path;
    EXPECT_EQ(batches->run_steps(batch).completed, steps);
    done += steps;
    batches->set_shifts(shifts(done - 1));
  }
  const auto scale = [&](int step) {
    if (!thermostat) return;
    const double factor = by_hooks.thermostat.half_step(100 + step), factors[3] = {factor, factor, factor};
    hooks->queue_scale_velocities(1, factors);
  };
  for (int step = 0; step < 20; ++step) {
    if (step > 0) follow(*hooks, deformed, step);
    scale(step);
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->set_shifts(shifts(step));
    hooks->compute_forces({}, results);
    hooks->queue_kick(1, all_atoms.half_kick);
    if (thermostat) by_hooks.thermostat.see((by_hooks.measured = hooks->kinetic(1)).mvv);
    scale(step);
  }
  expect_the_same();
  const double temperature = by_hooks.thermostat.temperature;
  const double relative = backend.precision == Precision::Double ? 1e-10 : 1e-5;
  EXPECT_NEAR(in_batches.thermostat.temperature, temperature, relative * temperature);
}

namespace {

TEST_P(Courses, WithABarostatAreTheSameInBatchesAndByHooks) { expect_the_same_with_barostat(false, false, false); }
TEST_P(Courses, WithABarostatOfTwoEdgesAreTheSameInBatchesAndByHooks) {
  expect_the_same_with_barostat(true, false, false);
}
TEST_P(Courses, WithABarostatBesideADeformedEdgeAreTheSameInBatchesAndByHooks) {
  expect_the_same_with_barostat(true, true, false);
}
TEST_P(Courses, WithABarostatInATiltedBoxAreTheSameInBatchesAndByHooks) {
  expect_the_same_with_barostat(true, false, true);
}

/// A batch ends with its list: the atoms have then moved in the box of the next step, and the forces are missing.
TEST_P(Courses, InADeformedBoxEndWithTheirList) {
  start_two();
  if (!batches->takes_changing_box()) GTEST_SKIP() << "this engine changes no box in batches";
  const DeformedBox deformed = {box_from_origin(named.edge), {true, false, true}};
  const auto set_shifts = [&](MdEngine &engine, int step) {
    engine.set_shifts(shifts_of(edges_of(box, deformed.start), deformed.at(step)));
  };
  const BoxPath path = deformed.path(0, 40);
  StepBatch batch = batch_of(40);
  batch.list.check = true;
  batch.list.limit = 0.012 * named.speed;
  batch.box_path = &path;
  const BatchResult result = batches->run_steps(batch);
  ASSERT_TRUE(result.list_expired);
  ASSERT_GT(result.completed, 0);
  ASSERT_LT(result.completed, 39);
  set_shifts(*batches, static_cast<int>(result.completed));
  batches->compute_forces({}, results);
  batches->queue_kick(1, all_atoms.half_kick);
  for (int step = 0; step <= result.completed; ++step) {
    if (step > 0) follow(*hooks, deformed, step);
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    set_shifts(*hooks, step);
    hooks->compute_forces({}, results);
    hooks->queue_kick(1, all_atoms.half_kick);
  }
  expect_the_same();
}

TEST_P(Courses, InADeformedBoxAreTheSameInBatchesAndByHooks) { expect_the_same_in_deformed_box(false, false); }
TEST_P(Courses, InADeformedTiltedBoxAreTheSameInBatchesAndByHooks) { expect_the_same_in_deformed_box(false, true); }
TEST_P(Courses, WithNoseHooverInADeformedBoxAreTheSameInBatchesAndByHooks) {
  expect_the_same_in_deformed_box(true, false);
}

/// The atoms stay where they are, and the images beyond all faces come nearer: pairs that a pruned list has left out
/// come within the cutoff, although no atom has moved.
TEST_P(Courses, PrunedListsFollowTheImagesOfAnotherBox) {
  const double edge[3] = {named.edge[0] - 0.5, named.edge[1] - 0.5, named.edge[2] - 0.5};
  const std::vector<double> shift = shifts_of(edges_of(box, box_from_origin(named.edge)), box_from_origin(edge));
  start_two();
  batches->set_shifts(shift);
  batches->compute_forces({}, results);
  other.send_to(*hooks);  // forgets the pruned list
  hooks->set_shifts(shift);
  hooks->compute_forces({}, results);
  expect_the_same();
}

}  // namespace
}  // namespace triad
