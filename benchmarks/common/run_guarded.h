// What main() of a benchmark does with exceptions.
#pragma once

#include <cstdio>
#include <exception>

namespace triad {
namespace bench {

/// Runs the body of a benchmark; an exception becomes a message and the exit status.
template <class Body>
int run_guarded(const char *name, Body &&body) {
  try {
    body();
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 1;
  }
}

}  // namespace bench
}  // namespace triad
