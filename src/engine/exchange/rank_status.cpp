#include "engine/exchange/rank_status.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "engine/tuning.h"

namespace triad {

bool map_segments(HaloExchange &exchange, std::size_t bytes, SharedMemory::Owner owner,
                  std::vector<SharedMemory> &mapped) {
  const std::size_t ranks = exchange.ranks(), self = exchange.rank();
  if (mapped.size() != ranks) mapped = std::vector<SharedMemory>(ranks);
  const bool grows = mapped[self].bytes() < bytes;
  if (!exchange.any(grows)) return true;
  SharedMemory &own = mapped[self];
  bool failed = grows && !own.create(bytes + bytes / 8, owner);
  struct Offer {
    SharedName name;
    std::uint64_t bytes;
    bool is_new;
  } mine = {own.name(), own.bytes(), grows};
  std::vector<Offer> offers(ranks);
  exchange.allgather(&mine, offers.data(), sizeof mine);
  for (std::size_t r = 0; r < ranks && !failed; ++r)
    if (r != self && offers[r].is_new) failed = !mapped[r].open(offers[r].name, offers[r].bytes);
  failed = exchange.any(failed);
  own.unlink();
  return !failed;
}

bool RankStatus::connect(HaloExchange &exchange) {
  if (connected()) return true;
  std::vector<SharedMemory> pages;
  if (!map_segments(exchange, page_bytes, SharedMemory::Owner::Watched, pages)) return false;
  pages_ = std::move(pages);
  self_ = exchange.rank();
  page_ = &page_of(self_);  // zeros are its state
  return true;
}

void RankStatus::start() noexcept {
  if (!page_) return;
  ended_ = -1;
  page_->failed = page_->others_failed = page_->left = 0;
}

void RankStatus::fail(const char *why) noexcept {
  if (!page_) return;
  std::uint32_t never = 0;
  if (page_->failed.compare_exchange_strong(never, 1)) {
    std::snprintf(page_->why, sizeof page_->why, "%s", why);
    page_->failed.store(2, std::memory_order_release);
  }
  for (std::size_t r = 0; r < pages_.size(); ++r)
    if (r != self_) page_of(r).others_failed.store(1, std::memory_order_release);
}

void RankStatus::end_own_waits() noexcept {
  if (page_) page_->others_failed.store(1, std::memory_order_release);
}

void RankStatus::check_processes() noexcept {
  for (std::size_t r = 0; r < pages_.size(); ++r) {
    if (r == self_ || pages_[r].owner_alive()) continue;
    int none = -1;
    ended_.compare_exchange_strong(none, static_cast<int>(r));  // the first one found
    page_->others_failed.store(1, std::memory_order_release);
  }
}

std::string RankStatus::reason() const {
  for (std::size_t r = 0; r < pages_.size(); ++r)
    if (r != self_ && page_of(r).failed.load(std::memory_order_acquire) == 2)
      return "rank " + std::to_string(r) + " failed: " + page_of(r).why;
  if (ended_ >= 0) return "rank " + std::to_string(ended_.load()) + " has ended; look for its message or signal";
  return failed() ? "another rank failed; look for its message" : "";
}

void RankStatus::check() const {
  if (failed()) throw LoopError(reason());
}

void RankStatus::leave() noexcept {
  if (page_) page_->left.store(1, std::memory_order_release);
}

bool RankStatus::others_left() const noexcept {
  for (std::size_t r = 0; r < pages_.size(); ++r)
    if (r != self_ && !page_of(r).left.load(std::memory_order_acquire) && pages_[r].owner_alive()) return false;
  return true;
}

void RankWatcher::start(RankStatus &ranks) {
  if (thread_.joinable()) return;
  stop_ = false;
  try {
    thread_ = std::thread([this, &ranks] {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!stopped_.wait_for(lock, std::chrono::milliseconds(200), [this] { return stop_; }))
        ranks.check_processes();
    });
  } catch (const std::system_error &) {  // without the thread, devices wait until tuning::peer_timeout_ns
  }
}

void RankWatcher::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

bool PollingWait::keep_waiting() {
  if (++polls_ < tuning::host_polls_before_yield) return true;
  std::this_thread::yield();
  using Clock = std::chrono::steady_clock;
  const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  if (last_poll_ > 0) waited_ += std::min(now - last_poll_, 1.0);
  last_poll_ = now;
  if (now - last_check_ >= tuning::host_seconds_between_checks) {
    if (last_check_ > 0) ranks_.check_processes();
    last_check_ = now;
  }
  return !ranks_.failed() && waited_ < timeout_;
}

void PollingWait::throw_reason(int rank) const {
  ranks_.check();
  char text[160];
  std::snprintf(text, sizeof text, "rank %d has not answered for %.0f s; it may have stopped outside of this run", rank,
                waited_);
  throw LoopError(text);
}

}  // namespace triad
