// Calls of algorithms of CUB, which need a work space in device memory.
#pragma once

#include <cstddef>

#include "core/cuda/resources.cuh"

namespace triad {
namespace cuda {

/// Calls call(space, bytes) twice: first with a null pointer, which asks CUB for the size of its work space, then with
/// `space` of at least that size. Throws LoopError if memory is exhausted.
template <class Call>
void with_work_space(DeviceBuffer<char> &space, Call &&call) {
  std::size_t bytes = 0;
  call(static_cast<char *>(nullptr), bytes);
  space.reserve(bytes);
  call(space.data(), bytes);
}

}  // namespace cuda
}  // namespace triad
