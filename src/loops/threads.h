// Threads of the host: OpenMP's, or one where the compiler has none.
#pragma once

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <vector>

#include "loops/tuning.h"

namespace triad {

#if defined(_OPENMP)
inline int thread_index() { return omp_get_thread_num(); }
inline int usable_threads(int wanted) { return std::max(1, wanted); }
#else
inline int thread_index() { return 0; }
inline int usable_threads(int) { return 1; }
#endif

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
