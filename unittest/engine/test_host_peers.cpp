// Termination of ranks that wait for each other in shared memory when one of them fails.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "engine/exchange/host_peers.h"
#include "testing/several_ranks.h"

namespace triad {
namespace {

/// Two ranks that exchange one atom each.
class TwoRanks : public testing::Test {
 protected:
  /// Calls work(peers, rank) in a thread for each rank and returns the message of the exception of each rank.
  template <class Work>
  std::vector<std::string> run(Work &&work) {
    Meeting meeting(2);
    std::vector<std::string> errors(2);
    std::vector<std::thread> threads;
    for (int r = 0; r < 2; ++r)
      threads.emplace_back([&, r] {
        MeetingRank exchange(meeting, r);
        HaloPlan plan;
        plan.exchange = &exchange;
        plan.send = plan.send_image = plan.receive = {0};
        plan.send_counts = plan.receive_counts = {r == 1, r == 0};
        HostPeers peers;
        if (!peers.connect(plan)) {
          errors[r] = "no shared memory";
          return;
        }
        try {
          work(peers, r, plan);
        } catch (const LoopError &e) {
          errors[r] = e.what();
        }
        exchange.any(false);  // no rank releases its memory before the other rank has read it
      });
    for (std::thread &thread : threads) thread.join();
    return errors;
  }
  static void exchange_once(HostPeers &peers) {
    peers.publish_positions({});
    peers.publish_forces();
  }
};

TEST_F(TwoRanks, GiveUpWhenOneDoesNotAnswer) {
  const auto start = std::chrono::steady_clock::now();
  const auto errors = run([](HostPeers &peers, int r, const HaloPlan &) {
    peers.set_timeout(0.3);
    if (r == 0) exchange_once(peers);
  });
  EXPECT_EQ(errors[0].rfind("rank 1 has not answered for", 0), 0u) << errors[0];
  EXPECT_EQ(errors[1], "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(TwoRanks, EndWithTheFirstReason) {
  const auto errors = run([](HostPeers &peers, int r, const HaloPlan &) {
    if (r == 0) return exchange_once(peers);
    peers.fail("first");
    peers.fail("second");
  });
  EXPECT_EQ(errors[0], "rank 1 failed: first");
}

/// A failure is cleared when the ranks connect again for a new list.
TEST_F(TwoRanks, GoOnAfterAFailure) {
  const auto errors = run([](HostPeers &peers, int r, const HaloPlan &plan) {
    if (r == 1) peers.fail("an error");
    try {
      if (r == 0) exchange_once(peers);
    } catch (const LoopError &) {
    }
    peers.connect(plan);
    exchange_once(peers);
  });
  EXPECT_EQ(errors[0], "");
  EXPECT_EQ(errors[1], "");
}

}  // namespace
}  // namespace triad
