// Compares every engine with velocity Verlet in fp64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/tuning.h"
#include "engine/make_engine.h"
#include "forces/backends.h"
#include "testing/periodic_copies.h"

namespace triad {
namespace {

struct NamedBox {
  std::string name;
  System system;
  double edge[3];
  double speed;
  Ghosts ghosts;
  double skin = 0.8;
};
std::ostream &operator<<(std::ostream &out, const NamedBox &box) { return out << box.name; }

/// Silicon, and atoms of another mass that bind slightly less.
System crystal_of_two_elements(int cells) {
  TersoffTable table = one_element(silicon_t3());
  const TersoffEntry silicon = table.triplets[0];
  table.elements = {"Si", "X"};
  table.triplets.assign(8, silicon);
  for (int t = 1; t < 8; ++t) {
    table.triplets[t].B *= 0.99;
    table.triplets[t].lam1 *= 1.002;
  }
  System system(table);
  const System crystal = diamond(silicon_t3(), cells, 0.1);
  for (int i = 0; i < crystal.n_all(); ++i)
    system.add({crystal.x[3 * i], crystal.x[3 * i + 1], crystal.x[3 * i + 2]}, i % 5 == 0 ? 2 : 1);
  return system;
}

/// Boxes that are wide; that use another rank; that are so narrow that there are more images than entries can encode;
/// and that have so many atoms that the host sorts them.
std::vector<NamedBox> boxes() {
  const double a = 5.432;
  const System crystal = diamond(silicon_t3(), 2, 0.1);
  return {{"Crystal", crystal, {2 * a, 2 * a, 2 * a}, 8, Ghosts::AllOwn},
          {"SomeRemote", crystal, {2 * a, 2 * a, 2 * a}, 8, Ghosts::SomeRemote},
          {"Narrow", diamond(silicon_t3(), 1, 0.1), {a, a, a}, 8, Ghosts::AllOwn, 3},
          {"NarrowSomeRemote", diamond(silicon_t3(), 1, 0.1), {a, a, a}, 8, Ghosts::SomeRemote, 3},
          {"TwoElements", crystal_of_two_elements(2), {2 * a, 2 * a, 2 * a}, 8, Ghosts::AllOwn},
          {"SeveralChunks", crystal_of_two_elements(5), {5 * a, 5 * a, 5 * a}, 8, Ghosts::SomeRemote},
          {"Hot", diamond(silicon_t3(), 2, 0.3), {2 * a, 2 * a, 2 * a}, 30, Ghosts::AllOwn}};
}

void expect_near(const std::vector<double> &values, const std::vector<double> &expected, std::size_t n, double error,
                 const char *what) {
  for (std::size_t k = 0; k < n; ++k)
    ASSERT_NEAR(values[k], expected[k], error) << what << " of atom " << k / 3 << " axis " << k % 3;
}

class Courses : public testing::TestWithParam<std::tuple<Backend, NamedBox>> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  const Backend backend = std::get<0>(GetParam());
  const NamedBox named = std::get<1>(GetParam());
  const double error = course_error(backend.precision);
  PeriodicBox box{named.system, named.edge, named.speed, named.ghosts, named.skin};

  // The same trajectory twice: of `box` in batches, and of `other` hook by hook.
  PeriodicBox other{named.system, named.edge, named.speed, named.ghosts, named.skin};
  std::unique_ptr<MdEngine> batches, hooks;
  ResultsView results;

