// The triangular ring loop of textbooks in its simplest form: a block holds the positions of a tile of atoms and the
// reactions on them in shared memory, and each thread holds one atom of another tile. All threads loop cyclically over
// the atoms of the tile, j = i + 1 ... n + i modulo n. In every iteration different threads process different atoms, so
// only one thread writes the reaction on j. All threads make the same number of iterations, so all reach the barrier
// after each iteration.
#pragma once

#include "core/triangle.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace bench {

constexpr int ring_block = 256;

/// One block for each pair of tiles, low <= high; n must be a multiple of ring_block. force [n], added to.
__global__ void __launch_bounds__(ring_block)
    ring_kernel(GravityLaw<float> law, const float4 *__restrict__ position, float4 *force) {
  __shared__ float4 column[ring_block];
  __shared__ float3 reaction[ring_block];
  const TrianglePair tiles = triangle_pair(blockIdx.x);
  const int t = threadIdx.x;
  const std::int64_t i = tiles.low * ring_block + t, j0 = tiles.high * ring_block;
  const float4 p = position[i];
  column[t] = position[j0 + t];
  reaction[t] = {0, 0, 0};
  float3 own = {0, 0, 0};
  __syncthreads();

  for (int turn = 1; turn <= ring_block; ++turn) {
    const int j = (t + turn) % ring_block;
    if (tiles.low < tiles.high || t < j) {  // within a tile, each pair is computed by the thread of its lower atom
      const float4 q = column[j];
      const Vec3<float> d = {q.x - p.x, q.y - p.y, q.z - p.z};
      const float pull = law(squared(law, d), {}).pull;
      own.x += pull * q.w * d.x;
      own.y += pull * q.w * d.y;
      own.z += pull * q.w * d.z;
      reaction[j].x -= pull * p.w * d.x;
      reaction[j].y -= pull * p.w * d.y;
      reaction[j].z -= pull * p.w * d.z;
    }
    __syncthreads();
  }
  atomicAdd(&force[i].x, own.x);
  atomicAdd(&force[i].y, own.y);
  atomicAdd(&force[i].z, own.z);
  atomicAdd(&force[j0 + t].x, reaction[t].x);
  atomicAdd(&force[j0 + t].y, reaction[t].y);
  atomicAdd(&force[j0 + t].z, reaction[t].z);
}

}  // namespace bench
}  // namespace triad
