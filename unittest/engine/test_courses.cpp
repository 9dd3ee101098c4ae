// Steps in batches are those of velocity Verlet in fp64 and of the hooks of fixes: changes of forces, actions at the
// end of steps, walls, and pair forces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {

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

namespace {

INSTANTIATE_TEST_SUITE_P(, Courses, testing::Combine(testing::ValuesIn(all_backends()), testing::ValuesIn(boxes())),
                         [](const auto &info) {
                           return testing::PrintToString(std::get<0>(info.param)) +
                                  testing::PrintToString(std::get<1>(info.param));
                         });

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

/// An exchange of heat with a block, a thermostat that acts in each third step, an exchange with all atoms, and a
/// removal of the momentum in each fourth step.
TEST_P(Courses, WithEndsOfStepsAreTheSameInBatchesAndByHooks) {
  if (named.ghosts != Ghosts::AllOwn) GTEST_SKIP() << "actions at the end of steps require a single rank";
  start_two();
  const double n = box.v.size() / 3.0;
  EndOfStep exchange = exchange_of(2, 2), rescale, second, removal;
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
    EndOfStep exchange = exchange_of(4, 0.2), rescale = berendsen_of(thermostatted, 8);
    rescale.every = 2;
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
  EndOfStep exchange = exchange_of(4, 0.2);
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

/// Two atoms at one point end a computation. The next one, with valid positions, gives what it would give without.
TEST_P(Courses, ForgetPairForcesOfAnError) {
  if (named.ghosts != Ghosts::AllOwn) GTEST_SKIP() << "pair forces on an engine require a single rank";
  batches = make_engine(backend, box.system);
  box.send_to(*batches);
  const auto force = batches->make_pair_force(pair_force(PairRange::List, backend.precision));
  PairInput(box, PairRange::List).give_to(*force, PairRange::List);
  TallyRequest energy;
  energy.energy = true;
  const auto forces = [&] {
    std::vector<double> sum(box.f.size(), 0.0);
    results.force = sum.data();
    force->compute(energy, results, PairForce::Target::Caller);
    return sum;
  };
  const std::vector<double> before = forces();
  const std::vector<double> x = box.system.x;
  const NeighborListView rows = box.list.rows();
  std::copy_n(x.begin() + 3 * (rows.first(0)[0] & rows.mask), 3, box.system.x.begin());
  batches->sync_engine(field_x);
  EXPECT_THROW(forces(), LoopError);
  std::copy(x.begin(), x.end(), box.system.x.begin());
  batches->sync_engine(field_x);
  expect_near(forces(), before, before.size(), 300 * error, "pair force");
}

}  // namespace
}  // namespace triad