  void start_two() {
    for (const auto &[engine, of] : {std::pair(&batches, &box), std::pair(&hooks, &other)}) {
      *engine = make_engine(backend, of->system);
      of->send_to(**engine);
      (*engine)->compute_forces({}, results);
    }
  }
  void run_hooks(std::vector<EndOfStep> &ends, std::int64_t first, std::int64_t last);
  void compare_thermostats(const std::vector<int> &bits, int rest);
  void expect_the_same_with_barostat(bool anisotropic, bool deforms, bool triclinic);
  template <class Samples>
  void run_with_samples(Samples &few, Samples &all, std::vector<Samples *> StepBatch::*samplings);
  template <class Samples, class Check>
  void check_samples(const Samples &few, const Samples &all, const Check &check);
  void expect_the_same_in_deformed_box(bool thermostat, bool triclinic);
  void expect_the_same() {
    batches->sync_host(field_state);
    hooks->sync_host(field_state);
    expect_near(box.system.x, other.system.x, box.v.size(), error, "position");
    expect_near(box.v, other.v, box.v.size(), 100 * error, "velocity");
    expect_near(box.f, other.f, box.f.size(), 300 * error, "force");
  }
};

INSTANTIATE_TEST_SUITE_P(, Courses, testing::Combine(testing::ValuesIn(all_backends()), testing::ValuesIn(boxes())),
                         [](const auto &info) {
                           return testing::PrintToString(std::get<0>(info.param)) +
                                  testing::PrintToString(std::get<1>(info.param));
                         });

StepBatch batch_of(long long steps) {
  StepBatch batch;
  batch.n_steps = steps;
  batch.groups = {all_atoms};
  return batch;
}

TEST_P(Courses, AreThoseOfVelocityVerlet) {
  PeriodicBox course(named.system, named.edge, named.speed, Ghosts::AllOwn, named.skin);
  course.compute_forces();
  const auto engine = make_engine(backend, box.system);
  box.send_to(*engine);
  ResultsView results;
  engine->compute_forces({}, results);

  StepBatch batch = batch_of(30);
  batch.last.energy = batch.last.virial = true;
  const BatchResult result = engine->run_steps(batch);
  ForceTotals totals;
  for (int s = 0; s < 30; ++s) totals = course.step({all_atoms});
  engine->sync_host(field_state);

  EXPECT_EQ(result.completed, 30);
  EXPECT_FALSE(result.list_expired);
  expect_near(box.system.x, course.system.x, box.v.size(), error, "position");
  expect_near(box.v, course.v, box.v.size(), 100 * error, "velocity");
  expect_near(box.f, course.f, box.f.size(), 300 * error, "force");
  EXPECT_NEAR(result.totals.energy, totals.energy, 30 * error * box.n_owned());
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(result.totals.virial[k], totals.virial[k], 300 * error * box.n_owned());
}

/// Where sums do not depend on the order of threads: on the host, in fixed point, and where forces are gathered, which
/// takes a row for every atom and no copies of atoms.
TEST_P(Courses, HaveTheSameBitsInEveryRun) {
  const char *const reduction = std::getenv("TRIAD_REDUCTION");
  const bool gathers = named.ghosts == Ghosts::AllOwn && named.skin < 1;
  const bool rounds = backend.location == Backend::Cuda && backend.precision != Precision::Mixed;
  if (rounds && (!gathers || reduction)) GTEST_SKIP() << "sums depend on the order of threads";
  if (rounds) setenv("TRIAD_REDUCTION", "gather", 1);
  for (auto *const engine : {&batches, &hooks}) {
    PeriodicBox &of = engine == &batches ? box : other;
    *engine = make_engine(backend, of.system);
    of.send_to(**engine);
    (*engine)->compute_forces({}, results);
    for (const int steps : {3, 40}) (*engine)->run_steps(batch_of(steps));
    (*engine)->sync_host(field_state);
  }
  if (rounds) unsetenv("TRIAD_REDUCTION");
  EXPECT_EQ(box.system.x, other.system.x);
  EXPECT_EQ(box.v, other.v);
  EXPECT_EQ(box.f, other.f);
}

TEST_P(Courses, AreTheSameInBatchesAndByHooks) {
  start_two();
  for (const int steps : {1, 7, 12}) batches->run_steps(batch_of(steps));
  for (int s = 0; s < 20; ++s) {
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->compute_forces({}, results);
    hooks->queue_kick(1, all_atoms.half_kick);
  }
  expect_the_same();
}

constexpr double boltz = 8.617333e-5, mass_to_energy = 1.0364269e-4;
constexpr TemperatureRamp ramp = {700, 300, {95, 145}};

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

/// The chain is driven by one group and scales another group.
TEST_P(Courses, WithChangesOfForcesAreTheSameInBatchesAndByHooks) {
  start_two();
  const std::vector<double> drag = {0, 0.002, 0.001, 0};
  const bool averages = named.ghosts == Ghosts::AllOwn;  // one rank
  ForceChangeBatch drags, pushes, third;
  drags.change.kind = ForceChange::Kind::Drag;
  drags.change.drag = drag.data();
  pushes.change = {1, ForceChange::Kind::Add, {true, true, true}, {0.1, -0.2, 0.3}, nullptr};
  pushes.sums = ForceSumKind::ForcesAndPositions;
  third.change = {
      2, averages ? ForceChange::Kind::Average : ForceChange::Kind::Set, {true, false, true}, {0.05, 0, 0}, nullptr};
  third.sums = ForceSumKind::Forces;
  for (const int steps : {1, 7, 12}) {
    StepBatch batch = batch_of(steps);
    batch.force_changes = {&drags, &pushes, &third};
    batches->run_steps(batch);
  }
  ForceSums before_push, before_third;
  for (int s = 0; s < 20; ++s) {
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->compute_forces({}, results);
    hooks->change_forces(drags.change);
    before_push = hooks->sum_forces(1, true);
    hooks->change_forces(pushes.change);
    before_third = hooks->sum_forces(2, false);
    ForceChange now = third.change;
    now.kind = ForceChange::Kind::Set;
    if (averages)
      for (int d = 0; d < 3; ++d) now.value[d] += before_third.mean(d);
    hooks->change_forces(now);
    hooks->queue_kick(1, all_atoms.half_kick);
  }
  expect_the_same();
  const double n = box.v.size() / 3.0;
  EXPECT_EQ(pushes.before.count, n);
  for (int d = 0; d < 3; ++d) {
    EXPECT_NEAR(pushes.before.force[d], before_push.force[d], 300 * n * error);
    EXPECT_NEAR(pushes.before.position[d], before_push.position[d], n * error);
    EXPECT_NEAR(third.before.force[d], before_third.force[d], 300 * n * error);
    double sum = 0;
    for (std::size_t k = d; k < box.v.size(); k += 3) sum += box.system.x[k];
    EXPECT_NEAR(pushes.before.position[d], sum, n * error);
  }
}

/// Makes the steps from `first` on, before `last`, by hooks, with these actions at their ends.
void Courses::run_hooks(std::vector<EndOfStep> &ends, std::int64_t first, std::int64_t last) {
  for (std::int64_t step = first; step < last; ++step) {
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->compute_forces({}, results);
    hooks->queue_kick(1, all_atoms.half_kick);
    for (EndOfStep &end : ends)
      if (end.acts(step))
        hooks->exchange_heat(end.group_bit, end.block,
                             end.decide(hooks->sum_exchange(end.measured_bit, end.block), step));
  }
}

/// An exchange of heat with a block, a thermostat that acts in each third step, an exchange with all atoms, and a
/// removal of the momentum in each fourth step.
TEST_P(Courses, WithEndsOfStepsAreTheSameInBatchesAndByHooks) {
  if (named.ghosts != Ghosts::AllOwn) GTEST_SKIP() << "actions at the end of steps require a single rank";
  start_two();
  const double n = box.v.size() / 3.0;
  EndOfStep exchange, rescale, second, removal;
  exchange.group_bit = exchange.measured_bit = 2;
  exchange.heat = 2 * dt * conversion;
  exchange.corrected = dt;
  exchange.ftm2v = conversion;
  exchange.block.everywhere = n < 50;  // a part of a narrow box has too few atoms
  for (int d = 0; d < 3; ++d) exchange.block.high[d] = exchange.block.box_high[d] = named.edge[d];
  exchange.block.high[0] *= 0.6;
  exchange.block.wraps[0] = exchange.block.wraps[1] = exchange.block.wraps[2] = true;
  rescale.kind = EndOfStep::Kind::Rescaling;
  rescale.every = 3;
  rescale.rescaling.rescaled = {1, 0.5, 0};
  rescale.target = ramp;
  rescale.per_degree = mass_to_energy / (3 * n * boltz);
  second.heat = -1 * dt * conversion;
  removal.kind = EndOfStep::Kind::MomentumRemoval;
  removal.every = 4;
  removal.along[0] = removal.along[2] = removal.keeps_energy = true;
  std::vector<EndOfStep> by_hooks = {exchange, rescale, second, removal};
  std::int64_t step = 100;
  for (const int steps : {1, 7, 12}) {
    StepBatch batch = batch_of(steps);
    batch.first_step = step;
    batch.ends = {&exchange, &rescale, &second, &removal};
    batches->run_steps(batch);
    step += steps;
  }
  run_hooks(by_hooks, 100, 120);
  expect_the_same();
  EXPECT_NEAR(exchange.factor, by_hooks[0].factor, 100 * error);
  EXPECT_NEAR(rescale.rescaling.cooled, by_hooks[1].rescaling.cooled, 1e4 * error);
  EXPECT_NEAR(second.factor, by_hooks[2].factor, 100 * error);
  EXPECT_GT(exchange.factor, 1);
  EXPECT_LT(second.factor, 1);
  EXPECT_NE(rescale.rescaling.cooled, 0);
  EXPECT_NEAR(removal.factor, by_hooks[3].factor, 100 * error);
  EXPECT_FALSE(exchange.failed || rescale.failed || second.failed || removal.failed);
}

/// Actions on few atoms, which have kernels of their own: an exchange of heat with one group, and a thermostat of
/// another one that acts in each second step. `shared`: some atoms belong to both.
TEST_P(Courses, WithEndsOfStepsOfFewAtomsAreTheSameInBatchesAndByHooks) {
  if (named.ghosts != Ghosts::AllOwn) GTEST_SKIP() << "actions at the end of steps require a single rank";
  if (box.n_owned() < 50) GTEST_SKIP() << "the groups have too few atoms";
  for (const bool shared : {false, true}) {
    int thermostatted = 0;
    for (PeriodicBox *of : {&box, &other})
      for (int i = 0; i < of->n_owned(); ++i)
        of->mask[i] = 1 | (i % 8 == 0 ? 4 : 0) | (i % 8 == 3 || (shared && i % 16 == 0) ? 8 : 0);
    for (int i = 0; i < box.n_owned(); ++i) thermostatted += (box.mask[i] & 8) != 0;
    start_two();
    EndOfStep exchange, rescale;
    exchange.group_bit = exchange.measured_bit = 4;
    exchange.heat = 0.2 * dt * conversion;
    exchange.corrected = dt;
    exchange.ftm2v = conversion;
    rescale.kind = EndOfStep::Kind::Rescaling;
    rescale.group_bit = rescale.measured_bit = 8;
    rescale.every = 2;
    rescale.rescaling.rescaled.approach = 0.1;
    rescale.target = ramp;
    rescale.per_degree = mass_to_energy / (3 * thermostatted * boltz);
    std::vector<EndOfStep> by_hooks = {exchange, rescale};
    double cooled = 0;
    std::int64_t step = 100;
    for (const int steps : {20, 24}) {
      rescale.rescaling.cooled = 0;
      StepBatch batch = batch_of(steps);
      batch.first_step = step;
      batch.ends = {&exchange, &rescale};
      EXPECT_EQ(batches->run_steps(batch).completed, steps);
      cooled += rescale.rescaling.cooled;
      step += steps;
    }
    run_hooks(by_hooks, 100, 144);
    expect_the_same();
    EXPECT_NEAR(exchange.factor, by_hooks[0].factor, 100 * error);
    EXPECT_NEAR(cooled, by_hooks[1].rescaling.cooled, 1e4 * error);
    EXPECT_NE(cooled, 0);
    EXPECT_FALSE(exchange.failed || rescale.failed);
  }
}

/// The atoms that one batch has found for its actions serve the next ones too, but not after the groups have changed.
TEST_P(Courses, WithEndsOfStepsOfFewAtomsFollowTheirGroups) {
  if (named.ghosts != Ghosts::AllOwn) GTEST_SKIP() << "actions at the end of steps require a single rank";
  if (box.n_owned() < 50) GTEST_SKIP() << "the group has too few atoms";
  const auto set_group = [&](int first) {
    for (PeriodicBox *of : {&box, &other})
      for (int i = 0; i < of->n_owned(); ++i) of->mask[i] = 1 | (i % 8 == first ? 4 : 0);
  };
  set_group(0);
  start_two();
  EndOfStep exchange;
  exchange.group_bit = exchange.measured_bit = 4;
  exchange.heat = 0.2 * dt * conversion;
  exchange.corrected = dt;
  exchange.ftm2v = conversion;
  std::vector<EndOfStep> by_hooks = {exchange};
  std::int64_t step = 100;
  for (const int first : {0, 3}) {
    set_group(first);
    for (MdEngine *const engine : {batches.get(), hooks.get()}) engine->sync_engine(field_attributes);
    for (const int steps : {4, 20, 4, 4}) {
      StepBatch batch = batch_of(steps);
      batch.first_step = step;
      batch.ends = {&exchange};
      EXPECT_EQ(batches->run_steps(batch).completed, steps);
      run_hooks(by_hooks, step, step + steps);
      step += steps;
      EXPECT_NEAR(exchange.factor, by_hooks[0].factor, 100 * error);
    }
  }
  expect_the_same();
}

/// A thermostat of stock temp/csvr, which controls the temperature of all n atoms.
ThermostatBatch csvr_of(int n, int bit) {
  ThermostatBatch csvr = {};
  csvr.group_bit = bit;
  csvr.measured_bit = 1;
  HeldThermostat &held = csvr.thermostat;
  held.rescales = true;
  held.rescaling.rescaled.memory = 0.9;
  held.rescaling.rescaled.freedom = 3.0 * n;
  held.target = ramp;
  held.per_degree = mass_to_energy / (3.0 * n * boltz);
  return csvr;
}
/// Random numbers for such a thermostat.
std::vector<BathNoise> noise_of(int n, int steps) {
  Random random(29);
  std::vector<BathNoise> noise(steps);
  for (BathNoise &one : noise) one = {random(-1, 1), 3 * n * random(0.9, 1.1)};
  return noise;
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

/// A thermostat of the atoms with one bit, which controls the temperature of all n atoms of `engine`.
ThermostatBatch nose_hoover_of(MdEngine &engine, int n, int bit) {
  const double degrees = 3.0 * n;
  ThermostatBatch nose_hoover = {};
  nose_hoover.group_bit = bit;
  nose_hoover.measured_bit = 1;
  HeldThermostat &held = nose_hoover.thermostat;
  held.length = 3;
  held.settings = {degrees, boltz, 1 / 0.02, {dt, 2, 0.999}};
  held.target = ramp;
  held.per_degree = mass_to_energy / (degrees * boltz);
  held.temperature = temperature_of(engine.kinetic(1).mvv, held.per_degree);
  return nose_hoover;
}

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

TEST_P(Courses, WithNoseHooverAreTheSameInBatchesAndByHooks) { compare_thermostats({2}, 0); }

TEST_P(Courses, WithNoseHooverOfGroupsAreTheSameInBatchesAndByHooks) {
  for (PeriodicBox *of : {&box, &other})
    for (int i = 0; i < of->n_owned(); ++i) of->mask[i] = 1 | (i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 16);
  compare_thermostats({8, 4}, 16);
}

/// Batches that are long enough for graphs.
TEST_P(Courses, WithWallsAreTheSameInBatchesAndByHooks) {
  start_two();
  ReflectingWalls walls;
  walls.count = 2;
  double low = box.system.x[2], high = low;
  for (int i = 0; i < box.n_owned(); ++i) {
    low = std::min(low, box.system.x[3 * i + 2]);
    high = std::max(high, box.system.x[3 * i + 2]);
  }
  walls.wall[0] = {2, false, low - 0.01};
  walls.wall[1] = {2, true, high + 0.01};
  for (const int steps : {1, 7, 40}) {
    StepBatch batch = batch_of(steps);
    batch.walls = {walls};
    EXPECT_EQ(batches->run_steps(batch).completed, steps);
  }
  for (int s = 0; s < 48; ++s) {
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->reflect(walls);
    hooks->compute_forces({}, results);
    hooks->queue_kick(1, all_atoms.half_kick);
  }
  expect_the_same();
  for (int i = 0; i < box.n_owned(); ++i) {
    EXPECT_GE(box.system.x[3 * i + 2], walls.wall[0].at - 1e-6);
    EXPECT_LE(box.system.x[3 * i + 2], walls.wall[1].at + 1e-6);
  }
}

constexpr double pressure_units = 1.6021765e6;  // of LAMMPS's metal units: pressure times volume per energy

/// The box from the origin with these edges, or, if `triclinic`, a tilted box of the same lattice.
Box box_from_origin(const double *edge, bool triclinic = false) {
  Box box = {{0, 0, 0}, {edge[0], edge[1], edge[2]}};
  if (triclinic) box = {{0, 0, 0}, {edge[0], edge[1], edge[2]}, -edge[1], edge[0], edge[0], true};
  return box;
}

/// A thermostat and a barostat of all n atoms in this box, each edge with a target of its own if `anisotropic`.
ThermostatBatch barostat_of(MdEngine &engine, int n, const Box &box, bool anisotropic) {
  ThermostatBatch nose_hoover = nose_hoover_of(engine, n, 1);
  HeldBarostat &held = nose_hoover.barostat;
  held.acts = true;
  held.length = 2;
  held.state.coupling = anisotropic ? PressureCoupling::XY : PressureCoupling::XYZ;
  held.state.deviatoric = anisotropic;
  held.chain_step = {dt, 1, 0.9995};
  held.energy_per_pv = 1 / pressure_units;
  held.mvv2e = mass_to_energy;
  held.kT = boltz * ramp.at(99);
  held.targets.span = ramp.span;
  held.targets.reset_every = 4;
  for (int d = 0; d < 3; ++d) {
    held.state.controls[d] = !anisotropic || d != 1;
    held.state.frequency[d] = 1 / 0.05;
    held.targets.start[d] = 1000.0 * (d + 1);
    held.targets.stop[d] = -5000;
    held.fixed[d] = 0.3 * box.high[d];
  }
  held.start(box);
  set_reference_box(held.state, box);
  couple_to_atoms(held.state, n);
  set_barostat_masses(held.state, n, held.kT);
  set_chain_masses(held.chain(), 1, held.kT, 1 / 0.05);
  return nose_hoover;
}

/// The rows of an array [rows][3], each multiplied by a matrix.
std::vector<double> rows_times(const UpperTriangular &matrix, std::vector<double> rows) {
  for (std::size_t k = 0; k < rows.size(); k += 3) {
    const Vec3<double> row = matrix * Vec3<double>{rows[k], rows[k + 1], rows[k + 2]};
    rows[k] = row.x;
    rows[k + 1] = row.y;
    rows[k + 2] = row.z;
  }
  return rows;
}

/// [images][3] multiples of the edges of `box` by which the images of `atoms` are shifted, and the shifts in another
/// box.
std::vector<double> edges_of(const PeriodicBox &atoms, const Box &box) {
  std::vector<double> edges = rows_times(inverse(box.edges()), atoms.halo.shift);
  for (double &number : edges) number = std::round(number);
  return edges;
}
std::vector<double> shifts_of(const std::vector<double> &edges, const Box &box) {
  return rows_times(box.edges(), edges);
}

/// A box whose edges along some axes change at the end of every second step: x and y grow, z shrinks. If the box is
/// triclinic, its tilts change too.
struct DeformedBox {
  Box start;
  bool deforms[3];

  /// The box after the end of step `step`, counted from 1.
  Box at(int step) const {
    Box box = start;
    for (int d = 0; d < 3; ++d) {
      if (!deforms[d]) continue;
      const double growth = (d == 2 ? -5e-4 : 5e-4) * (step / 2) * start.high[d];
      box.low[d] -= 0.3 * growth;
      box.high[d] += 0.7 * growth;
    }
    if (!box.triclinic) return box;
    box.yz += 3e-4 * (step / 2) * start.high[1];
    box.xz -= 4e-4 * (step / 2) * start.high[0];
    box.xy += 2e-4 * (step / 2) * start.high[0];
    return box;
  }
  /// The path of a batch of n steps after `done` steps.
  BoxPath path(int done, int n) const {
    BoxPath path;
    std::copy_n(deforms, 3, path.deforms);
    for (int k = 0; k < n; ++k) path.add(at(done + k));
    return path;
  }
};

/// Makes the atoms of an engine follow such a box after a step.
void follow(MdEngine &engine, const DeformedBox &box, int step) {
  engine.queue_box_change(change_of_box(box.at(step - 1), box.at(step)));
}

/// Scales and kicks atoms and changes the box by hooks as a barostat in a batch does. `edges`: [images][3] multiples of
/// the edges.
void step_by_hooks(MdEngine &engine, ThermostatBatch &nose_hoover, const std::vector<double> &edges) {
  HeldBarostat &held = nose_hoover.barostat;
  Box halves[] = {held.box, held.box, held.box};
  held.start_chains(OneThread(), nose_hoover.thermostat);
  held.start_step(OneThread(), nose_hoover.thermostat);
  for (int half = 1; half <= 2; ++half)
    for (int d = 0; d < 3; ++d)
      for (int k = 0; k < half; ++k) halves[half].scale_edge(d, held.motion.drift.diagonal(d), held.fixed[d]);
  engine.queue_scale_velocities(1, held.motion.start);
  engine.queue_kick(1, all_atoms.half_kick);
  engine.queue_box_change(change_of_box(halves[0], halves[1]));
  engine.queue_drift(1, all_atoms.drift);
  engine.queue_box_change(change_of_box(halves[1], halves[2]));
  engine.set_shifts(shifts_of(edges, held.box));
  ResultsView results;
  TallyRequest request;
  request.virial = true;
  engine.compute_forces(request, results);
  engine.queue_kick(1, all_atoms.half_kick);
  nose_hoover.thermostat.begin_half_step(nose_hoover.thermostat.step);
  held.begin_last_half_step();
  std::copy_n(results.virial, 3, held.virial);
  nose_hoover.measured = engine.kinetic(1);
  held.end_step(OneThread(), nose_hoover.thermostat, nose_hoover.measured, false);
  engine.queue_scale_velocities(1, held.motion.end);
}

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

/// Attraction and repulsion of some eV/A between atoms of two types, and between members of a group and all other
/// atoms.
PairwiseSetup pair_force(PairRange range, Precision precision) {
  PairwiseSetup setup;
  LennardJonesSettings lj;
  lj.pairs = decltype(lj.pairs)(3);
  for (int i = 1; i <= 3; ++i)
    for (int j = i; j <= 3; ++j) lj.pairs.set(i, j, {0.05 * i * j, 2.2});
  setup.law = lj;
  setup.range = range;
  setup.precision = precision;
  setup.cutoff = range == PairRange::List ? 3.0 : 0;
  setup.n_types = 3;
  return setup;
}

/// The input of such a force for a box. The list is full.
struct PairInput {
  std::vector<std::uint8_t> side;
  PairBox edges;
  PairAtomsView atoms;
  PairListView list;

  PairInput(const PeriodicBox &box, PairRange range) {
    const bool all = range == PairRange::All;
    edges.xx = box.edge[0];
    edges.yy = box.edge[1];
    edges.zz = box.edge[2];
    atoms.n = all ? box.n_owned() : box.n_all();
    for (int i = 0; i < atoms.n; ++i) side.push_back(i % 4 == 0 ? 1 : 2);
    atoms.type = box.system.type.data();
    if (all) atoms.side = side.data();
    if (all) atoms.box = &edges;
    list.full = true;
    list.rows = box.list.rows();
  }
  void give_to(PairForce &force, PairRange range) const {
    force.set_atoms(atoms);
    if (range == PairRange::List) force.set_neighbours(list);
  }
};

/// With the potential and, using a table without elements, without it.
TEST_P(Courses, WithPairForcesAreTheSameInBatchesAndByHooks) {
  if (named.ghosts != Ghosts::AllOwn) GTEST_SKIP() << "pair forces on an engine require a single rank";
  for (const PairRange range : {PairRange::All, PairRange::List}) {
    start_two();
    const PairwiseSetup setup = pair_force(range, backend.precision);
    const auto in_batches = batches->make_pair_force(setup), by_hooks = hooks->make_pair_force(setup);
    PairInput(box, range).give_to(*in_batches, range);
    PairInput(other, range).give_to(*by_hooks, range);
    batches->compute_forces({}, results);
    hooks->compute_forces({}, results);
    in_batches->compute({}, results, PairForce::Target::MdEngine);
    by_hooks->compute({}, results, PairForce::Target::MdEngine);
    PairForceBatch joined = {in_batches.get(), {}, {}};
    joined.last.energy = joined.last.virial = true;
    for (const int steps : {1, 7, 12}) {
      StepBatch batch = batch_of(steps);
      batch.pair_forces = {&joined};
      EXPECT_EQ(batches->run_steps(batch).completed, steps);
    }
    for (int s = 0; s < 20; ++s) {
      hooks->queue_kick(1, all_atoms.half_kick);
      hooks->queue_drift(1, all_atoms.drift);
      hooks->compute_forces({}, results);
      by_hooks->compute({}, results, PairForce::Target::MdEngine);
      hooks->queue_kick(1, all_atoms.half_kick);
    }
    expect_the_same();

    // Energy and virial of the last step, and its forces in the caller's array.
    std::vector<double> alone(box.f.size(), 0.0);
    results.force = alone.data();
    by_hooks->compute(joined.last, results, PairForce::Target::Caller);
    const double relative = backend.precision == Precision::Double  ? 1e-10
                            : backend.precision == Precision::Mixed ? 1e-5
                                                                    : 1e-4;  // of the difference of the terms
    EXPECT_NEAR(joined.totals.energy, results.energy, relative * std::abs(results.energy));
    EXPECT_NE(results.energy, 0);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(joined.totals.virial[k], results.virial[k], relative * std::abs(results.virial[0]));
    ResultsView potential;
    hooks->compute_forces({}, potential);
    hooks->sync_host(field_f);
    for (std::size_t k = 0; k < alone.size(); ++k) alone[k] += other.f[k];
    expect_near(alone, box.f, alone.size(), 300 * error, "sum of forces");
  }
}

class Engines : public BackendTest {
 protected:
  static constexpr double edge[3] = {3 * 5.432, 3 * 5.432, 3 * 5.432};
  const Backend &backend = GetParam();
  PeriodicBox box{diamond(silicon_t3(), 3, 0.05), edge, 10};
  std::unique_ptr<MdEngine> engine;

  void start() {
    engine = make_engine(backend, box.system);
    box.send_to(*engine);
    ResultsView results;
    engine->compute_forces({}, results);
  }
};
constexpr double Engines::edge[3];

INSTANTIATE_TEST_SUITE_P(, Engines, testing::ValuesIn(all_backends()), testing::PrintToStringParamName());

/// The first step in which an atom is farther than the limit from its position at the last list build, and in which the
/// rules check displacements.
TEST_P(Engines, StopWhereTheListExpires) {
  const double limit = 0.04;
  for (const auto &[delay, every] : {std::pair(0, 1), std::pair(10, 1), std::pair(0, 4)}) {
    PeriodicBox course(diamond(silicon_t3(), 3, 0.05), edge, 10), mine(diamond(silicon_t3(), 3, 0.05), edge, 10);
    const std::vector<double> held = course.system.x;
    StepBatch batch = batch_of(60);
    batch.list.check = true;
    batch.list.limit = limit;
    batch.list.ago = 3;
    batch.list.delay = delay;
    batch.list.every = every;
    course.compute_forces();
    int expected = 0;
    for (long long ago = 4;; ++ago, ++expected) {
      course.step({all_atoms});
      bool moved = false;
      for (int i = 0; i < course.n_owned(); ++i) {
        double squared = 0;
        for (int k = 3 * i; k < 3 * i + 3; ++k) squared += std::pow(course.system.x[k] - held[k], 2);
        moved = moved || squared > limit * limit;
      }
      if (moved && batch.list.looks_at(ago)) break;
    }
    ASSERT_GT(expected, 0);
    ASSERT_LT(expected, 59);
    const auto steps = make_engine(backend, mine.system);
    mine.send_to(*steps);
    ResultsView results;
    steps->compute_forces({}, results);
    const BatchResult result = steps->run_steps(batch);
    EXPECT_TRUE(result.list_expired);
    EXPECT_EQ(result.completed, expected) << "delay " << delay << " every " << every;
    steps->sync_host(field_x);
    expect_near(mine.system.x, course.system.x, mine.v.size(), course_error(backend.precision), "position");
  }
}

/// Atoms of a periodic box without ghosts, for engines that build their own lists.
struct OwnLists {
  PeriodicBox &box;
  ListBox edges;
  std::vector<int> crossings;

  explicit OwnLists(PeriodicBox &of) : box(of), crossings(of.v.size(), 0) {
    for (int d = 0; d < 3; ++d) edges.edge[d][d] = box.edge[d];
    edges.cutoff = box.system.table.cutoff() + box.skin;
  }
  void send_to(MdEngine &engine) {
    AtomArrays arrays = box.arrays();
    arrays.n_ghosts = 0;
    arrays.crossings = crossings.data();
    NeighborListView none;
    none.cutoff = edges.cutoff;
    HaloPlan no_ghosts;
    no_ghosts.shift = {0, 0, 0};
    engine.set_atoms(arrays, none, no_ghosts);
  }
  StepBatch batch(long long steps, long long own_until) const {
    StepBatch batch = batch_of(steps);
    batch.list.check = true;
    batch.list.limit = 0.5 * box.skin;
    batch.list.box = &edges;
    batch.list.own_until = own_until;
    return batch;
  }
  /// Returns unwrapped positions.
  std::vector<double> unwrapped() const {
    std::vector<double> x(box.system.x.begin(), box.system.x.begin() + crossings.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      for (int d = 0; d < 3; ++d) x[k] -= crossings[k - k % 3 + d] * edges.edge[d][k % 3];
    return x;
  }
};

/// Atoms at the faces of the box, most of which leave the box.
class StepsWithOwnLists : public BackendTest {
 protected:
  static constexpr double edge[3] = {3 * 5.432, 3 * 5.432, 3 * 5.432}, speed = 30;
  const Backend &backend = GetParam();
  PeriodicBox box{diamond(silicon_t3(), 3, 0.05), edge, speed, Ghosts::AllOwn, 0.3};
  PeriodicBox course{diamond(silicon_t3(), 3, 0.05), edge, speed, Ghosts::AllOwn, 4};
  OwnLists own{box};
  std::unique_ptr<MdEngine> engine;

  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped()) return;
    engine = make_engine(backend, box.system);
    if (!engine->makes_lists(own.edges, box.n_owned())) {
      EXPECT_NE(backend.location, Backend::Cuda);
      GTEST_SKIP() << "on the host, LAMMPS builds the lists";
    }
    own.send_to(*engine);
  }
  void expect_lists_in_deformed_box(bool triclinic);
};
constexpr double StepsWithOwnLists::edge[3];
INSTANTIATE_TEST_SUITE_P(, StepsWithOwnLists, testing::ValuesIn(all_backends()), testing::PrintToStringParamName());

TEST_P(StepsWithOwnLists, FollowVelocityVerlet) {
  ASSERT_TRUE(engine->make_list(own.edges));
  EXPECT_TRUE(engine->crossed());
  ResultsView results;
  engine->compute_forces({}, results);
  course.compute_forces();
  for (const int steps : {40, 1, 19}) {
    const BatchResult result = engine->run_steps(own.batch(steps, steps));
    EXPECT_EQ(result.completed, steps);
    EXPECT_FALSE(result.list_expired);
    EXPECT_LE(result.last_list, steps);
    EXPECT_GE(result.lists, steps / 10);
    for (int s = 0; s < steps; ++s) course.step({all_atoms});
  }
  engine->sync_host(field_state);
  EXPECT_FALSE(engine->crossed());
  const double error = course_error(backend.precision);
  expect_near(own.unwrapped(), course.system.x, box.v.size(), 3 * error, "position");
  expect_near(box.v, course.v, box.v.size(), 300 * error, "velocity");
  expect_near(box.f, course.f, box.f.size(), 1000 * error, "force");
  EXPECT_TRUE(std::any_of(own.crossings.begin(), own.crossings.end(), [](int edges) { return edges != 0; }));
}

/// The engine makes its lists in the boxes of the steps in which they expire.
void StepsWithOwnLists::expect_lists_in_deformed_box(bool triclinic) {
  constexpr int steps = 60;
  const DeformedBox deformed = {box_from_origin(edge, triclinic), {true, true, true}};
  own.edges.set_box(deformed.start);
  ASSERT_TRUE(engine->make_list(own.edges));
  ResultsView results;
  engine->compute_forces({}, results);
  ChangingBoxLimit limit;
  limit.start(box.skin);
  limit.note_list(deformed.start);
  limit.fix(deformed.start);
  const BoxPath path = deformed.path(0, steps);
  StepBatch batch = own.batch(steps, steps);
  batch.box_path = &path;
  batch.list.in_changing_box = &limit;
  const BatchResult result = engine->run_steps(batch);
  EXPECT_EQ(result.completed, steps);
  EXPECT_GT(result.lists, 5);
  if (!std::getenv("TRIAD_LISTS")) {
    EXPECT_LT(result.late_lists, result.lists) << "the device has made no list by itself";
  }
  engine->sync_host(field_state);

  PeriodicBox hook_box(diamond(silicon_t3(), 3, 0.05), edge, speed, Ghosts::AllOwn, 0.3);
  OwnLists hook_lists{hook_box};
  const auto hooks = make_engine(backend, hook_box.system);
  hook_lists.edges.set_box(deformed.start);
  hook_lists.send_to(*hooks);
  ASSERT_TRUE(hooks->make_list(hook_lists.edges));
  hooks->compute_forces({}, results);
  for (int step = 0; step < steps; ++step) {
    if (step > 0) follow(*hooks, deformed, step);
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hook_lists.edges.set_box(deformed.at(step));
    ASSERT_TRUE(hooks->make_list(hook_lists.edges));
    hooks->compute_forces({}, results);
    hooks->queue_kick(1, all_atoms.half_kick);
  }
  hooks->sync_host(field_state);
  own.edges.set_box(deformed.at(steps - 1));
  const double error = course_error(backend.precision);
  expect_near(own.unwrapped(), hook_lists.unwrapped(), box.v.size(), 10 * error, "position");
  expect_near(box.v, hook_box.v, box.v.size(), 1000 * error, "velocity");
}

TEST_P(StepsWithOwnLists, FollowADeformedBox) { expect_lists_in_deformed_box(false); }
TEST_P(StepsWithOwnLists, FollowADeformedTiltedBox) { expect_lists_in_deformed_box(true); }

TEST_P(StepsWithOwnLists, LeaveLaterListsToTheCaller) {
  ASSERT_TRUE(engine->make_list(own.edges));
  ResultsView results;
  engine->compute_forces({}, results);
  const BatchResult result = engine->run_steps(own.batch(60, 20));
  EXPECT_TRUE(result.list_expired);
  EXPECT_GT(result.lists, 0);
  EXPECT_LE(result.last_list, 20);
  EXPECT_GE(result.completed, 20);
}

TEST_P(StepsWithOwnLists, LeaveAtomsBeyondOpenFacesToTheCaller) {
  own.edges.periodic[2] = false;
  EXPECT_FALSE(engine->make_list(own.edges));
  EXPECT_FALSE(engine->crossed());
  const std::vector<double> before = box.system.x;
  engine->sync_host(field_x);
  expect_near(box.system.x, before, box.v.size(), 1e-6, "position");
}

/// A box that has become narrow has more images than an entry can name.
TEST_P(StepsWithOwnLists, LeaveNarrowBoxesToTheCaller) {
  ASSERT_TRUE(engine->make_list(own.edges));
  for (int d = 0; d < 2; ++d) own.edges.edge[d][d] = 0.4 * own.edges.cutoff;
  EXPECT_FALSE(engine->make_list(own.edges));
}

TEST_P(StepsWithOwnLists, CountTheStepsInWhichListsAreAllowed) {
  ASSERT_TRUE(engine->make_list(own.edges));
  ResultsView results;
  engine->compute_forces({}, results);
  StepBatch batch = own.batch(40, 40);
  batch.list.limit = 0;  // expired whenever a check is allowed
  batch.list.every = 5;
  batch.list.delay = 10;
  batch.list.ago = 3;
  const BatchResult result = engine->run_steps(batch);
  EXPECT_EQ(result.completed, 40);
  EXPECT_EQ(result.lists, 4);  // in steps 7, 17, 27 and 37
  EXPECT_EQ(result.last_list, 37);
  EXPECT_EQ(result.dangerous_lists, 4);
}

/// Lists that the device makes within steps are those of the host, and are made in the same steps: in crystals of
/// random displacements, in orthogonal and tilted boxes, and where the atoms approach each other until rows do not fit
/// their table. With atomic reductions, since the host makes the lists of rows of four that are gathered.
TEST_P(StepsWithOwnLists, AreTheSameWhereverListsAreMade) {
  if (std::getenv("TRIAD_LISTS") || std::getenv("TRIAD_REDUCTION"))
    GTEST_SKIP() << "the environment chooses where lists are made, or the reduction";
  constexpr int steps = 80;
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    SCOPED_TRACE(seed);
    const bool tilted = seed % 2 == 0, implodes = seed > 4;
    struct Course {
      PeriodicBox box;
      OwnLists own;
      BatchResult result;
      explicit Course(unsigned seed) : box(diamond(silicon_t3(), 3, 0.05), edge, 0, Ghosts::AllOwn, 0.3), own(box) {
        Random random(seed);
        const bool implodes = seed > 4;
        for (int i = 0; i < box.n_owned(); ++i)
          for (int d = 0; d < 3; ++d) {
            box.system.x[3 * i + d] += random(-0.05, 0.05);
            box.v[3 * i + d] = random(-20, 20) + (implodes ? -4 * (box.system.x[3 * i + d] - 0.5 * edge[d]) : 0);
          }
        if (seed % 2 == 0) own.edges.edge[1][0] = 5.432;
      }
    };
    Course by_host(seed), by_device(seed);
    for (Course *course : {&by_host, &by_device}) {
      if (course == &by_host) setenv("TRIAD_LISTS", "host", 1);
      setenv("TRIAD_REDUCTION", "atomic", 1);
      const auto maker = make_engine(backend, course->box.system);
      course->own.send_to(*maker);
      ASSERT_TRUE(maker->make_list(course->own.edges));
      ResultsView results;
      maker->compute_forces({}, results);
      maker->run_steps(course->own.batch(steps / 2, steps / 2));
      course->result = maker->run_steps(course->own.batch(steps, steps));
      maker->sync_host(field_state);
      unsetenv("TRIAD_LISTS");
      unsetenv("TRIAD_REDUCTION");
    }
    const BatchResult &host = by_host.result, &device = by_device.result;
    EXPECT_EQ(device.completed, steps);
    EXPECT_EQ(host.late_lists, host.lists);
    EXPECT_LE(device.late_lists, device.lists / 2 + (implodes ? 2 : 0));
    if (tilted) {
      EXPECT_NE(by_device.own.edges.edge[1][0], 0);
    }
    if (backend.precision == Precision::Mixed) {
      EXPECT_EQ(device.lists, host.lists);
      EXPECT_EQ(device.last_list, host.last_list);
      EXPECT_EQ(device.dangerous_lists, host.dangerous_lists);
    }
    const double error = 100 * course_error(backend.precision);
    expect_near(by_device.own.unwrapped(), by_host.own.unwrapped(), by_host.box.v.size(), error, "position");
  }
}

