// Loops over atoms on all cores with the standard library only, so that a benchmark is a single executable that can be
// copied to another machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace triad {

/// Calls body(begin, end) for contiguous parts of [0, n), one per core.
template <class Body>
void parallel_ranges(std::size_t n, Body &&body) {
  const std::size_t smallest_part = 1 << 14;  // for smaller parts a thread costs more time than it saves
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t parts = std::min(cores, n / smallest_part + 1);
  std::vector<std::thread> threads;
  for (std::size_t p = 1; p < parts; ++p)
    threads.emplace_back([&body, n, p, parts] { body(n * p / parts, n * (p + 1) / parts); });
  body(std::size_t(0), n / parts);
  for (auto &thread : threads) thread.join();
}

/// Calls body(i) for every i in [0, n).
template <class Body>
void parallel_for(std::size_t n, Body &&body) {
  parallel_ranges(n, [&body](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace triad
