// Exceptions of parallel regions. An exception that leaves an OpenMP region ends the process, so each thread keeps its
// own, and the thread that opened the region throws the first one behind it.
#pragma once

#include <atomic>
#include <exception>
#include <utility>

namespace triad {

class RegionErrors {
 public:
  /// Calls work() and keeps an exception of it instead of letting it out. To be called by the threads of a region.
  /// No barrier and no worksharing construct may stand inside work(), since threads that failed would miss them.
  template <class Work>
  void guard(Work &&work) noexcept {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      if (!failed_.exchange(true, std::memory_order_relaxed)) first_ = std::current_exception();
    }
  }

  /// True once a thread has failed. Only a hint for threads that run at the same time; certain behind a barrier.
  bool any() const { return failed_.load(std::memory_order_relaxed); }

  /// Throws the first exception that was kept. To be called behind the region.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
};

}  // namespace triad