TEST_P(Engines, GiveBackTheFieldsThatTheyWereGiven) {
  start();
  box.f.assign(box.f.size(), 0.25);
  engine->sync_engine(field_f);
  const auto x = box.system.x, v = box.v, f = box.f;
  box.v.assign(v.size(), 0);
  box.f.assign(f.size(), 0);
  engine->sync_host(field_state);
  expect_near(box.system.x, x, v.size(), 4e-9, "position");
  expect_near(box.v, v, v.size(), 1e-6, "velocity");
  expect_near(box.f, f, f.size(), 1e-9, "force");
}

/// Reading the position of an atom does not change it, as long as the atom stays within half a range of its last read
/// position.
TEST_P(Engines, CarryPositionsOverManyCopies) {
  PeriodicBox other(diamond(silicon_t3(), 3, 0.05), edge, 10);
  start();
  const auto unread = make_engine(backend, other.system);
  other.send_to(*unread);
  for (MdEngine *s : {engine.get(), unread.get()}) {
    for (int k = 0; k < 200; ++k) {
      s->queue_drift(1, 0.003);
      if (s == engine.get()) s->sync_host(field_x);
    }
    s->sync_host(field_x);
  }
  expect_near(box.system.x, other.system.x, box.v.size(), 1e-9, "position");
}

