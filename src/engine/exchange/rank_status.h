// Status of the ranks of one host for waits without MPI: which rank has failed and why, which has died, and which no
// longer accesses the memory of others. Each rank has a page of shared memory that all ranks map. A rank that throws
// writes the reason with fail(). If a process dies (kill, crash), the system releases its file lock, check_processes()
// of the other ranks notices the missing lock, and their waits throw LoopError with reason().
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

/// Creates this rank's segment of at least `bytes`, with some room to grow, and maps the segments of all ranks in
/// `mapped` [ranks]. Collective; returns false on all ranks if any rank fails.
bool map_segments(HaloExchange &exchange, std::size_t bytes, SharedMemory::Owner owner,
                  std::vector<SharedMemory> &mapped);

class RankStatus {
 public:
  /// Maps the pages of all ranks. Must be called first. Collective; returns false on all ranks if one of them fails.
  bool connect(HaloExchange &exchange);
  bool connected() const { return !pages_.empty(); }

  /// Clears earlier failures. All ranks must call this between two collective calls.
  void start() noexcept;

  /// Tells all other ranks that this one cannot go on, and why. The first reason is kept. Allocates nothing and does
  /// not use MPI.
  void fail(const char *why) noexcept;

  /// Ends the waits of this rank's own devices, as if another rank had failed, until start().
  void end_own_waits() noexcept;

  /// True once another rank has failed. Costs one load.
  bool failed() const { return page_ && page_->others_failed.load(std::memory_order_acquire) != 0; }
  /// Checks by one system call per rank whether the other ranks still run. If one does not, failed() returns true from
  /// then on.
  void check_processes() noexcept;
  /// "rank 1 failed: ...", of the first rank that has failed or ended; empty if none has.
  std::string reason() const;
  /// Throws LoopError with reason() if another rank has failed.
  void check() const;

  /// Tells the other ranks that this one no longer accesses their memory.
  void leave() noexcept;
  /// True if all other ranks have left or ended.
  bool others_left() const noexcept;

  /// Word that becomes nonzero once another rank has failed, for devices to read.
  void *failure_word() const { return page_ ? &page_->others_failed : nullptr; }
  /// Size of a memory page, and the begin of the page that holds failure_word().
  static constexpr std::size_t page_bytes = 4096;
  void *page() const {
    char *const word = reinterpret_cast<char *>(page_);
    return word - reinterpret_cast<std::uintptr_t>(word) % page_bytes;
  }

 private:
  struct Page {
    alignas(64) std::atomic<std::uint32_t> others_failed;  ///< written by ranks that fail, read by the page's rank
    alignas(64) std::atomic<std::uint32_t> failed;         ///< 0: no; 1: `why` is being written; 2: yes
    std::atomic<std::uint32_t> left;
    char why[512];
  };
  static_assert(sizeof(Page) + 64 <= page_bytes, "one page");
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");

  Page &page_of(std::size_t rank) const { return *reinterpret_cast<Page *>(pages_[rank].data()); }

  std::vector<SharedMemory> pages_;  // [ranks]
  std::size_t self_ = 0;
  Page *page_ = nullptr;        // page of this rank
  std::atomic<int> ended_{-1};  // a rank that has ended without fail()
};

/// Thread that calls RankStatus::check_processes() five times a second, for ranks whose devices wait.
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

/// Controls a polling loop: when to yield the core, when to check for ranks that have failed, and when to give up. Time
/// during which this process was stopped does not count.
class PollingWait {
 public:
  PollingWait(RankStatus &ranks, double timeout) : ranks_(ranks), timeout_(timeout) {}
  /// Called in each iteration of the loop. Returns false if a rank has failed or ended, or if the time limit is
  /// reached.
  bool keep_waiting();
  /// Throws LoopError that names the reason.
  [[noreturn]] void throw_reason(int rank) const;

 private:
  RankStatus &ranks_;
  const double timeout_;
  std::uint64_t polls_ = 0;
  double waited_ = 0;                      // duration of the wait, s
  double last_poll_ = 0, last_check_ = 0;  // times of the last iteration and of the last check of processes, s
};

}  // namespace triad
