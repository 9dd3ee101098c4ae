// Distribution of work over threads, and sums that do not depend on the number of threads.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/threads.h"

namespace triad {
namespace {

/// Boundaries of n items of equal cost.
std::vector<int> borders(int n) {
  std::vector<int> begin(n ? n + 1 : 0);
  std::iota(begin.begin(), begin.end(), 0);
  return begin;
}

TEST(WorkStealingRange, HandOutEveryItemOnce) {
  for (const int n : {0, 1, 5, 1000})
    for (const int threads : {1, 2, 7}) {
      WorkStealingRange range(borders(n), threads);
      std::vector<int> done(n, 0);
#pragma omp parallel num_threads(threads)
      range.work([&](int item) { ++done[item]; });
      EXPECT_EQ(done, std::vector<int>(n, 1)) << n << " items, " << threads << " threads";
    }
}

/// If the system grants fewer threads, the others steal the ranges of the missing threads.
TEST(WorkStealingRange, StealsRangesOfMissingThreads) {
  WorkStealingRange range(borders(100), 4);
  int done = 0;
  range.work([&](int) { ++done; });
  EXPECT_EQ(done, 100);
}

/// A thread starts with its own range and continues with the range of the next thread.
TEST(WorkStealingRange, RangesHaveEqualCost) {
  WorkStealingRange range({0, 10, 20, 50, 90, 100, 110, 200}, 2);
  std::vector<int> order;
#pragma omp parallel num_threads(2)
  if (thread_index() + 1 == usable_threads(2)) range.work([&](int item) { order.push_back(item); });
  const std::vector<int> from_the_second = {5, 6, 0, 1, 2, 3, 4}, from_the_first = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(order, usable_threads(2) == 2 ? from_the_second : from_the_first);
}

TEST(Threads, AreAsManyAsRowsKeepBusy) {
  constexpr int rows = tuning::host_least_rows_per_thread;
  EXPECT_EQ(threads_for(0, 16), 1);
  EXPECT_EQ(threads_for(2 * rows - 1, 16), 1);
  EXPECT_EQ(threads_for(5 * rows, 16), 5);
  EXPECT_EQ(threads_for(100 * rows, 16), 16);
  EXPECT_EQ(threads_for(100 * rows, 1), 1);
}

TEST(Sums, HaveTheSameBitsWithAnyNumberOfThreads) {
  struct Sum {
    double value = 0;
    void operator+=(const Sum &other) { value += other.value; }
  };
  const auto sum = [](int n, int threads) {
    return sum_over<Sum>(n, threads, [](Sum &s, int i) { s.value += 1.0 / (i + 1); }).value;
  };
  for (const int n : {1, 4096, 4097, 100000})
    for (const int threads : {2, 3, 7})
      EXPECT_EQ(sum(n, threads), sum(n, 1)) << n << " items, " << threads << " threads";
  EXPECT_EQ(sum(0, 3), 0);
  EXPECT_NEAR(sum(100000, 1), 12.0901461298634, 1e-12);  // the harmonic number
}

}  // namespace
}  // namespace triad