TEST_P(Engines, MoveGroupsAndMassesOfTheirOwn) {
  PeriodicBox course(diamond(silicon_t3(), 3, 0.05), edge, 10);
  for (int i = 0; i < box.n_owned(); ++i) box.rmass.push_back(20 + i % 7);
  course.rmass = box.rmass;
  const std::vector<VerletGroup> groups = {{2, all_atoms.half_kick, all_atoms.drift}};  // a third of the atoms
  start();
  StepBatch batch = batch_of(20);
  batch.groups = groups;
  engine->run_steps(batch);
  engine->sync_host(field_state);
  course.compute_forces();
  for (int s = 0; s < 20; ++s) course.step(groups);
  expect_near(box.system.x, course.system.x, box.v.size(), course_error(backend.precision), "position");
  expect_near(box.v, course.v, box.v.size(), 100 * course_error(backend.precision), "velocity");
}

TEST_P(Engines, SumKineticEnergyAndMomentum) {
  start();
  KineticSums expected;
  for (int i = 0; i < box.n_owned(); ++i) {
    if (!(box.mask[i] & 2)) continue;
    const double m = box.mass_of(i), *v = box.v.data() + 3 * i;
    const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k) expected.mvv[k] += m * v[axes[k][0]] * v[axes[k][1]];
    for (int k = 0; k < 3; ++k) expected.mv[k] += m * v[k];
    expected.mass += m;
  }
  const KineticSums sums = engine->kinetic(2);
  const double error = 1e-6 * expected.mvv[0];
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(sums.mvv[k], expected.mvv[k], error);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(sums.mv[k], expected.mv[k], error);
  EXPECT_NEAR(sums.mass, expected.mass, 1e-9 * expected.mass);
}

