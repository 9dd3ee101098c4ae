// When steps that a device makes ahead of the host renew their lists, and which kernels a batch allows. No GPU is
// needed.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "engine/cuda/step/step_rules.h"

namespace triad {
namespace cuda {
namespace {

/// Another rank with a shorter life of its pruned list, which cannot be renewed ahead.
class TwoRanks final : public HaloExchange {
 public:
  ListLife other;
  bool takes_device_memory() const override { return false; }
  bool allows_direct_exchange() const override { return false; }
  void forward(const void *, void *, std::size_t) override {}
  void reverse(const void *, void *, std::size_t) override {}
  void alltoallv(const void *, const std::vector<int> &, void *, const std::vector<int> &, std::size_t) override {}
  std::vector<int> set_send_counts(const std::vector<int> &send_counts) override { return send_counts; }
  void allreduce_max(double *, int) override {}
  int rank() const override { return 0; }
  int ranks() const override { return 2; }
  void allgather(const void *mine, void *all, std::size_t bytes) override {
    std::memcpy(all, mine, bytes);
    const struct {
      double steps;
      long long age;
      bool refilters;
    } second = {other.steps, other.age, other.all_refilter};
    ASSERT_EQ(sizeof second, bytes);
    std::memcpy(static_cast<char *>(all) + bytes, &second, bytes);
  }
};

TEST(ListLife, IsTheShortestOfAllRanks) {
  TwoRanks exchange;
  exchange.other = {12, 30.0, false};
  ListLife life = {9, 40.0, true};
  life.agree(exchange, true);
  EXPECT_EQ(life.steps, 30);
  EXPECT_EQ(life.age, 12);
  EXPECT_FALSE(life.all_refilter);
}

/// Lists are renewed on demand well before the end of the shortest recent life.
TEST(ListLife, FollowsRenewals) {
  ListLife life;
  life.note_renewal(10);
  EXPECT_DOUBLE_EQ(life.steps, 10 * tuning::share_before_demand);
  const double before = life.steps;
  life.note_renewal(20);
  EXPECT_GT(life.steps, before);
  EXPECT_LT(life.steps - before, 0.25 * (20 * tuning::share_before_demand - before)) << "a longer life counts slowly";
  life.note_renewal(4);
  EXPECT_DOUBLE_EQ(life.steps, 4 * tuning::share_before_demand);
  life.note_renewal(1);
  EXPECT_EQ(life.steps, 1);
}

TEST(ListLife, EndsBeforeTheListExpires) {
  ListLife life;
  life.note_expiry(20);
  EXPECT_DOUBLE_EQ(life.steps, 20 * tuning::share_of_list_life);
  life.note_expiry(1);
  EXPECT_EQ(life.steps, 1);
}

/// The fraction of the limit that is used, not its square, tells how much longer the list could last.
TEST(ListLife, FollowsTheUseOfDisplacementLimits) {
  ListLife life = {0, 100, true};
  life.note_used(0);
  EXPECT_EQ(life.steps, 100) << "nothing is known";
  const double share = tuning::share_of_list_life;
  life.note_used(float(share * share));
  EXPECT_NEAR(life.steps, 100, 1e-4);
  life.note_used(1);
  EXPECT_NEAR(life.steps, 100 * share, 1e-4);
  life = {0, 100, true};
  life.note_used(100);
  EXPECT_DOUBLE_EQ(life.steps, 50) << "the life shrinks by a bounded factor";
  life.note_used(1e-6f);
  EXPECT_DOUBLE_EQ(life.steps, 100) << "and doubles at most";
}

struct Averages : ::testing::Test {
  AveragedReferences averages;
  void note_lives(int lists, double steps) {
    for (int k = 0; k < lists; ++k) averages.note_life(steps);
  }
  static constexpr int lists = tuning::lists_of_average, trial = tuning::lists_per_decision;
};

TEST_F(Averages, AreTriedWhereListsLastForSomeTime) {
  note_lives(trial - 1, 30);
  EXPECT_EQ(averages.weight(), 1);
  note_lives(1, 30);
  EXPECT_DOUBLE_EQ(averages.weight(), 0.5) << "of the last list and the next one";
  averages.note_life(30);
  EXPECT_DOUBLE_EQ(averages.weight(), 1.0 / 3);
  note_lives(100, 300);
  EXPECT_DOUBLE_EQ(averages.weight(), 1.0 / lists) << "atoms may move to other sites";
}

TEST_F(Averages, AreSettledOnceTheyAreComplete) {
  EXPECT_TRUE(averages.is_settled());
  note_lives(trial, 30);
  for (int k = 2; k < lists; ++k) {
    EXPECT_FALSE(averages.is_settled()) << k;
    const double before = averages.weight();
    averages.note_life(30);
    EXPECT_LT(averages.weight(), before);
  }
  EXPECT_TRUE(averages.is_settled());
  const double before = averages.weight();
  averages.note_life(30);
  EXPECT_EQ(averages.weight(), before);
}

TEST_F(Averages, AreNotTriedInLiquids) {
  note_lives(1000, tuning::short_list_life - 1);
  EXPECT_EQ(averages.weight(), 1);
}

TEST_F(Averages, EndIfListsDoNotLastLonger) {
  note_lives(trial, 30);
  note_lives(lists, 20);
  EXPECT_LT(averages.weight(), 1) << "the first averages are of few lists";
  note_lives(trial, 30);
  EXPECT_EQ(averages.weight(), 1) << "a gain must be seen";
  note_lives(tuning::lists_between_trials - 1, 30);
  EXPECT_EQ(averages.weight(), 1);
  note_lives(1, 30);
  EXPECT_LT(averages.weight(), 1) << "another trial";
  note_lives(lists + trial, 100);
  note_lives(trial - 1, 10);
  EXPECT_LT(averages.weight(), 1);
  note_lives(1, 10);
  EXPECT_EQ(averages.weight(), 1) << "the crystal has melted";
  note_lives(2 * tuning::lists_between_trials - 1, 30);
  EXPECT_EQ(averages.weight(), 1) << "trials become rarer";
  note_lives(1, 30);
  EXPECT_LT(averages.weight(), 1);
}

/// The first list of a run that begins with a perfect lattice has the best references.
TEST_F(Averages, DoNotDependOnOneListThatLastsLong) {
  note_lives(1, 5000);
  note_lives(trial - 1, 30);
  note_lives(lists + trial, 100);
  EXPECT_LT(averages.weight(), 1);
}

TEST_F(Averages, BeginAnewAfterAListWithoutThem) {
  note_lives(trial, 30);
  note_lives(lists + trial - 1, 100);
  averages.restart();
  EXPECT_DOUBLE_EQ(averages.weight(), 0.5);
  note_lives(lists, 10);
  EXPECT_LT(averages.weight(), 1) << "lists with averages over few lists do not decide";
  note_lives(trial, 100);
  EXPECT_LT(averages.weight(), 1);
}

/// Where the host often makes lists, averages never become complete.
TEST_F(Averages, EndIfIncompleteOnesDoHarm) {
  for (const double with : {40, 20}) {
    note_lives(trial, 30);
    for (int k = 0; k < 3; ++k) {
      note_lives(lists / 2, with);
      averages.restart();
      EXPECT_EQ(averages.weight(), with > 30 || k == 0 ? 0.5 : 1) << "after " << k << " times";
    }
    averages = AveragedReferences();
  }
}

TEST_F(Averages, AreTriedAlthoughTheHostMakesLists) {
  for (int k = 0; k < trial; ++k) {
    averages.note_life(30);
    averages.restart();
  }
  EXPECT_LT(averages.weight(), 1);
}

struct Schedule : ::testing::Test {
  StepBatch batch;
  ListLife pruned, neighbor;
  AveragedReferences averages;
  Schedule() {
    batch.n_steps = 100;
    pruned.steps = 10;
    neighbor.steps = 30;
    batch.list.own_until = 90;
  }
};

TEST_F(Schedule, PrunedListsAreRenewedAtTheEndOfTheirLife) {
  pruned.age = 4;
  ListSchedule schedule(batch, pruned, neighbor, averages, true);
  EXPECT_FALSE(schedule.renewal_is_due(5));
  EXPECT_TRUE(schedule.renewal_is_due(6)) << "the list was 4 steps old when the batch began";
  schedule.add_renewal(6);
  EXPECT_FALSE(schedule.renewal_is_due(15));
  EXPECT_TRUE(schedule.renewal_is_due(16));
  pruned.all_refilter = false;
  EXPECT_FALSE(schedule.renewal_is_due(16)) << "another rank cannot renew its list ahead";
  schedule.finish(batch.n_steps);
  EXPECT_EQ(pruned.age, 94);
}

/// Several ranks must renew their lists in a step that is chosen ahead. One rank need not, since its device can stop
/// when the list expires.
TEST_F(Schedule, RenewalsInVainEnd) {
  constexpr int most = tuning::most_renewals_in_vain;
  for (const bool on_demand : {true, false}) {
    ListSchedule schedule(batch, pruned, neighbor, averages, on_demand);
    EXPECT_TRUE(schedule.renewal_is_due(10 + most - 1));
    EXPECT_EQ(schedule.renewal_is_due(10 + most), !on_demand);
  }
}

TEST_F(Schedule, ShortLivedListsMayBeRenewedInEachStep) {
  ListSchedule schedule(batch, pruned, neighbor, averages, true);
  EXPECT_TRUE(schedule.is_short_lived());
  pruned.all_refilter = false;
  EXPECT_FALSE(schedule.is_short_lived());
  pruned.all_refilter = true;
  pruned.steps = tuning::longest_before_renewals + 1;
  EXPECT_FALSE(schedule.is_short_lived());
  pruned.steps = 10;
  for (int k = 0; k < tuning::lists_per_decision; ++k) averages.note_life(30);
  EXPECT_FALSE(schedule.is_short_lived()) << "the weight of averages changes with each list";
}

TEST_F(Schedule, NeighborListsMayExpireFromAShareOfTheirLifeOn) {
  batch.list.ago = 5;
  ListSchedule schedule(batch, pruned, neighbor, averages, true);
  EXPECT_FALSE(schedule.neighbor_list_may_expire(24, false));
  EXPECT_TRUE(schedule.neighbor_list_may_expire(25, false));
  EXPECT_TRUE(schedule.neighbor_list_may_expire(90, false));
  EXPECT_FALSE(schedule.neighbor_list_may_expire(91, false)) << "LAMMPS makes the list from here on";
  schedule.note_neighbor_list(40);
  EXPECT_GT(neighbor.steps, 30) << "a list that lasted 45 steps";
  EXPECT_FALSE(schedule.neighbor_list_may_expire(71, false));
  EXPECT_TRUE(schedule.neighbor_list_may_expire(72, false));
  neighbor.steps = tuning::longest_before_list + 1;
  EXPECT_FALSE(schedule.neighbor_list_may_expire(90, false)) << "launches in vain would cost more than the host's list";
}

TEST_F(Schedule, LongerLivedNeighborListsMayExpireInGraphs) {
  batch.n_steps = batch.list.own_until = 1000;
  neighbor.steps = 100;
  const ListSchedule schedule(batch, pruned, neighbor, averages, true);
  EXPECT_FALSE(schedule.neighbor_list_may_expire(100, false));
  EXPECT_TRUE(schedule.neighbor_list_may_expire(100, true));
  EXPECT_TRUE(schedule.neighbor_list_may_expire(125, true));
  EXPECT_FALSE(schedule.neighbor_list_may_expire(126, true)) << "the list outlives those before it";
}

TEST_F(Schedule, FollowsWhatTheDeviceHasRenewed) {
  ListSchedule schedule(batch, pruned, neighbor, averages, true);
  schedule.note_progress(0, 0);
  EXPECT_EQ(pruned.steps, 10) << "nothing has happened";
  schedule.note_progress(10, 0);
  EXPECT_DOUBLE_EQ(pruned.steps, 10 * tuning::share_before_demand);
  EXPECT_FALSE(schedule.renewal_is_due(18));
  EXPECT_TRUE(schedule.renewal_is_due(19));
  const double life = pruned.steps;
  schedule.note_progress(10, 12);
  EXPECT_EQ(pruned.steps, life) << "the neighbour list, not its age, ended the pruned list";
  EXPECT_DOUBLE_EQ(neighbor.steps, 12 * tuning::share_before_demand);
  EXPECT_FALSE(schedule.renewal_is_due(20));
  EXPECT_TRUE(schedule.renewal_is_due(21));
  schedule.note_progress(10, 12);
  EXPECT_FALSE(schedule.renewal_is_due(20)) << "the same report again";
}

TEST_F(Schedule, RenewalsBehindAStopHaveNotHappened) {
  ListSchedule schedule(batch, pruned, neighbor, averages, true);
  schedule.add_renewal(10);
  schedule.add_renewal(20);
  schedule.note_stop(15);
  EXPECT_EQ(schedule.last_renewal(), 10);
  EXPECT_TRUE(schedule.renewal_is_due(20)) << "the list of step 10 stays in use if it was not the reason for the stop";
  EXPECT_EQ(schedule.note_pruned_list(15, 10), 5) << "the list of step 10 has expired in step 15";
  EXPECT_FALSE(schedule.renewal_is_due(24));
  EXPECT_TRUE(schedule.renewal_is_due(25));
  EXPECT_EQ(schedule.note_pruned_list(30, 28), 2) << "the device has renewed the list in step 28";
  EXPECT_EQ(schedule.note_pruned_list(30, 30), 0);
}

/// What the device has made between the host's last look at its progress and a stop counts before the host makes lists.
TEST_F(Schedule, ListsBeforeAStopHaveEndedTheListsBeforeThem) {
  ListSchedule schedule(batch, pruned, neighbor, averages, true);
  schedule.note_progress(34, 40);
  schedule.note_stop(60);
  schedule.note_neighbor_list(60);
  EXPECT_DOUBLE_EQ(neighbor.steps, 20 * tuning::share_before_demand) << "the lists lasted 40 and 20 steps";
  EXPECT_EQ(schedule.note_pruned_list(60, 40), 20);
}

TEST(StepRules, KernelsFollowFromWhatABatchContains) {
  StepBatch batch;
  batch.groups = {{1, 0.5, 0.1}};
  EXPECT_TRUE(allows_combined_steps(batch) && allows_graphs(batch));

  StepBatch part = batch;
  part.groups[0].group_bit = 2;
  EXPECT_TRUE(allows_combined_steps(part) && allows_graphs(part));

  StepBatch thermostat = batch;
  thermostat.langevin.emplace_back();
  EXPECT_TRUE(allows_combined_steps(thermostat) && allows_graphs(thermostat)) << "it may act on few atoms";

  StepBatch walls = batch;
  walls.walls.emplace_back();
  EXPECT_FALSE(allows_combined_steps(walls)) << "forces are those of reflected atoms";
  EXPECT_TRUE(allows_graphs(walls));

  StepBatch samples = batch;
  SlabSampling slabs;
  HeatSampling heat;
  samples.first_step = 101;
  slabs.steps = {107, 120};
  heat.steps = {110, 120};
  samples.samplings.push_back(&slabs);
  samples.heat_samplings.push_back(&heat);
  EXPECT_TRUE(allows_combined_steps(samples) && allows_graphs(samples));
  EXPECT_FALSE(is_interrupted(samples, 1, 7) || is_interrupted(samples, 8, 10) || is_interrupted(samples, 11, 20));
  EXPECT_TRUE(is_interrupted(samples, 1, 8) && is_interrupted(samples, 10, 11) && is_interrupted(samples, 12, 30));
  EXPECT_FALSE(is_interrupted(batch, 1, 1000));
  StepBatch removals = batch;
  EndOfStep removal;
  removal.every = 10;
  removals.first_step = 101;
  removals.ends.push_back(&removal);
  EXPECT_TRUE(allows_combined_steps(removals) && allows_graphs(removals));
  EndOfStep often, always;
  often.every = 2;
  removals.ends.push_back(&often);
  EXPECT_FALSE(allows_graphs(removals));
  removals.ends = {&removal, &always};
  EXPECT_FALSE(allows_graphs(removals));
  removals.ends = {&always};
  EXPECT_TRUE(allows_graphs(removals));
  EXPECT_FALSE(is_interrupted(removals, 1, 100)) << "each step has the same launches";
  removals.ends = {&removal};
  EXPECT_FALSE(is_interrupted(removals, 1, 9) || is_interrupted(removals, 11, 19));
  EXPECT_TRUE(is_interrupted(removals, 10, 18)) << "between two kernels of this launch";
  EXPECT_TRUE(is_interrupted(removals, 2, 10)) << "needs the forces of step 10";
  TotalsSampling totals;
  totals.steps = {109};
  samples.totals_sampling = &totals;
  EXPECT_TRUE(is_interrupted(samples, 8, 9));
  EXPECT_FALSE(is_interrupted(samples, 9, 10)) << "the forces of step 9 have been launched";
  samples.n_steps = 10;
  samples.last.energy = true;
  EXPECT_FALSE(samples.tallies_of(8).any_total());
  EXPECT_TRUE(samples.tallies_of(9).energy && samples.tallies_of(9).virial);
  EXPECT_TRUE(samples.tallies_of(10).energy && !samples.tallies_of(10).virial);

  for (const bool pair : {true, false}) {
    StepBatch more = batch;
    if (pair)
      more.pair_forces.push_back(nullptr);
    else
      more.force_changes.push_back(nullptr);
    EXPECT_FALSE(allows_combined_steps(more) || allows_graphs(more));
  }
}

TEST(StepRules, TheQueueHoldsEnoughTimeToHideLaunches) {
  EXPECT_EQ(steps_to_queue(tuning::queued_ns / 10), 10);
  EXPECT_EQ(steps_to_queue(1), tuning::max_queued_steps);
  EXPECT_EQ(steps_to_queue(1e9), tuning::min_queued_steps);
  EXPECT_EQ(steps_to_queue(0), tuning::max_queued_steps) << "steps that a coarse clock has not seen";
}

Box cube(double edge) {
  Box box = {};
  for (double &high : box.high) high = edge;
  return box;
}

/// The limit is that of LAMMPS, and shorter by a reserve that the corners of the box may use up.
TEST(ChangingBoxLimit, IsLessThanTheLimitOfLammpsByTheReserve) {
  ChangingBoxLimit limit;
  limit.start(1.0);
  limit.note_list(cube(10));
  limit.fix(cube(10.1));
  const double moved = 0.1 * std::sqrt(3);
  EXPECT_DOUBLE_EQ(limit.limit_in(cube(10)), 0.5);
  EXPECT_NEAR(limit.limit_in(cube(10.1)), 0.5 * (1 - moved), 1e-14);
  EXPECT_NEAR(limit.fixed(), limit.limit_in(cube(10.1)) - tuning::box_reserve, 1e-14);
  const double used_up = 2 * tuning::box_reserve / std::sqrt(3);  // growth that moves a corner as far
  const auto exceeded = [&](const Box &box) {
    return displacements_of_corners(limit.at_list(), box) > limit.most_of_corners();
  };
  EXPECT_FALSE(exceeded(cube(10.1 + 0.99 * used_up)));
  EXPECT_TRUE(exceeded(cube(10.1 + 1.01 * used_up)));
  EXPECT_LT(limit.fixed(), limit.limit_in(cube(10.1 + 0.99 * used_up)));
  limit.fix(cube(20));
  EXPECT_EQ(limit.fixed(), 0) << "the corners have moved by more than the skin";
}

/// The reserve follows the change of the box during the last list, grows if the box has used it up, and shrinks if an
/// atom is within it.
TEST(ChangingBoxLimit, ChoosesItsReserve) {
  ChangingBoxLimit limit;
  limit.start(1.0);
  const auto reserve = [&](const Box &box) {
    limit.fix(box);
    return limit.limit_in(box) - limit.fixed();
  };
  limit.note_list(cube(10));
  limit.note_list(cube(10.002));
  EXPECT_NEAR(reserve(cube(10.002)), 0.75 * 0.002 * std::sqrt(3), 1e-14);
  limit.note_vain_stop(cube(10.05));  // the corners
  EXPECT_NEAR(reserve(cube(10.05)), std::min(tuning::box_reserve, 8 * 0.75 * 0.002 * std::sqrt(3)), 1e-14);
  limit.note_vain_stop(cube(10.05));  // an atom
  const double shrunk = reserve(cube(10.05));
  EXPECT_LT(shrunk, 0.2 * tuning::box_reserve);
  limit.note_vain_stop(cube(10.1));  // the corners, but a larger reserve has been in vain
  EXPECT_NEAR(reserve(cube(10.1)), shrunk, 1e-14);
  limit.note_list(cube(10.1));
  EXPECT_NEAR(reserve(cube(10.1)), tuning::box_reserve, 1e-14);
}

}  // namespace
}  // namespace cuda
}  // namespace triad
