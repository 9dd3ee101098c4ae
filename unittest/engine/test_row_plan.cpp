// Rows of pair forces that travel between ranks: positions to all ranks, and forces back to the owners.
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "engine/exchange/row_plan.h"
#include "testing/several_ranks.h"

namespace triad {
namespace {

/// Calls work(exchange) in a thread for each rank.
void on_ranks(int ranks, const std::function<void(HaloExchange &)> &work) {
  Meeting meeting(ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      MeetingRank exchange(meeting, r);
      work(exchange);
    });
  for (std::thread &thread : threads) thread.join();
}

/// The three numbers of atom i of a rank.
double number(int rank, int i, int axis) { return 100 * rank + 10 * i + axis; }

TEST(RowPlan, AllRowsGoToAllRanksAndTheirSumsReturn) {
  const std::vector<int> owned = {2, 0, 3};
  on_ranks(3, [&](HaloExchange &exchange) {
    const int rank = exchange.rank();
    const RowPlan rows = all_rows(exchange, owned[rank]);
    EXPECT_EQ(rows.n, 5);
    EXPECT_EQ(rows.first, rank == 0 ? 0 : 2);
    HostRows travel;
    travel.take(rows.plan);
    std::vector<double> x(15, -1.0), f(10);
    for (int i = 0; i < owned[rank]; ++i)
      for (int axis = 0; axis < 3; ++axis) x[3 * (rows.first + i) + axis] = number(rank, i, axis);
    travel.forward(x.data());
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < 2; ++i) EXPECT_EQ(x[3 * i + axis], number(0, i, axis));
      for (int i = 0; i < 3; ++i) EXPECT_EQ(x[3 * (2 + i) + axis], number(2, i, axis));
    }
    for (int k = 0; k < 10; ++k) f[k] = (rank + 1) * (k + 1);  // two numbers per row
    travel.reverse(f.data(), 2);
    for (int k = 0; k < 10; ++k) {
      const bool own = k / 2 >= rows.first && k / 2 < rows.first + owned[rank];
      EXPECT_EQ(f[k], own ? (1 + 2 + 3) * (k + 1) : 0) << "rank " << rank << ", number " << k;
    }
  });
}

/// Atom 0 of each of two ranks is two ghosts of the other rank, between which stands an image of an own atom.
TEST(RowPlan, GhostsOfOneAtomReturnTheSumToTheirOwner) {
  on_ranks(2, [&](HaloExchange &exchange) {
    HaloPlan halo;
    halo.exchange = &exchange;
    halo.owner = {HaloPlan::remote, 1, HaloPlan::remote};
    halo.send = {0, 0};
    halo.send_image = {0, 0};
    halo.receive = {2, 0};
    halo.send_counts = halo.receive_counts = {exchange.rank() == 1 ? 2 : 0, exchange.rank() == 0 ? 2 : 0};
    const RowPlan rows = rows_with_ghosts(halo, 2);
    EXPECT_EQ(rows.n, 5);
    EXPECT_EQ(rows.first, 0);
    EXPECT_EQ(rows.plan.receive, (std::vector<int>{4, 2}));
    HostRows travel;
    travel.take(rows.plan);
    std::vector<double> f = {1, 2, 10, 20, 30};
    travel.reverse(f.data(), 1);
    EXPECT_EQ(f, (std::vector<double>{41, 2, 0, 20, 0}));
  });
}

TEST(RowPlan, OneRankSendsNothing) {
  HostRows travel;
  travel.take(rows_with_ghosts(HaloPlan(), 2).plan);
  std::vector<double> f = {1, 2, 3};
  travel.forward(f.data());
  travel.reverse(f.data(), 1);
  EXPECT_EQ(f, (std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace triad