/// The slabs of a box of three cells, and of a part of the box in a tilted direction without periods.
TEST_P(Engines, SumInSlabs) {
  for (int i = 0; i < box.n_owned(); ++i) box.rmass.push_back(20 + i % 7);
  start();
  Slabs cells;
  cells.high = edge[2];
  cells.width = edge[2] / 7;
  cells.count = 7;
  Slabs tilted = cells;
  tilted.weight[0] = 0.3;
  tilted.origin[2] = 1;
  tilted.periodic = false;
  tilted.first = 4;
  tilted.count = 1000;
  tilted.width = 0.008;
  for (const Slabs &slabs : {cells, tilted}) {
    std::vector<SlabSums> expected(slabs.count);
    for (int i = 0; i < box.n_owned(); ++i)
      if (box.mask[i] & 2) expected[slabs.of(&box.system.x[3 * i])].add(box.mass_of(i), &box.v[3 * i]);
    std::vector<SlabSums> sums = engine->sum_slabs(2, slabs);
    ASSERT_EQ(sums.size(), expected.size());
    double most = 0;
    for (SlabSums &slab : expected) most = std::max(most, slab.mvv);
    for (int s = 0; s < slabs.count; ++s) {
      ASSERT_EQ(sums[s].count, expected[s].count) << "slab " << s;
      ASSERT_NEAR(sums[s].mass, expected[s].mass, 1e-9);
      ASSERT_NEAR(sums[s].mvv, expected[s].mvv, 1e-6 * most);
    }
  }
}

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

TEST_P(Engines, FindTheLongestStep) {
  for (int i = 0; i < box.n_owned(); ++i) box.rmass.push_back(20 + i % 7);
  start();
  engine->sync_host(field_state);
  // the velocity, the force, or the work decides
  for (const StepLimits &limits :
       {StepLimits{0.01, 0, conversion, mass_to_energy}, StepLimits{1e-6, 0, conversion, mass_to_energy},
        StepLimits{1, 1e-3, conversion, mass_to_energy}}) {
    double expected = StepLimits::none;
    for (int i = 0; i < box.n_owned(); ++i)
      if (box.mask[i] & 2) expected = std::min(expected, limits.step_of(box.mass_of(i), &box.v[3 * i], &box.f[3 * i]));
    EXPECT_NEAR(engine->longest_step(2, limits), expected, 1e-5 * expected);
    EXPECT_LT(expected, 1);
  }
}

/// In a block of the periodic box the energy grows by the heat, the momentum stays, and each atom moves as the formula
/// says.
TEST_P(Engines, ExchangeHeat) {
  for (int i = 0; i < box.n_owned(); ++i) box.rmass.push_back(20 + i % 7);
  start();
  engine->sync_host(field_state);
  BlockRegion block;
  block.everywhere = false;
  for (int d = 0; d < 3; ++d) {
    block.high[d] = edge[d] * (d == 0 ? 0.4 : 1);
    block.wraps[d] = true;
    block.box_high[d] = edge[d];
  }
  const auto sum_of = [&](const PeriodicBox &of, const std::vector<double> &where) {
    ExchangeSums sums;
    for (int i = 0; i < of.n_owned(); ++i)
      if ((of.mask[i] & 2) && block.contains(&where[3 * i])) sums.add(of.mass_of(i), &of.v[3 * i], &of.f[3 * i]);
    return sums;
  };
  const auto x = box.system.x, v = box.v, f = box.f;
  ExchangeSums expected = sum_of(box, x), sums = engine->sum_exchange(2, block);
  double scale = 0;
  for (const double u : v) scale += 30 * std::fabs(u);
  for (int k = 0; k < ExchangeSums::size; ++k) ASSERT_NEAR(sums[k], expected[k], 2e-6 * scale) << "sum " << k;
  const double heat = 0.1 * expected.mvv;
  const HeatExchange exchange = heat_exchange(expected, heat, 0.05, conversion);
  engine->exchange_heat(2, block, exchange);
  engine->sync_host(field_x | field_v);
  double farthest = 0;
  for (int i = 0; i < box.n_owned(); ++i)
    for (int d = 0; d < 3; ++d) {
      const int k = 3 * i + d;
      const bool changes = (box.mask[i] & 2) && block.contains(&x[3 * i]);
      const double by = changes ? exchange.displacement(d, box.mass_of(i), v[k], f[k]) : 0;
      farthest = std::max(farthest, std::fabs(by));
      ASSERT_NEAR(box.system.x[k], x[k] + by, 1e-7);
      ASSERT_NEAR(box.v[k], changes ? exchange.velocity(d, v[k]) : v[k], 2e-5);
    }
  EXPECT_GT(farthest, 1e-3);
  ExchangeSums after = sum_of(box, x);
  EXPECT_NEAR(after.mvv, expected.mvv + 2 * heat, 1e-6 * expected.mvv);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.mv[d], expected.mv[d], 1e-6 * scale);
}

