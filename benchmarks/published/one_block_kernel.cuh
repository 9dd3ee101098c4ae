// The triangular loop of the textbook chapter on molecular dynamics with CUDA, as printed there: one block, one thread
// per atom. Positions, types and reactions are in shared memory. Thread i visits j = i + 1 ... N + i, wrapped, so all
// threads make the same number of iterations and meet at the barrier after each; different threads visit different
// atoms at any time, so one thread writes a reaction. Coefficients are a float4 for each sum of the types of a pair.
#pragma once

#include <cuda_runtime.h>

namespace triad {
namespace bench {

constexpr int one_block_most = 1024;      // threads of a block
constexpr float one_block_floor = 1e-4f;  // of the squared distance

/// F_i = R (c.x s^-3 + (c.y / s)^c.z), R = r_i - r_j, s^2 = max(R^2, 1e-4). position.w is the type, from 0;
/// coefficient [type_i + type_j].
static __global__ void __launch_bounds__(one_block_most)
    one_block_kernel(int n, const float4 *__restrict__ position, const float4 *__restrict__ coefficient,
                     float4 *force) {
  __shared__ float4 atom[one_block_most];
  __shared__ float3 reaction[one_block_most];
  const int i = threadIdx.x;
  if (i < n) {
    atom[i] = position[i];
    reaction[i] = {0, 0, 0};
  }
  __syncthreads();
  float3 own = {0, 0, 0};
  for (int k = i + 1; k <= n + i; ++k) {
    const int j = k % n;
    if (i < j && i < n) {
      const float4 p = atom[i], q = atom[j], c = coefficient[static_cast<int>(p.w) + static_cast<int>(q.w)];
      const float3 R = {p.x - q.x, p.y - q.y, p.z - q.z};
      const float invr = rsqrtf(fmaxf(R.x * R.x + R.y * R.y + R.z * R.z, one_block_floor));
      const float f = c.x * invr * invr * invr + powf(c.y * invr, c.z);
      own.x += f * R.x;
      own.y += f * R.y;
      own.z += f * R.z;
      reaction[j].x -= f * R.x;
      reaction[j].y -= f * R.y;
      reaction[j].z -= f * R.z;
    }
    __syncthreads();
  }
  if (i < n) force[i] = {own.x + reaction[i].x, own.y + reaction[i].y, own.z + reaction[i].z, 0};
}

}  // namespace bench
}  // namespace triad
