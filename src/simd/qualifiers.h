// TRIAD_HD marks a function that is always inlined on host and device. TRIAD_HD_NOINLINE marks one that is never
// inlined, for calls that are hardly ever made, and for code that one thread of a kernel executes several times in a
// step: a GPU waits longer for instructions that it fetches for the first time than for most of the arithmetic.
// TRIAD_UNROLL requests full unrolling of a loop.
#pragma once

#if defined(__CUDACC__)
#define TRIAD_HD __host__ __device__ __forceinline__
#define TRIAD_HD_NOINLINE inline __host__ __device__ __noinline__
#else
#define TRIAD_HD_NOINLINE inline __attribute__((noinline))
#define TRIAD_HD inline __attribute__((always_inline))
#endif

#if defined(__CUDA_ARCH__)
#define TRIAD_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TRIAD_UNROLL  // host pass of nvcc: no hot loop runs there
#else
#define TRIAD_UNROLL _Pragma("GCC unroll 8")
#endif
