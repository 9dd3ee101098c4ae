#include "engine/exchange/host_peers.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <thread>

#include "engine/tuning.h"

namespace triad {
namespace {

/// Returns when the other rank has got as far as `exchange`, which one that has ended never does.
void wait_for(const std::atomic<std::uint64_t> &word, std::uint64_t exchange, HaloExchange &ranks) {
  for (std::uint64_t turn = 0; word.load(std::memory_order_acquire) < exchange; ++turn) {
    if (turn < tuning::host_turns_before_yield) continue;
    std::this_thread::yield();
    if (turn % tuning::host_turns_before_asking == 0) ranks.look_for_failures();
  }
}

std::vector<int> begins(const std::vector<int> &counts) {
  std::vector<int> begin(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), begin.begin() + 1);
  return begin;
}

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

bool HostPeers::connect(const HaloPlan &plan) {
  if (!plan.exchange || !plan.exchange->may_be_bypassed() || (checked_ && !allowed_)) return false;
  HaloExchange &exchange = *plan.exchange;
  const std::size_t ranks = exchange.ranks();
  exchange_ = plan.exchange;
  self_ = exchange.rank();
  send_begin_ = begins(plan.send_counts);
  receive_begin_ = begins(plan.receive_counts);
  const auto bytes_of = [](std::size_t atoms) { return whole_lines(3 * sizeof(double) * atoms); };
  allowed_ = ranks > 1 &&
             map_windows(exchange, sizeof(SyncFlags) + bytes_of(plan.send.size()) + bytes_of(plan.receive.size()));
  checked_ = true;
  if (!allowed_) {
    mapped_.clear();
    return false;
  }

  // where each rank's atoms for this one begin: all ranks tell their counts
  std::vector<int> mine = plan.send_counts, all(2 * ranks * ranks);
  mine.insert(mine.end(), plan.receive_counts.begin(), plan.receive_counts.end());
  exchange.gather(mine.data(), all.data(), sizeof(int) * mine.size());
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
  SyncFlags &flags = *new (window_[self_].flags) SyncFlags;
  exchanges_ = 0;
  flags.positions = flags.forces = exchanges_;
  exchange.any(false);  // nobody waits before all boards are ready
  return true;
}

/// Makes mapped_ the windows of all ranks, this rank's of at least `bytes`. False, on all ranks, if one cannot.
bool HostPeers::map_windows(HaloExchange &exchange, std::size_t bytes) {
  const std::size_t ranks = exchange.ranks();
  if (mapped_.size() != ranks) mapped_ = std::vector<SharedMemory>(ranks);
  const bool grows = mapped_[self_].bytes() < bytes;
  if (!exchange.any(grows)) return true;
  SharedMemory &own = mapped_[self_];
  bool failed = grows && !own.create(bytes + bytes / 8);
  struct Offer {
    SharedName name;
    std::uint64_t bytes;
    bool is_new;
  } mine = {own.name(), own.bytes(), grows};
  std::vector<Offer> offers(ranks);
  exchange.gather(&mine, offers.data(), sizeof mine);
  for (std::size_t r = 0; r < ranks && !failed; ++r)
    if (r != self_ && offers[r].is_new) failed = !mapped_[r].open(offers[r].name, offers[r].bytes);
  failed = exchange.any(failed);
  own.forget_name();
  return !failed;
}

HaloStatus HostPeers::publish_positions(const HaloStatus &mine) {
  const std::uint64_t now = ++exchanges_;
  SyncFlags &flags = *window_[self_].flags;
  flags.news[now % 2] = mine;
  flags.positions.store(now, std::memory_order_release);
  HaloStatus news = mine;
  for (std::size_t r = 0; r < window_.size(); ++r) {
    if (receive_begin_[r + 1] == receive_begin_[r]) continue;
    wait_for(window_[r].flags->positions, now, *exchange_);
    news.add(window_[r].flags->news[now % 2]);
  }
  return news;
}

HaloStatus HostPeers::publish_forces() {
  window_[self_].flags->forces.store(exchanges_, std::memory_order_release);
  HaloStatus news;
  for (std::size_t r = 0; r < window_.size(); ++r) {
    wait_for(window_[r].flags->positions, exchanges_, *exchange_);  // has been there for as long as forces take
    news.add(window_[r].flags->news[exchanges_ % 2]);
    if (send_begin_[r + 1] > send_begin_[r]) wait_for(window_[r].flags->forces, exchanges_, *exchange_);
  }
  return news;
}

}  // namespace triad
