// Exceptions of parallel regions. An exception that leaves an OpenMP region ends the process, so each thread keeps its
// own exception, and the thread that opened the region throws the first one after the region.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace triad {

class RegionErrors {
 public:
  /// Calls work() and stores an exception that work() throws. To be called by the threads of a region.
  /// work() must not contain a barrier or a worksharing construct, because threads that failed would miss it.
  template <class Work>
  void guard(Work &&work) noexcept {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      if (!failed_.exchange(true, std::memory_order_relaxed)) first_ = std::current_exception();
    }
  }

  /// True if a thread has failed. The result is exact after a barrier, and only a hint before.
  bool any() const { return failed_.load(std::memory_order_relaxed); }

  /// Throws the first stored exception. To be called after the region.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
};

}  // namespace triad
