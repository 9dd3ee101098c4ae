// Neighbour lists that an engine makes by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/changing_boxes.h"

namespace triad {
namespace {

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

/// Atoms approach each other, while forces are gathered, until rows of five to eight entries get more. The forces are
/// those of a new engine.
TEST_P(StepsWithOwnLists, FollowRowsThatOutgrowTheirTable) {
  Random random(7);
  for (int i = 0; i < box.n_owned(); ++i)
    for (int d = 0; d < 3; ++d) box.v[3 * i + d] = random(-20, 20) - 4 * (box.system.x[3 * i + d] - 0.5 * edge[d]);
  ResultsView results;
  const auto gathering = [&] {
    setenv("TRIAD_REDUCTION", "gather", 1);
    auto made = make_engine(backend, box.system);
    unsetenv("TRIAD_REDUCTION");
    own.send_to(*made);
    EXPECT_TRUE(made->make_list(own.edges));
    made->compute_forces({}, results);
    return made;
  };
  const auto mover = gathering();
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(mover->run_steps(own.batch(10, 10)).completed, 10);
    mover->sync_host(field_state);
    const std::vector<double> found = box.f;
    gathering()->sync_host(field_state);
    expect_near(found, box.f, found.size(), backend.precision == Precision::Double ? 1e-8 : 1e-3, "force");
  }
}

/// Fast atoms, and an exchange of heat with a block into which they move.
struct HeatedBlock {
  PeriodicBox atoms;
  OwnLists lists{atoms};
  std::unique_ptr<MdEngine> engine;
  EndOfStep exchange;
  BatchResult made;  // numbers of lists
  long long step = 1;

  HeatedBlock(const Backend &backend, const double (&edge)[3], double speed)
      : atoms(diamond(silicon_t3(), 3, 0.05), edge, speed, Ghosts::AllOwn, 0.3),
        engine(make_engine(backend, atoms.system)) {
    lists.send_to(*engine);
    EXPECT_TRUE(engine->make_list(lists.edges));
    ResultsView results;
    engine->compute_forces({}, results);
    exchange.heat = 0.5 * conversion;
    exchange.block.everywhere = false;
    for (int d = 0; d < 3; ++d) {
      exchange.block.high[d] = exchange.block.box_high[d] = edge[d];
      exchange.block.wraps[d] = true;
    }
    move_block(0);
  }
  void move_block(double low) {
    exchange.block.low[0] = low;
    exchange.block.high[0] = low + 4;
  }
  /// Makes n steps in batches.
  void run(int n, int steps_of_batch, bool exchanges = true) {
    for (int done = 0; done < n; done += steps_of_batch) {
      StepBatch batch = lists.batch(steps_of_batch, steps_of_batch);
      batch.first_step = step;
      if (exchanges) batch.ends = {&exchange};
      const BatchResult result = engine->run_steps(batch);
      EXPECT_EQ(result.completed, steps_of_batch);
      EXPECT_FALSE(exchange.failed);
      step += steps_of_batch;
      made.lists += result.lists;
      made.late_lists += result.late_lists;
    }
  }
  std::vector<double> positions() {
    engine->sync_host(field_x);
    return lists.unwrapped();
  }
};

/// Neighbour lists of the host and of the device, and another block, make an engine search the atoms of the block
/// again. In batches of four steps, all atoms are visited.
TEST_P(StepsWithOwnLists, SearchTheAtomsOfActionsForEachList) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host visits all atoms";
  const auto course = [&](int steps_of_batch) {
    HeatedBlock run(backend, edge, speed);
    for (const double low : {0.0, 6.0}) {
      run.move_block(low);
      run.run(20, steps_of_batch);
      run.made = BatchResult();
      run.run(20, 20, false);
      EXPECT_GT(run.made.lists, 0) << "atoms move farther than the list allows";
      run.run(4, 4);
    }
    return run.positions();
  };
  const std::vector<double> found = course(20);
  expect_near(found, course(4), found.size(), 20 * course_error(backend.precision), "position");
}

/// Kernels that make neighbour lists within steps leave the list to the host where other atoms may reach the block:
/// those of the next plane of atoms, or those that leave the box at the other face and return beside the block.
TEST_P(StepsWithOwnLists, CheckTheAtomsOfActionsInListsWithinSteps) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host visits all atoms";
  int within_steps = 0;
  for (const bool at_face : {false, true}) {
    const double low = at_face ? 15.6 : 7.15, high = at_face ? 17.0 : 11.0;  // planes at multiples of 1.358
    const auto course = [&](int steps_of_batch) {
      HeatedBlock run(backend, edge, 12);
      run.exchange.block.low[0] = low;
      run.exchange.block.high[0] = high;
      run.exchange.block.wraps[0] = !at_face;
      const std::vector<double> before = run.positions();
      run.run(80, steps_of_batch);
      within_steps += static_cast<int>(run.made.lists - run.made.late_lists);
      const std::vector<double> after = run.positions();
      const auto distance = [&](double x) {  // from the block along x, of the atom in the box
        x -= std::floor(x / edge[0]) * edge[0];
        return std::max({low - x, x - high, 0.0});
      };
      int entered = 0;
      for (std::size_t k = 0; k < before.size(); k += 3)
        entered += distance(before[k]) > 2.1 * run.lists.batch(1, 1).list.limit && distance(after[k]) == 0;
      EXPECT_GT(entered, 0) << "no atom has entered that was not searched at first";
      return after;
    };
    const std::vector<double> found = course(80);
    expect_near(found, course(4), found.size(), 20 * course_error(backend.precision), "position");
  }
  const bool by_host = std::getenv("TRIAD_LISTS");
  EXPECT_TRUE(by_host || within_steps > 0) << "no list was made within a step";
}

}  // namespace
}  // namespace triad
