// Philox 4x32-10, a counter-based random number generator without state.
//
// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, Proc. SC11
// (2011).
#pragma once

#include <cstdint>

#include "core/portable_math.h"

namespace triad {

struct Philox {
  std::uint32_t word[4];
};

namespace detail {

TRIAD_HD void multiply(std::uint32_t a, std::uint32_t b, std::uint32_t &high, std::uint32_t &low) {
  const std::uint64_t product = static_cast<std::uint64_t>(a) * b;
  high = static_cast<std::uint32_t>(product >> 32);
  low = static_cast<std::uint32_t>(product);
}

}  // namespace detail

/// Returns four independent words of 32 bits for a `counter` and a `key`.
TRIAD_HD Philox philox(const std::uint32_t (&counter)[4], const std::uint32_t (&key)[2]) {
  Philox state = {{counter[0], counter[1], counter[2], counter[3]}};
  std::uint32_t key0 = key[0], key1 = key[1];
  TRIAD_UNROLL
  for (int round = 0; round < 10; ++round) {
    std::uint32_t high0, low0, high1, low1;
    detail::multiply(0xD2511F53u, state.word[0], high0, low0);
    detail::multiply(0xCD9E8D57u, state.word[2], high1, low1);
    state = {{high1 ^ state.word[1] ^ key0, low1, high0 ^ state.word[3] ^ key1, low0}};
    key0 += 0x9E3779B9u;  // golden ratio
    key1 += 0xBB67AE85u;  // sqrt(3) - 1
  }
  return state;
}

/// Maps a word to the centre of one of 2^24 equal parts of (-1/2, 1/2). The result is exact in fp32 and fp64, and the
/// mean is 0.
template <class Real>
TRIAD_HD Real centred_uniform(std::uint32_t word) {
  return (static_cast<Real>(word >> 8) - Real(8388607.5)) * Real(5.9604644775390625e-8);
}

}  // namespace triad
