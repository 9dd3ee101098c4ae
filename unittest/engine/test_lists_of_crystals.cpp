// Crystals on a device while lists are renewed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {
namespace {

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

/// In a warm crystal, a few rows have more than four entries. Runs that gather forces compute the same bits while lists
/// are renewed, also in batches of other lengths, whose lists are renewed in other steps. In `mixed`, atomic reductions
/// compute these bits too.
TEST_P(Engines, MoveWarmCrystalsAlike) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host has no such kernels";
  if (std::getenv("TRIAD_REDUCTION")) GTEST_SKIP() << "the environment chooses the reduction";
  constexpr double width = 5 * 5.432, edges[3] = {width, width, width};
  struct Case {
    const char *reduction;
    std::vector<int> batches;  ///< numbers of steps
  };
  std::vector<Case> cases = {
      {"auto", {25, 300}}, {"auto", {25, 300}}, {"auto", {25, 7, 93, 1, 199}}, {"gather", std::vector<int>(13, 25)}};
  if (backend.precision == Precision::Mixed) cases.push_back({"atomic", {25, 300}});
  std::map<int, std::vector<double>> expected;  // for each number of steps
  for (const Case &one : cases) {
    PeriodicBox warm(diamond(silicon_t3(), 5, 0.5), edges, 3, Ghosts::AllOwn, 2);
    const double narrowest =
        *std::min_element(std::begin(tuning::narrower_inner_skins), std::end(tuning::narrower_inner_skins));
    const int longer = longer_rows(warm, (1 + narrowest) * warm.system.table.cutoff());
    ASSERT_GT(longer, 0);
    ASSERT_LT(longer, tuning::few_longer_fraction * warm.n_owned());
    setenv("TRIAD_REDUCTION", one.reduction, 1);
    const auto mover = make_engine(backend, warm.system);
    unsetenv("TRIAD_REDUCTION");
    warm.send_to(*mover);
    ResultsView results;
    mover->compute_forces({}, results);
    int done = 0;
    for (const int steps : one.batches) {
      const BatchResult result = mover->run_steps(batch_of(steps));
      EXPECT_EQ(result.completed, steps);
      done += steps;
      if (steps == 300 || done == 25) {
        EXPECT_GT(result.pruned_lists + result.late_pruned_lists, 0);
      }
      if (steps == 300) {
        EXPECT_LE(4 * result.late_pruned_lists, result.pruned_lists) << "lists expired before steps could renew them";
      }
      if (done != 25 && done != 325) continue;  // each copy changes last digits of the positions in the next one
      mover->sync_host(field_x);
      const std::vector<double> x(warm.system.x.begin(), warm.system.x.begin() + 3 * warm.n_owned());
      EXPECT_EQ(x, expected.emplace(done, x).first->second) << one.reduction << ", batch of " << steps;
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

}  // namespace
}  // namespace triad
