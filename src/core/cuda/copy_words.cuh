// Copies of objects by the threads of a block.
#pragma once

namespace triad {
namespace cuda {

/// Copies an object word by word. All `Threads` threads of a block call this.
template <int Threads, class Object>
__device__ __forceinline__ void copy_words(Object *to, const Object *from) {
  using Word = unsigned long long;
  static_assert(sizeof(Object) % sizeof(Word) == 0, "it is copied word by word");
  constexpr int words = sizeof(Object) / sizeof(Word), each = (words + Threads - 1) / Threads;
  const int first = static_cast<int>(threadIdx.x);
  Word word[each];  // all loads are in flight
#pragma unroll
  for (int p = 0; p < each; ++p)
    if (first + p * Threads < words) word[p] = reinterpret_cast<const Word *>(from)[first + p * Threads];
#pragma unroll
  for (int p = 0; p < each; ++p)
    if (first + p * Threads < words) reinterpret_cast<Word *>(to)[first + p * Threads] = word[p];
}

}  // namespace cuda
}  // namespace triad
