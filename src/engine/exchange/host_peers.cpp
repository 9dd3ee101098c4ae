#include "engine/exchange/host_peers.h"

#include <algorithm>
#include <new>
#include <numeric>

namespace triad {
namespace {

std::vector<int> begins(const std::vector<int> &counts) {
  std::vector<int> begin(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), begin.begin() + 1);
  return begin;
}

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

bool HostPeers::connect(const HaloPlan &plan) {
  if (!plan.exchange || !plan.exchange->allows_direct_exchange() || (checked_ && !allowed_)) return false;
  HaloExchange &exchange = *plan.exchange;
  const std::size_t ranks = exchange.ranks();
  self_ = exchange.rank();
  send_begin_ = begins(plan.send_counts);
  receive_begin_ = begins(plan.receive_counts);
  const auto bytes_of = [](std::size_t atoms) { return whole_lines(3 * sizeof(double) * atoms); };
  allowed_ = ranks > 1 && status_.connect(exchange) &&
             map_segments(exchange, sizeof(SyncFlags) + bytes_of(plan.send.size()) + bytes_of(plan.receive.size()),
                          SharedMemory::Owner::Unwatched, mapped_);
  checked_ = true;
  if (!allowed_) {
    mapped_.clear();
    return false;
  }

  // all ranks exchange their counts, which say where each rank's atoms for this rank begin
  std::vector<int> mine = plan.send_counts, all(2 * ranks * ranks);
  mine.insert(mine.end(), plan.receive_counts.begin(), plan.receive_counts.end());
  exchange.allgather(mine.data(), all.data(), sizeof(int) * mine.size());
  window_.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const int *const send = all.data() + 2 * ranks * r, *const receive = send + ranks;
    Window &w = window_[r];
    w.flags = reinterpret_cast<SyncFlags *>(mapped_[r].data());
    w.positions = reinterpret_cast<double *>(mapped_[r].data() + sizeof(SyncFlags));
    w.forces = w.positions + bytes_of(std::accumulate(send, send + ranks, std::size_t(0))) / sizeof(double);
    w.positions_here = w.positions + 3 * std::accumulate(send, send + self_, std::size_t(0));
    w.forces_here = w.forces + 3 * std::accumulate(receive, receive + self_, std::size_t(0));
  }
  status_.start();
  SyncFlags &flags = *new (window_[self_].flags) SyncFlags;
  exchanges_ = 0;
  flags.positions = flags.forces = exchanges_;
  exchange.any(false);  // barrier: the flags of all ranks are initialised before a rank waits for them
  return true;
}

/// Waits until rank `rank` has published its data of the current exchange. Throws LoopError if that rank has failed or
/// died, or if the time limit is reached.
void HostPeers::wait_for(Word SyncFlags::*word, std::size_t rank) {
  const Word &there = window_[rank].flags->*word;
  PollingWait wait(status_, timeout_);
  while (there.load(std::memory_order_acquire) < exchanges_)
    if (!wait.keep_waiting() && there.load(std::memory_order_acquire) < exchanges_)
      wait.throw_reason(static_cast<int>(rank));
}

HaloStatus HostPeers::publish_positions(const HaloStatus &mine) {
  const std::uint64_t now = ++exchanges_;
  SyncFlags &flags = *window_[self_].flags;
  flags.status[now % 2] = mine;
  flags.positions.store(now, std::memory_order_release);
  HaloStatus combined = mine;
  for (std::size_t r = 0; r < window_.size(); ++r) {
    if (receive_begin_[r + 1] == receive_begin_[r]) continue;
    wait_for(&SyncFlags::positions, r);
    combined.add(window_[r].flags->status[now % 2]);
  }
  return combined;
}

HaloStatus HostPeers::publish_forces() {
  window_[self_].flags->forces.store(exchanges_, std::memory_order_release);
  HaloStatus combined;
  for (std::size_t r = 0; r < window_.size(); ++r) {
    wait_for(&SyncFlags::positions, r);  // mostly published long before, while forces were computed
    combined.add(window_[r].flags->status[exchanges_ % 2]);
    if (send_begin_[r + 1] > send_begin_[r]) wait_for(&SyncFlags::forces, r);
  }
  return combined;
}

}  // namespace triad
