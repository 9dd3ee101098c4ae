// Blocks that wait for others, of their own kernel or of the kernel before.
#pragma once

namespace triad {
namespace cuda {

/// Counts of a kernel's blocks, in device memory; zero before.
struct BlockProgress {
  unsigned *started = nullptr;  ///< 1 once the results of all kernels before are visible
  unsigned *done = nullptr;     ///< blocks that have ended
  unsigned *left = nullptr;     ///< blocks of the kernel beside this one that need the counts no more
};

#if defined(__CUDACC__)
/// Adds 1. A thread that then reads the sum with load_acquire() sees all that this thread has written or seen before.
__device__ __forceinline__ void add_release(unsigned *count) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(count)) : "memory");
}
__device__ __forceinline__ unsigned load_acquire(const unsigned *count) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(count)) : "memory");
  return value;
}
/// Waits until the count is at least `least`.
__device__ __forceinline__ void wait_for_count(const unsigned *count, unsigned least) {
  while (load_acquire(count) < least) __nanosleep(20);
}
/// Waits for all threads of `blocks` blocks that call this and are all resident, and makes their writes visible.
/// `arrived` counts the blocks that have called the function.
__device__ __forceinline__ void wait_for_blocks(unsigned *arrived, unsigned blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned before = atomicAdd(arrived, 1u), all = (before / blocks + 1) * blocks;
    while (static_cast<int>(*const_cast<volatile unsigned *>(arrived) - all) < 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
/// The same for all blocks of a grid.
__device__ __forceinline__ void wait_for_grid(unsigned *arrived) { wait_for_blocks(arrived, gridDim.x); }
#endif

}  // namespace cuda
}  // namespace triad
