// Copies of objects by the threads of a block.
#pragma once

namespace triad {
namespace cuda {

/// Copies an object word by word. All threads of a block call this.
template <class Object>
__device__ __forceinline__ void copy_words(Object *to, const Object *from) {
  using Word = unsigned long long;
  static_assert(sizeof(Object) % sizeof(Word) == 0, "it is copied word by word");
  for (unsigned k = threadIdx.x; k < sizeof(Object) / sizeof(Word); k += blockDim.x)
    reinterpret_cast<Word *>(to)[k] = reinterpret_cast<const Word *>(from)[k];
}

}  // namespace cuda
}  // namespace triad
