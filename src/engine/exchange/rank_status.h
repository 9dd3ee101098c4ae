// What the ranks of one host know of each other while they wait without MPI: who has failed and why, who has ended, and
// who has left. Each rank has a page of shared memory that all map.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/exchange/halo.h"
#include "engine/exchange/shared_memory.h"

namespace triad {

/// Makes `mapped` the segments of all ranks, [ranks], this rank's of at least `bytes` with some room to grow; others
/// are mapped as large as their ranks have made them. Collective; false on all ranks if one cannot.
bool map_segments(HaloExchange &exchange, std::size_t bytes, SharedMemory::Owner owner,
                  std::vector<SharedMemory> &mapped);

class RankStatus {
 public:
  /// Maps the pages of all ranks; to be called before the others. Collective; false on all ranks if one cannot.
  bool connect(HaloExchange &exchange);
  bool connected() const { return !pages_.empty(); }

  /// Forgets failures of before. To be called by all ranks between two collective calls.
  void start() noexcept;

  /// Tells all other ranks that this one cannot go on, and why. The first reason stays. Needs neither MPI nor memory.
  void fail(const char *why) noexcept;

  /// True once another rank has failed: one load.
  bool failed() const { return page_ && page_->others_failed.load(std::memory_order_acquire) != 0; }
  /// Looks whether the other ranks are there, by a call of the system each; failed() is true from then on if one is
  /// not.
  void look() noexcept;
  /// "rank 1 failed: ...", of the first rank that has failed or ended; empty if none has.
  std::string reason() const;
  /// Throws LoopError with reason() if another rank has failed.
  void check() const;

  /// Says that this rank will not touch memory of the others any more.
  void leave() noexcept;
  /// True if all other ranks have left or ended.
  bool others_left() const noexcept;

  /// This rank's word that is not 0 once another rank has failed, for devices to read.
  void *failure_word() const { return page_ ? &page_->others_failed : nullptr; }
  /// Size of a page of the system, and begin of the one that holds that word.
  static constexpr std::size_t page_bytes = 4096;
  void *page() const {
    char *const word = reinterpret_cast<char *>(page_);
    return word - reinterpret_cast<std::uintptr_t>(word) % page_bytes;
  }

 private:
  struct Page {
    alignas(64) std::atomic<std::uint32_t> others_failed;  ///< set by ranks that fail, read by the owner
    alignas(64) std::atomic<std::uint32_t> failed;         ///< 0, 1 while `why` is written, 2
    std::atomic<std::uint32_t> left;
    char why[512];
  };
  static_assert(sizeof(Page) + 64 <= page_bytes, "one page");
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");

  Page &page_of(std::size_t rank) const { return *reinterpret_cast<Page *>(pages_[rank].data()); }

  std::vector<SharedMemory> pages_;  // [ranks]
  std::size_t self_ = 0;
  Page *page_ = nullptr;        // this rank's
  std::atomic<int> ended_{-1};  // a rank that has ended without a word
};

/// Looks at the other ranks five times a second in a thread of its own, for ranks whose devices wait.
class RankWatcher {
 public:
  ~RankWatcher() { stop(); }
  void start(RankStatus &ranks);
  void stop() noexcept;

 private:
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
};

/// Waits in turns of a caller that looks at something else between them: when to yield the core, when to look for ranks
/// that have failed, and when to give up. Time in which this process itself was stopped does not count.
class PatientWait {
 public:
  PatientWait(RankStatus &ranks, double seconds) : ranks_(ranks), patience_(seconds) {}
  /// False when there is no more hope: a rank has failed, ended, or has not answered for as long as the patience lasts.
  bool another_turn();
  /// Throws LoopError that says which.
  [[noreturn]] void give_up(int rank) const;

 private:
  RankStatus &ranks_;
  const double patience_;
  std::uint64_t turns_ = 0;
  double waited_ = 0, turn_ = 0, look_ = 0;  // s; the latter two are times
};

}  // namespace triad