/// A change by which distances from a fixed point grow by a factor along each axis.
BoxChange growth_about(const double *fixed, const double *factor) {
  BoxChange change;
  change.growth = {factor[0] - 1, factor[1] - 1, factor[2] - 1, 0, 0, 0};
  change.set_offset(fixed, fixed);
  return change;
}

TEST_P(Engines, ScaleAndDisplace) {
  start();
  const auto x = box.system.x, v = box.v;
  const double factor[3] = {0.5, 2, 1.5}, difference[3] = {1, -2, 3}, fixed[3] = {1, 2, 3};
  const double growth[3] = {1.01, 0.99, 1.02};
  engine->queue_scale_velocities(2, factor);
  engine->add_velocity(1, difference);
  for (int k = 0; k < 3; ++k) engine->queue_box_change(growth_about(fixed, growth));
  engine->sync_host(field_x | field_v);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const int axis = static_cast<int>(k % 3);
    const double scaled = v[k] * (box.mask[k / 3] & 2 ? factor[axis] : 1) + difference[axis];
    ASSERT_NEAR(box.v[k], scaled, 1e-5);
    ASSERT_NEAR(box.system.x[k], fixed[axis] + (x[k] - fixed[axis]) * std::pow(growth[axis], 3), 1e-8);
  }
}

/// The engine may combine operations but not reorder them; sums and checks refer to the operations before.
TEST_P(Engines, KeepTheOrderOfOperations) {
  start();
  for (std::size_t k = 0; k < box.f.size(); ++k) box.f[k] = std::sin(0.7 * k);
  engine->sync_engine(field_f);
  std::vector<double> x = box.system.x, v = box.v;
  const double slow[3] = {0.9, 0.8, 1.1}, fast[3] = {1.2, 1.0, 0.7}, difference[3] = {1, -2, 3};
  const auto each = [&](int bit, auto &&change) {
    for (std::size_t k = 0; k < v.size(); ++k)
      if (box.mask[k / 3] & bit) change(k);
  };
  const auto scale = [&](int bit, const double *factor) {
    engine->queue_scale_velocities(bit, factor);
    each(bit, [&](std::size_t k) { v[k] *= factor[k % 3]; });
  };
  const auto kick = [&](int bit, double half_kick) {
    engine->queue_kick(bit, half_kick);
    each(bit, [&](std::size_t k) { v[k] += half_kick / box.mass_of(static_cast<int>(k / 3)) * box.f[k]; });
  };
  const auto drift = [&](int bit, double time) {
    engine->queue_drift(bit, time);
    each(bit, [&](std::size_t k) { x[k] += time * v[k]; });
  };
  const auto expect_sums = [&](int bit) {
    double expected = 0;
    each(bit, [&](std::size_t k) { expected += box.mass_of(static_cast<int>(k / 3)) * v[k] * v[k]; });
    const KineticSums sums = engine->kinetic(bit);
    EXPECT_NEAR(sums.mvv[0] + sums.mvv[1] + sums.mvv[2], expected, 1e-6 * expected);
  };
  scale(1, slow);
  scale(2, fast);
  kick(2, 30);
  kick(2, 10);
  expect_sums(1);
  drift(2, 0.002);
  drift(1, 0.001);
  kick(1, 20);
  scale(1, fast);
  scale(1, slow);
  expect_sums(2);
  scale(2, slow);
  kick(1, 20);
  drift(1, 0.003);
  expect_sums(1);
  engine->add_velocity(1, difference);
  each(1, [&](std::size_t k) { v[k] += difference[k % 3]; });
  expect_sums(1);
  const double fixed[3] = {1, 2, 3}, growth[3] = {1.001, 0.999, 1.002};
  const auto dilate = [&] {
    engine->queue_box_change(growth_about(fixed, growth));
    each(1, [&](std::size_t k) { x[k] = fixed[k % 3] + (x[k] - fixed[k % 3]) * growth[k % 3]; });
  };
  // A step with a barostat.
  kick(1, 20);
  scale(1, slow);
  expect_sums(1);
  expect_sums(2);
  scale(1, fast);
  scale(1, slow);
  expect_sums(1);
  kick(1, 20);
  dilate();
  drift(1, 0.001);
  dilate();
  // Operations that cannot be combined.
  dilate();
  dilate();
  scale(1, slow);
  drift(2, 0.001);
  dilate();
  kick(2, 10);
  scale(2, fast);
  kick(2, 10);
  expect_sums(2);
  drift(1, 0.001);
  double largest = 0;
  for (int i = 0; i < box.n_owned(); ++i) {
    double squared = 0;
    for (int k = 3 * i; k < 3 * i + 3; ++k) squared += std::pow(x[k] - box.system.x[k], 2);
    largest = std::max(largest, std::sqrt(squared));
  }
  EXPECT_TRUE(engine->moved(0.99 * largest));
  EXPECT_FALSE(engine->moved(1.01 * largest));
  kick(1, 5);
  engine->sync_host(field_x | field_v);
  expect_near(box.system.x, x, v.size(), 1e-6, "position");
  expect_near(box.v, v, v.size(), 1e-4, "velocity");
}

/// Forces after queued operations belong to the positions that result from these operations.
TEST_P(Engines, ForcesFollowOperations) {
  start();
  engine->queue_kick(1, 40);
  engine->queue_drift(1, 0.02);
  EXPECT_TRUE(engine->moved(0.05));
  ResultsView results;
  engine->compute_forces({}, results);
  engine->sync_host(field_state);
  const std::vector<double> found = box.f;
  box.compute_forces();
  expect_near(found, box.f, found.size(), backend.precision == Precision::Double ? 1e-8 : 2e-4, "force");
}

/// Runs over many pruned lists, which a device rebuilds in advance once it knows their lifetime.
TEST_P(Engines, ConserveEnergy) {
  start();
  const auto energy = [&] {
    StepBatch batch = batch_of(1);
    batch.last.energy = true;
    const double potential = engine->run_steps(batch).totals.energy;
    return potential +
           0.5 * 1.0364269e-4 * (engine->kinetic(1).mvv[0] + engine->kinetic(1).mvv[1] + engine->kinetic(1).mvv[2]);
  };
  const double before = energy();
  long long lists = 0;
  for (const int steps : {150, 150, 200}) {
    const BatchResult result = engine->run_steps(batch_of(steps));
    lists += result.pruned_lists + result.late_pruned_lists;
  }
  EXPECT_NEAR(energy(), before, 2e-4 * box.n_owned());
  if (backend.location == Backend::Cuda) {
    EXPECT_GT(lists, 3);
  }
}

/// Independent copies of a crystal: so many atoms that a device cannot process all of them at once, that blocks which
/// gather forces start between those that compute them, and that the host has several chunks. On a device, other
/// kernels make the steps of small systems.
struct ManyCopies : PeriodicCopies {
  ManyCopies(const Backend &backend, const PeriodicBox &box)
      : ManyCopies(backend, box, backend.location == Backend::Cuda ? 1000 : 20) {}
  ManyCopies(const Backend &backend, const PeriodicBox &box, int number_of_copies)
      : PeriodicCopies(box, number_of_copies),
        x(all(box.system.x.data())),
        v(owned(box.v.data())),
        f(3 * std::size_t(n)),
        mass(box.mass),
        type(n + copies * ghosts_of_one, 1),
        tag(n),
        engine(make_engine(backend, box.system)) {
    std::iota(tag.begin(), tag.end(), 1);
    for (int c = 0; c < copies; ++c) {
      mask.insert(mask.end(), box.mask.begin(), box.mask.end());
      rmass.insert(rmass.end(), box.rmass.begin(), box.rmass.end());
    }
    AtomArrays atoms = views_of(n, x, v, f, type, mask, tag, mass);
    if (!rmass.empty()) atoms.rmass = rmass.data();
    engine->set_atoms(atoms, list.rows(), halo);
    ResultsView results;
    engine->compute_forces({}, results);
  }

  std::vector<double> x, v, f, mass, rmass;
  std::vector<int> type, mask, tag;
  std::unique_ptr<MdEngine> engine;
};

/// In `mixed`, the kernels for many atoms compute the bits of those for few.
TEST_P(Engines, MoveManyCopiesAsOne) {
  start();
  ManyCopies many(backend, box);
  // In double and mixed the run is long enough for CUDA graphs; in single, rounding errors would grow too much.
  for (const int steps : {25, backend.precision == Precision::Single ? 60 : 300}) {
    engine->run_steps(batch_of(steps));
    many.engine->run_steps(batch_of(steps));
  }
  engine->sync_host(field_x | field_v);
  many.engine->sync_host(field_x | field_v);
  const double three_times_as_many_steps = 10 * course_error(backend.precision);
  const double error = backend.precision == Precision::Mixed ? 0 : three_times_as_many_steps;
  const int n = many.n_of_one;
  for (int c = 0; c < many.copies; ++c)
    for (int k = 0; k < 3 * n; ++k) {
      ASSERT_NEAR(many.x[3 * std::size_t(c) * n + k], box.system.x[k], error) << "copy " << c << " atom " << k / 3;
      ASSERT_NEAR(many.v[3 * std::size_t(c) * n + k], box.v[k], 100 * error) << "copy " << c << " atom " << k / 3;
    }
}

