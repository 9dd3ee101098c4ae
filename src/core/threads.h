// Host threads: OpenMP threads, or a single thread if the compiler does not support OpenMP.
#pragma once

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tuning.h"

namespace triad {

#if defined(_OPENMP)
inline int thread_index() { return omp_get_thread_num(); }
/// Number of threads of the present parallel region.
inline int threads_of_region() { return omp_get_num_threads(); }
inline int usable_threads(int wanted) { return std::max(1, wanted); }
#else
inline int thread_index() { return 0; }
inline int threads_of_region() { return 1; }
inline int usable_threads(int) { return 1; }
#endif

/// Calls act(item) for each item, in one of the threads of the parallel region, all of which must call this function.
/// OpenMP may give a region fewer threads than it asks for, hence fewer than there are items of threads.
template <class Item, class Act>
void share_among_threads(std::vector<Item> &items, Act &&act) {
  for (std::size_t k = thread_index(); k < items.size(); k += threads_of_region()) act(items[k]);
}

/// Returns how many of `threads` threads have enough work with n_rows rows; at least 1.
inline int threads_for(int n_rows, int threads) {
  return std::clamp(n_rows / tuning::host_least_rows_per_thread, 1, threads);
}

/// Distributes n items over the threads of a parallel region. Each thread starts with a fixed range, so the data of the
/// items stay in the cache of one core, and then steals items that slower threads have not started.
class WorkStealingRange {
 public:
  /// All items have the same cost.
  WorkStealingRange(int n, int threads) : ranges_(threads) {
    for (int t = 0; t < threads; ++t) {
      ranges_[t].next = static_cast<int>(std::int64_t(n) * t / threads);
      ranges_[t].end = static_cast<int>(std::int64_t(n) * (t + 1) / threads);
    }
  }
  /// Item i costs begin[i + 1] - begin[i]; `begin` is empty if there are no items.
  WorkStealingRange(const std::vector<int> &begin, int threads) : ranges_(threads) {
    if (begin.empty()) return;
    const auto first_of = [&](int t) {
      const std::int64_t border = begin.front() + std::int64_t(begin.back() - begin.front()) * t / threads;
      return static_cast<int>(std::lower_bound(begin.begin(), begin.end() - 1, border) - begin.begin());
    };
    for (int t = 0; t < threads; ++t) {
      ranges_[t].next = first_of(t);
      ranges_[t].end = t + 1 < threads ? first_of(t + 1) : static_cast<int>(begin.size()) - 1;
    }
  }
  /// Calls work(item) until no item is left to start. Every thread calls this function once.
  template <class Work>
  void work(Work &&work) {
    const int own = thread_index(), threads = static_cast<int>(ranges_.size());
    for (int t = 0; t < threads; ++t) {
      Range &range = ranges_[(own + t) % threads];
      for (int item; (item = range.next.fetch_add(1, std::memory_order_relaxed)) < range.end;) work(item);
    }
  }

 private:
  struct alignas(64) Range {
    std::atomic<int> next{0};
    int end = 0;
  };
  std::vector<Range> ranges_;
};

/// Returns the number of items that a thread takes at once, out of n items that each cost as little as one atom; a
/// multiple of `unit`.
inline int items_at_a_time(int n, int threads, int unit) {
  const int units = n / (tuning::host_parts_per_thread * threads * unit);
  return unit * std::max(1, units);
}

/// Returns the sum of the contributions that add(sum, i) adds for i in [0, n). Partial sums cover spans of fixed size,
/// so the bits of the result do not depend on the number of threads.
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
