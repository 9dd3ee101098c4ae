// Threads of the host: OpenMP's, or one where the compiler has none.
#pragma once

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/tuning.h"

namespace triad {

#if defined(_OPENMP)
inline int thread_index() { return omp_get_thread_num(); }
inline int usable_threads(int wanted) { return std::max(1, wanted); }
#else
inline int thread_index() { return 0; }
inline int usable_threads(int) { return 1; }
#endif

/// As many of `threads` as n_rows keep busy.
inline int threads_for(int n_rows, int threads) {
  return std::clamp(n_rows / tuning::host_least_rows_per_thread, 1, threads);
}

/// Work on n items by the threads of a parallel region. Each begins with a share of its own, always the same, so that
/// the items' data stay with its core; then it takes over what slower ones have not begun.
class WorkStealingRange {
 public:
  /// Items of equal worth.
  WorkStealingRange(int n, int threads) : share_(threads) {
    for (int t = 0; t < threads; ++t) {
      share_[t].next = static_cast<int>(std::int64_t(n) * t / threads);
      share_[t].end = static_cast<int>(std::int64_t(n) * (t + 1) / threads);
    }
  }
  /// Item i is worth begin[i + 1] - begin[i]; empty without items.
  WorkStealingRange(const std::vector<int> &begin, int threads) : share_(threads) {
    if (begin.empty()) return;
    const auto first_of = [&](int t) {
      const std::int64_t border = begin.front() + std::int64_t(begin.back() - begin.front()) * t / threads;
      return static_cast<int>(std::lower_bound(begin.begin(), begin.end() - 1, border) - begin.begin());
    };
    for (int t = 0; t < threads; ++t) {
      share_[t].next = first_of(t);
      share_[t].end = t + 1 < threads ? first_of(t + 1) : static_cast<int>(begin.size()) - 1;
    }
  }
  /// Calls work(item) until no item is left to begin; to be called by every thread once.
  template <class Work>
  void work(Work &&work) {
    const int own = thread_index(), threads = static_cast<int>(share_.size());
    for (int t = 0; t < threads; ++t) {
      Share &share = share_[(own + t) % threads];
      for (int item; (item = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) work(item);
    }
  }

 private:
  struct alignas(64) Share {
    std::atomic<int> next{0};
    int end = 0;
  };
  std::vector<Share> share_;
};

/// Items to be taken at a time of n that are as little work as one atom, in whole multiples of `unit`.
inline int items_at_a_time(int n, int threads, int unit) {
  const int units = n / (tuning::host_parts_of_share * threads * unit);
  return unit * std::max(1, units);
}

/// The sum of what add(sum, i) adds for i from 0 to n, by spans of fixed size: the same bits with any number of
/// threads.
template <class Sum, class Add>
Sum sum_over(int n, int threads, Add &&add) {
  constexpr int span = tuning::host_atoms_per_span;
  std::vector<Sum> part((n + span - 1) / span);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int s = 0; s < static_cast<int>(part.size()); ++s) {
    Sum sum;
    for (int i = s * span; i < std::min(n, (s + 1) * span); ++i) add(sum, i);
    part[s] = sum;
  }
  Sum total;
  for (const Sum &sum : part) total += sum;
  return total;
}

}  // namespace triad
