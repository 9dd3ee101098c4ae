// The N-body step of the course text on CUDA: every thread sums the accelerations of one body over all bodies, which
// the block reads tile by tile into shared memory, then kicks and drifts the body. Positions and velocities are
// double-buffered. `Body` is float3 (12 bytes, three loads) or float4 (16 bytes, one aligned load).
#pragma once

#include <cuda_runtime.h>

namespace triad {
namespace bench {

/// The text's constants: no masses, G = 1, softening 1e-4.
constexpr float nbody_softening_squared = 1e-8f, nbody_time_step = 0.01f;

/// n must be a multiple of the block size; shared memory: blockDim.x bodies.
template <class Body>
__global__ void nbody_step_kernel(int n, const Body *__restrict__ x, const Body *__restrict__ v, Body *new_x,
                                  Body *new_v) {
  extern __shared__ char memory[];
  Body *const tile = reinterpret_cast<Body *>(memory);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body xi = x[i];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += blockDim.x) {
    tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < static_cast<int>(blockDim.x); ++k) {
      const float dx = tile[k].x - xi.x, dy = tile[k].y - xi.y, dz = tile[k].z - xi.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + nbody_softening_squared);
      const float cube = inverse * inverse * inverse;
      ax += dx * cube;
      ay += dy * cube;
      az += dz * cube;
    }
    __syncthreads();
  }
  Body vi = v[i];
  vi.x += nbody_time_step * ax;
  vi.y += nbody_time_step * ay;
  vi.z += nbody_time_step * az;
  xi.x += nbody_time_step * vi.x;
  xi.y += nbody_time_step * vi.y;
  xi.z += nbody_time_step * vi.z;
  new_v[i] = vi;
  new_x[i] = xi;
}

}  // namespace bench
}  // namespace triad
