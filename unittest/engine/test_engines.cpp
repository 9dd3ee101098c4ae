// Functions of every engine, and how errors are told.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {
namespace {

INSTANTIATE_TEST_SUITE_P(, Engines, testing::ValuesIn(all_backends()), testing::PrintToStringParamName());

/// An engine that has computed the forces of a box.
std::unique_ptr<MdEngine> engine_with_forces(const Backend &backend, PeriodicBox &box) {
  auto engine = make_engine(backend, box.system);
  box.send_to(*engine);
  ResultsView results;
  engine->compute_forces({}, results);
  return engine;
}

/// 60 steps whose list is `ago` steps old and expires beyond `limit`.
StepBatch checked_batch(double limit, int ago, int delay, int every) {
  StepBatch batch = batch_of(60);
  batch.list.check = true;
  batch.list.limit = limit;
  batch.list.ago = ago;
  batch.list.delay = delay;
  batch.list.every = every;
  return batch;
}

/// The first step in which an atom is farther than the limit from its position at the last list build, and in which the
/// rules check displacements.
TEST_P(Engines, StopWhereTheListExpires) {
  const double limit = 0.04;
  for (const auto &[delay, every] : {std::pair(0, 1), std::pair(10, 1), std::pair(0, 4)}) {
    PeriodicBox course(diamond(silicon_t3(), 3, 0.05), edge, 10), mine(diamond(silicon_t3(), 3, 0.05), edge, 10);
    const std::vector<double> held = course.system.x;
    const StepBatch batch = checked_batch(limit, 3, delay, every);
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
    const auto steps = engine_with_forces(backend, mine);
    const BatchResult result = steps->run_steps(batch);
    EXPECT_TRUE(result.list_expired);
    EXPECT_EQ(result.completed, expected) << "delay " << delay << " every " << every;
    steps->sync_host(field_x);
    expect_near(mine.system.x, course.system.x, mine.v.size(), course_error(backend.precision), "position");
  }
}

/// One atom flies through a cold crystal and is several limits away when the rules look first: where coarse positions
/// have repeated, for one of the speeds.
TEST_P(Engines, StopForAFastAtomBetweenLooks) {
  const double limit = 0.04;
  for (const auto &[delay, every] : {std::pair(10, 1), std::pair(0, 10)})
    for (const double limits_per_step : {0.4, 0.5, 0.6, 0.7, 0.8}) {
      PeriodicBox mine(diamond(silicon_t3(), 3, 0.0), edge, 10);
      std::fill(mine.v.begin(), mine.v.end(), 0.0);
      mine.v[0] = limits_per_step * limit / all_atoms.drift;
      const StepBatch batch = checked_batch(limit, 0, delay, every);
      const auto steps = engine_with_forces(backend, mine);
      const BatchResult result = steps->run_steps(batch);
      EXPECT_TRUE(result.list_expired);
      EXPECT_EQ(result.completed, 9) << "delay " << delay << " every " << every << " speed " << limits_per_step;
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