/// The kernel that computes the forces of many atoms also sums their kinetic energy. Two runs have the same bits, and
/// in `mixed` these are the bits of separate kernels, which make the last step of each batch.
TEST_P(Engines, ThermostatManyCopiesAlikeInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host has no such kernels";
  if (backend.precision != Precision::Mixed && std::getenv("TRIAD_REDUCTION"))
    GTEST_SKIP() << "the environment chooses the reduction, on which the bits may depend";
  start();
  const auto course = [&](int n_steps, int steps_of_batch) {
    ManyCopies many(backend, box);
    ThermostatBatch nose_hoover = nose_hoover_of(*many.engine, many.n, 1);
    for (int done = 0; done < n_steps; done += steps_of_batch) {
      StepBatch batch = batch_of(steps_of_batch);
      batch.first_step = 100 + done;
      batch.thermostats = {&nose_hoover};
      EXPECT_EQ(many.engine->run_steps(batch).completed, steps_of_batch);
      const HeldThermostat &held = nose_hoover.thermostat;
      const double measured = temperature_of(many.engine->kinetic(1).mvv, held.per_degree);
      EXPECT_NEAR(held.temperature, measured, 1e-6 * measured);
    }
    many.engine->sync_host(field_x);
    std::vector<double> found(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    found.insert(found.end(), nose_hoover.thermostat.velocity, nose_hoover.thermostat.velocity + 3);
    found.push_back(nose_hoover.thermostat.temperature);
    return found;
  };
  const std::vector<double> in_one = course(20, 20), one_by_one = course(20, 1);
  EXPECT_EQ(in_one, course(20, 20));
  if (backend.precision == Precision::Mixed) {
    EXPECT_EQ(in_one, one_by_one);
    EXPECT_EQ(course(300, 300), course(300, 60)) << "300 steps allow CUDA graphs";
  } else {
    expect_near(in_one, one_by_one, in_one.size() - 4, 3 * course_error(backend.precision), "position");
  }
}

/// Barostats of few and of many atoms, which have kernels of their own. The kernel that computes the forces of many
/// atoms also sums their virial, except in the last step of a batch. Under a high pressure, the box shrinks so fast
/// that images move too far for the pruned list in every few steps, also in steps that renew this list.
TEST_P(Engines, BarostatOfCopiesActsAlikeInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host makes no such batches";
  start();
  const Box box_at_start = box_from_origin(edge);
  long long lists = 0;
  const auto course = [&](int copies, int n_steps, int steps_of_batch, Box &last, double pressure = 0) {
    lists = 0;
    ManyCopies many(backend, box, copies);
    const std::vector<double> edges = rows_times(inverse(box_at_start.edges()), many.halo.shift);
    ThermostatBatch nose_hoover = barostat_of(*many.engine, many.n, box_at_start, true);
    nose_hoover.thermostat.step = 99;
    HeldBarostat &held = nose_hoover.barostat;
    for (double &target : held.targets.start) target += pressure;
    TallyRequest request;
    request.virial = true;
    ResultsView results;
    many.engine->compute_forces(request, results);
    std::copy_n(results.virial, 3, held.virial);
    for (int d = 0; d < 3; ++d) held.kinetic[d] = mass_to_energy * many.engine->kinetic(1).mvv[d];
    for (int done = 0; done < n_steps; done += steps_of_batch) {
      StepBatch batch = batch_of(steps_of_batch);
      batch.first_step = 100 + done;
      batch.thermostats = {&nose_hoover};
      batch.last.virial = true;
      const BatchResult result = many.engine->run_steps(batch);
      EXPECT_EQ(result.completed, steps_of_batch);
      lists += result.pruned_lists + result.late_pruned_lists;
      std::copy_n(result.totals.virial, 3, held.virial);
      many.engine->set_shifts(shifts_of(edges, held.box));
    }
    last = held.box;
    many.engine->sync_host(field_x);
    return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
  };
  for (const int copies : {5, 1000}) {
    Box in_one, again, one_by_one;
    const std::vector<double> found = course(copies, 20, 20, in_one);
    EXPECT_EQ(found, course(copies, 20, 20, again));
    const double error = course_error(backend.precision);
    expect_near(found, course(copies, 20, 1, one_by_one), found.size(), 3 * error, "position");
    const double relative = backend.precision == Precision::Single ? 1e-6 : 1e-10;
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(in_one.high[d], again.high[d]);
      EXPECT_NEAR(in_one.high[d], one_by_one.high[d], relative * edge[d]);
      EXPECT_EQ(in_one.high[d] == box_at_start.high[d], d == 1);
    }
    if (backend.precision != Precision::Mixed) continue;
    const std::vector<double> with_graphs = course(copies, 60, 60, in_one);
    expect_near(with_graphs, course(copies, 60, 20, again), found.size(), 10 * error, "position");
    const std::vector<double> shrunk = course(copies, 60, 60, in_one, 1e6);
    EXPECT_GT(lists, 6) << "images have moved so far that pruned lists expire";
    expect_near(shrunk, course(copies, 60, 20, again, 1e6), found.size(), 10 * error, "position");
    expect_near(shrunk, course(copies, 60, 1, again, 1e6), found.size(), 10 * error, "position");
  }
}

/// The kernel that computes the forces of many atoms also moves them in a box that changes along a path. Other kernels
/// start the first step of a batch and end the last one.
TEST_P(Engines, ManyCopiesFollowADeformedBoxInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host makes no such batches";
  start();
  for (const bool triclinic : {false, true}) {
    const DeformedBox deformed = {box_from_origin(edge, triclinic), {true, true, true}};
    long long lists = 0;
    const auto course = [&](int n_steps, int steps_of_batch) {
      ManyCopies many(backend, box);
      const std::vector<double> edges = rows_times(inverse(deformed.start.edges()), many.halo.shift);
      for (int done = 0; done < n_steps; done += steps_of_batch) {
        if (done > 0) follow(*many.engine, deformed, done);
        many.engine->set_shifts(shifts_of(edges, deformed.at(done)));
        const BoxPath path = deformed.path(done, steps_of_batch);
        StepBatch batch = batch_of(steps_of_batch);
        batch.first_step = 100 + done;
        batch.box_path = &path;
        const BatchResult result = many.engine->run_steps(batch);
        EXPECT_EQ(result.completed, steps_of_batch);
        lists += result.pruned_lists + result.late_pruned_lists;
        many.engine->set_shifts(shifts_of(edges, deformed.at(done + steps_of_batch - 1)));
      }
      many.engine->sync_host(field_x);
      return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    };
    const std::vector<double> found = course(20, 20);
    EXPECT_EQ(found, course(20, 20));
    expect_near(found, course(20, 1), found.size(), 3 * course_error(backend.precision), "position");
    if (backend.precision == Precision::Mixed)
      expect_near(course(60, 60), course(60, 20), found.size(), 10 * course_error(backend.precision), "position");
    EXPECT_GT(lists, 3) << "images have moved so far that pruned lists expire";
  }
}

/// Between removals of the momentum, steps are parts of CUDA graphs, with and without a thermostat.
TEST_P(Engines, RemoveTheMomentumBetweenGraphs) {
  constexpr int steps = 204;
  for (const auto &[copies, thermostat] : {std::pair(1, false), std::pair(1, true), std::pair(1000, false)}) {
    if (copies > 1 && backend.location != Backend::Cuda) continue;
    const auto course = [&, copies = copies, thermostat = thermostat](int steps_of_batch) {
      ManyCopies many(backend, box, copies);
      EndOfStep removal;
      removal.kind = EndOfStep::Kind::MomentumRemoval;
      removal.every = 17;  // after some steps in graphs of 8, one would end where it acts
      removal.along[0] = removal.along[1] = removal.along[2] = true;
      ThermostatBatch csvr = csvr_of(many.n, 1);
      const std::vector<BathNoise> noise = noise_of(many.n, steps);
      for (int done = 0; done < steps; done += steps_of_batch) {
        StepBatch batch = batch_of(steps_of_batch);
        batch.first_step = 1 + done;
        batch.ends = {&removal};
        Rescaling &rescaling = csvr.thermostat.rescaling;
        rescaling.noise = noise.data() + done;
        rescaling.scalings = 0;
        if (thermostat) batch.thermostats = {&csvr};
        EXPECT_EQ(many.engine->run_steps(batch).completed, steps_of_batch);
        EXPECT_EQ(rescaling.scalings, thermostat ? steps_of_batch : 0);
      }
      const KineticSums sums = many.engine->kinetic(1);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(sums.mv[d] / sums.mass, 0, 1e-7) << "the last step has an action";
      many.engine->sync_host(field_x);
      return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    };
    const std::vector<double> found = course(steps);
    expect_near(found, course(4), found.size(), 10 * course_error(backend.precision), "position");
  }
}

/// Actions on few of many atoms in each step, as parts of CUDA graphs, in one kernel whose blocks wait for each other.
/// In short batches, all atoms have several kernels.
TEST_P(Engines, ActOnFewOfManyAtomsInGraphs) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host makes no such batches";
  for (int i = 0; i < box.n_owned(); ++i) box.mask[i] = 1 | (i % 8 == 3 ? 2 : i % 8 == 5 ? 4 : 0);
  constexpr int steps = 60;
  const auto course = [&](int steps_of_batch) {
    ManyCopies many(backend, box, 50);
    EndOfStep exchange, rescale;
    exchange.group_bit = exchange.measured_bit = 2;
    exchange.heat = 10 * dt * conversion;
    exchange.corrected = dt;
    exchange.ftm2v = conversion;
    rescale.kind = EndOfStep::Kind::Rescaling;
    rescale.group_bit = rescale.measured_bit = 4;
    rescale.rescaling.rescaled.approach = 0.1;
    rescale.target = ramp;
    rescale.per_degree = mass_to_energy / (3.0 * many.n / 8 * boltz);
    for (int done = 0; done < steps; done += steps_of_batch) {
      StepBatch batch = batch_of(steps_of_batch);
      batch.first_step = 1 + done;
      batch.ends = {&exchange, &rescale};
      EXPECT_EQ(many.engine->run_steps(batch).completed, steps_of_batch);
      EXPECT_FALSE(exchange.failed || rescale.failed);
    }
    many.engine->sync_host(field_x);
    return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
  };
  const std::vector<double> found = course(steps);
  EXPECT_EQ(found, course(steps));
  expect_near(found, course(4), found.size(), 10 * course_error(backend.precision), "position");
}

/// Atoms with masses of their own, of which a group moves, with the temperature of this group or of all atoms.
TEST_P(Engines, ThermostatAGroupOfManyCopiesAsOnTheHost) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "compares a device with the host";
  Random random(17);
  for (int i = 0; i < box.n_owned(); ++i) box.rmass.push_back(random(20, 40));
  for (const int measured_bit : {2, 1}) {
    const auto course = [&](const Backend &of, bool rescales) {
      ManyCopies many(of, box, 1000);
      const int measured_atoms = measured_bit == 1 ? many.n : many.n / 3;
      ThermostatBatch thermostat =
          rescales ? csvr_of(measured_atoms, 2) : nose_hoover_of(*many.engine, measured_atoms, 2);
      const std::vector<BathNoise> noise = noise_of(measured_atoms, 20);
      if (rescales) thermostat.thermostat.rescaling.noise = noise.data();
      thermostat.measured_bit = measured_bit;
      HeldThermostat &held = thermostat.thermostat;
      held.temperature = temperature_of(many.engine->kinetic(measured_bit).mvv, held.per_degree);
      StepBatch batch = batch_of(20);
      batch.groups[0].group_bit = 2;
      batch.first_step = 100;
      batch.thermostats = {&thermostat};
      EXPECT_EQ(many.engine->run_steps(batch).completed, 20);
      if (measured_bit == thermostat.group_bit) {
        const double measured = temperature_of(many.engine->kinetic(measured_bit).mvv, held.per_degree);
        EXPECT_NEAR(held.temperature, measured, 1e-6 * measured);
      }
      many.engine->sync_host(field_x);
      return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    };
    for (const bool rescales : {false, true}) {
      const std::vector<double> found = course(backend, rescales);
      expect_near(found, course({Backend::Host, Precision::Double, 4}, rescales), found.size(),
                  3 * course_error(backend.precision), "position");
    }
  }
}

/// Number of atoms with more than four neighbours within a distance.
int longer_rows(const PeriodicBox &box, double distance) {
  int longer = 0;
  for (int i = 0; i < box.n_owned(); ++i) {
    int neighbours = 0;
    for (int j = 0; j < box.n_owned(); ++j) {
      double squared = 0;
      for (int k = 0; k < 3; ++k) {
        const double r = box.system.x[3 * i + k] - box.system.x[3 * j + k];
        squared += std::pow(r - box.edge[k] * std::round(r / box.edge[k]), 2);
      }
      neighbours += i != j && squared < distance * distance;
    }
    longer += neighbours > 4;
  }
  return longer;
}

/// In a warm crystal, a few rows have more than four entries. Two runs that gather forces compute the same bits while
/// lists are renewed. In `mixed`, atomic reductions compute these bits too, until steps in graphs renew lists: they do
/// so at other steps, with other roundings.
TEST_P(Engines, MoveWarmCrystalsAlike) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host has no such kernels";
  if (std::getenv("TRIAD_REDUCTION")) GTEST_SKIP() << "the environment chooses the reduction";
  constexpr double width = 5 * 5.432, edges[3] = {width, width, width};
  std::map<int, std::vector<double>> gathered;  // for each number of steps
  for (const char *const reduction : {"auto", "auto", "atomic"}) {
    const bool atomic = std::string(reduction) == "atomic";
    if (atomic && backend.precision != Precision::Mixed) continue;
    PeriodicBox warm(diamond(silicon_t3(), 5, 0.5), edges, 3, Ghosts::AllOwn, 2);
    const double narrowest =
        *std::min_element(std::begin(tuning::narrower_inner_skins), std::end(tuning::narrower_inner_skins));
    const int longer = longer_rows(warm, (1 + narrowest) * warm.system.table.cutoff());
    ASSERT_GT(longer, 0);
    ASSERT_LT(longer, tuning::few_longer_fraction * warm.n_owned());
    setenv("TRIAD_REDUCTION", reduction, 1);
    const auto mover = make_engine(backend, warm.system);
    unsetenv("TRIAD_REDUCTION");
    warm.send_to(*mover);
    ResultsView results;
    mover->compute_forces({}, results);
    for (const int steps : {25, 300}) {
      const BatchResult result = mover->run_steps(batch_of(steps));
      EXPECT_EQ(result.completed, steps);
      EXPECT_GT(result.pruned_lists + result.late_pruned_lists, 0);
      if (steps == 300) {
        EXPECT_LE(4 * result.late_pruned_lists, result.pruned_lists) << "lists expired before steps could renew them";
      }
      mover->sync_host(field_x);
      const std::vector<double> x(warm.system.x.begin(), warm.system.x.begin() + 3 * warm.n_owned());
      const std::vector<double> &expected = gathered.emplace(steps, x).first->second;
      if (atomic && steps == 300) {
        expect_near(x, expected, x.size(), 50 * course_error(backend.precision), "position");
      } else {
        EXPECT_EQ(x, expected) << reduction;
      }
    }
  }
}

/// In a crystal, references of pruned lists become averages, with which lists last longer. No pair is missing then.
TEST_P(Engines, ListsOfACrystalLastLongerWithAverages) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host has no averages";
  constexpr double width = 5 * 5.432, edges[3] = {width, width, width};
  PeriodicBox crystal(diamond(silicon_t3(), 5, 0.18), edges, 3, Ghosts::AllOwn, 2);  // some 300 K
  const auto mover = make_engine(backend, crystal.system);
  crystal.send_to(*mover);
  ResultsView results;
  mover->compute_forces({}, results);
  /// Makes steps and returns the number of lists.
  const auto lists_of = [&](int steps) {
    const BatchResult result = mover->run_steps(batch_of(steps));
    mover->sync_host(field_state);
    const std::vector<double> found = crystal.f;
    crystal.compute_forces();
    expect_near(found, crystal.f, found.size(), backend.precision == Precision::Double ? 1e-8 : 2e-4, "force");
    return static_cast<int>(result.pruned_lists + result.late_pruned_lists);
  };
  int lists = 0, steps = 0;
  for (; lists < 4; steps += 20) {  // averages are not tried yet
    ASSERT_LT(steps, 1000);
    lists += lists_of(20);
  }
  const double life_without = double(steps) / lists;
  for (int k = 0; k < 10; ++k) lists_of(300);
  int lists_with = 0;
  for (int k = 0; k < 10; ++k) lists_with += lists_of(300);
  EXPECT_LT(lists_with, 0.5 * 3000 / life_without);
}

/// Forces, thermostat and motion in one kernel give the bits that they give in several kernels, which make the last
/// step of each batch. A chain of two thermostats takes the general loops.
TEST_P(Engines, ThermostatCrystalsAlikeInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda || backend.precision != Precision::Mixed) GTEST_SKIP() << "bits may differ";
  constexpr double width = 5 * 5.432, edges[3] = {width, width, width};
  for (const double temperature : {300.0, 1000.0})
    for (const int length : {3, 2}) {
      std::vector<double> in_one;
      for (const int steps : {300, 100, 1}) {
        PeriodicBox crystal(diamond(silicon_t3(), 5, 0.02), edges, 3, Ghosts::AllOwn, 2);
        const auto mover = make_engine(backend, crystal.system);
        crystal.send_to(*mover);
        ResultsView results;
        mover->compute_forces({}, results);
        ThermostatBatch nose_hoover = nose_hoover_of(*mover, crystal.n_owned(), 1);
        nose_hoover.thermostat.length = length;
        nose_hoover.thermostat.target = {temperature, temperature, {}};
        for (int done = 0; done < 300; done += steps) {
          StepBatch batch = batch_of(steps);
          batch.first_step = 100 + done;
          batch.thermostats = {&nose_hoover};
          ASSERT_EQ(mover->run_steps(batch).completed, steps);
        }
        mover->sync_host(field_x);
        std::vector<double> found(crystal.system.x.begin(), crystal.system.x.begin() + 3 * crystal.n_owned());
        found.insert(found.end(), nose_hoover.thermostat.velocity, nose_hoover.thermostat.velocity + length);
        found.insert(found.end(), nose_hoover.measured.mvv, nose_hoover.measured.mvv + 6);
        found.push_back(nose_hoover.thermostat.temperature);
        if (in_one.empty()) in_one = found;
        for (std::size_t k = 0; k < found.size(); ++k)
          ASSERT_EQ(found[k], in_one[k]) << temperature << " K, batches of " << steps << ", number " << k;
      }
    }
}

/// Without a potential, forces are pair forces alone, added after each computation.
TEST_P(Engines, WithoutAPotentialStartFromNoForces) {
  System no_potential = box.system;
  no_potential.table = TersoffTable();
  std::fill(no_potential.type_to_element.begin(), no_potential.type_to_element.end(), -1);
  const auto alone = make_engine(backend, no_potential);
  std::fill(box.f.begin(), box.f.end(), 7.0);
  box.send_to(*alone);
  ResultsView results;
  alone->compute_forces({}, results);
  alone->sync_host(field_f);
  EXPECT_EQ(box.f, std::vector<double>(box.f.size(), 0.0));
}

TEST_P(Engines, SayWhenAnAtomMovesMuchTooFar) {
  start();
  box.v[31] = std::numeric_limits<double>::quiet_NaN();
  engine->sync_engine(field_v);
  for (const int steps : {5, 50}) {
    StepBatch batch = batch_of(steps);
    batch.list.check = true;
    batch.list.limit = 0.5 * box.skin;
    if (backend.location == Backend::Cuda) {
      EXPECT_THROW(engine->run_steps(batch), LoopError);
      start();
      box.v[31] = std::numeric_limits<double>::quiet_NaN();
      engine->sync_engine(field_v);
    } else {
      EXPECT_TRUE(engine->run_steps(batch).list_expired);  // the caller then finds the position
    }
  }
}

TEST_P(Engines, SayWhenAnAtomDriftsMuchTooFar) {
  start();
  box.v[31] = 1e9;
  engine->sync_engine(field_v);
  engine->queue_drift(1, dt);
  if (backend.location == Backend::Cuda) {
    EXPECT_THROW(engine->moved(0.1), LoopError);
  } else {
    EXPECT_TRUE(engine->moved(0.1));  // the caller then finds the position
  }
}

}  // namespace
}  // namespace triad
