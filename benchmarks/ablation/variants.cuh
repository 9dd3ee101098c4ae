// The force computation of the source paper in four steps; each step is a template switch of the same kernel.
//
// Source: Lin et al., Computer Engineering 49(4), 2023. fp32, one thread per centre, nearest image in the kernel.
//   baseline    lists by atom, general loop over the neighbours, the partial force of every directed bond stored and
//               gathered by a second kernel
//   coalesced   the same with slot k of all atoms contiguous, in the lists and in the partial forces
//   unrolled    centres with exactly four neighbours take the unrolled path, others the general loop
//   atomic      partial forces added to the atoms by atomic reductions, no second kernel
#pragma once

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "forces/tersoff/tersoff_atom.h"

namespace triad {
namespace bench {

enum class Variant { Baseline, Coalesced, Unrolled, Atomic };
constexpr Variant variants[] = {Variant::Baseline, Variant::Coalesced, Variant::Unrolled, Variant::Atomic};
constexpr const char *variant_name[] = {"baseline", "+ coalesced", "+ unrolled", "+ atomic"};

constexpr int force_block = 128, drift_block = 256;
constexpr int max_bonds = 8;  // maximum number of bonds per centre in the bonded list

/// A list of bonded neighbours, `width` slots per atom, in both layouts.
struct BondList {
  int n, width;
  const int *count;    ///< [n]
  const int *by_atom;  ///< [n][width]
  const int *by_slot;  ///< [width][n]
  template <bool Coalesced>
  __device__ __forceinline__ std::size_t at(int i, int slot) const {
    return Coalesced ? static_cast<std::size_t>(slot) * n + i : static_cast<std::size_t>(i) * width + slot;
  }
  template <bool Coalesced>
  __device__ __forceinline__ int neighbour(int i, int slot) const {
    return __ldg((Coalesced ? by_slot : by_atom) + at<Coalesced>(i, slot));
  }
};

/// Edge of the periodic cube.
struct Box {
  float length, inverse;
};

using Model = OneElement<TersoffParams<float>, false>;

__device__ __forceinline__ Vec3<float> nearest_image(const float4 &from, const float4 &to, const Box &box) {
  const auto axis = [&](float a, float b) {
    const float d = b - a;
    return d - box.length * rintf(d * box.inverse);
  };
  return {axis(from.x, to.x), axis(from.y, to.y), axis(from.z, to.z)};
}

/// Adds the gradient on the neighbour in `slot` of centre i in the way of the variant.
template <bool Coalesced, bool Atomic>
struct Sink {
  const BondList &list;
  cuda::ForceArray<SingleFormat> force;
  float4 *partial;
  Vec3<float> own = {0, 0, 0};

  __device__ __forceinline__ void neighbour(int i, int slot, int j, const Vec3<float> &g) {
    if constexpr (Atomic) {
      force.add(j, {-g.x, -g.y, -g.z});
      own = own + g;
    } else {
      partial[list.at<Coalesced>(i, slot)] = make_float4(g.x, g.y, g.z, 0);
    }
  }
  __device__ __forceinline__ void centre(int i) const {
    if constexpr (Atomic) force.add(i, own);
  }
};

template <bool Coalesced, class Sink>
__device__ __forceinline__ void four_neighbours(const Model &model, const BondList &list, const Box &box,
                                                const float4 *__restrict__ x, int i, Sink &sink) {
  constexpr int N = 4;
  const float4 xi = __ldg(x + i);
  int index[N];
  const int element[N] = {0, 0, 0, 0};
  Bond<float> bond[N];
  Vec3<float> gradient[N];
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) index[k] = list.neighbour<Coalesced>(i, k);
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) bond[k] = make_bond(nearest_image(xi, __ldg(x + index[k]), box));
  tersoff_unrolled<N>(model, 0, element, bond, gradient);
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) sink.neighbour(i, k, index[k], gradient[k]);
}

template <bool Coalesced, class Sink>
__device__ __forceinline__ void any_neighbours(const Model &model, const BondList &list, const Box &box,
                                               const float4 *__restrict__ x, int i, int n, Sink &sink) {
  const float4 xi = __ldg(x + i);
  BondRecord<float> record[max_bonds];
  for (int k = 0; k < n; ++k)
    record[k] = make_record(model, 0, 0, make_bond(nearest_image(xi, __ldg(x + list.neighbour<Coalesced>(i, k)), box)));
  for (int k = 0; k < n; ++k) record[k].energy = general_bond_energy(model, 0, k, n, record);
  for (int k = 0; k < n; ++k)
    sink.neighbour(i, k, list.neighbour<Coalesced>(i, k), general_gradient<false>(model, 0, k, n, record, nullptr));
}

/// Forces of all centres. Without Atomic the kernel writes `partial`, which gather_kernel sums.
template <bool Coalesced, bool Unrolled, bool Atomic>
__global__ void __launch_bounds__(force_block)
    force_kernel(Model model, BondList list, Box box, const float4 *__restrict__ x, float4 *partial, float4 *force) {
  const int i = blockIdx.x * force_block + threadIdx.x;
  if (i >= list.n) return;
  Sink<Coalesced, Atomic> sink{list, {reinterpret_cast<float *>(force), 0}, partial};
  const int n = __ldg(list.count + i);
  if (Unrolled && n == 4)
    four_neighbours<Coalesced>(model, list, box, x, i, sink);
  else
    any_neighbours<Coalesced>(model, list, box, x, i, n, sink);
  sink.centre(i);
}

/// Force on i: the sum over its own bonds minus the contributions of each neighbour's bond to i; the kernel searches
/// the slot of that bond in the neighbour's row.
template <bool Coalesced>
__global__ void __launch_bounds__(force_block)
    gather_kernel(BondList list, const float4 *__restrict__ partial, float4 *force) {
  const int i = blockIdx.x * force_block + threadIdx.x;
  if (i >= list.n) return;
  Vec3<float> sum = {0, 0, 0};
  const int n = __ldg(list.count + i);
  for (int k = 0; k < n; ++k) {
    const int j = list.neighbour<Coalesced>(i, k);
    int back = 0;
    while (list.neighbour<Coalesced>(j, back) != i) ++back;  // every list is full, so the row contains i
    const float4 own = __ldg(partial + list.at<Coalesced>(i, k));
    const float4 other = __ldg(partial + list.at<Coalesced>(j, back));
    sum = sum + Vec3<float>{own.x - other.x, own.y - other.y, own.z - other.z};
  }
  force[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

/// Velocity Verlet with the second half kick of a step and the first half kick of the next step combined: v += kick f,
/// x += drift v, so v is half a step behind x and f. `Clear` clears the accumulators for the next sum.
template <bool Clear>
__global__ void kick_drift_kernel(int n, float4 *x, float4 *v, float4 *force, float kick, float drift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 f = force[i];
  float4 vi = v[i], xi = x[i];
  vi.x += kick * f.x;
  vi.y += kick * f.y;
  vi.z += kick * f.z;
  xi.x += drift * vi.x;
  xi.y += drift * vi.y;
  xi.z += drift * vi.z;
  v[i] = vi;
  x[i] = xi;
  if constexpr (Clear) force[i] = make_float4(0, 0, 0, 0);
}

/// Launches the kernels of one force computation. With Variant::Atomic the accumulators must be clear.
inline void launch_forces(Variant variant, const Model &model, const BondList &list, const Box &box, const float4 *x,
                          float4 *partial, float4 *force, cudaStream_t stream) {
  const unsigned blocks = cuda::blocks_for(list.n, force_block);
  switch (variant) {
    case Variant::Baseline:
      force_kernel<false, false, false><<<blocks, force_block, 0, stream>>>(model, list, box, x, partial, force);
      gather_kernel<false><<<blocks, force_block, 0, stream>>>(list, partial, force);
      break;
    case Variant::Coalesced:
      force_kernel<true, false, false><<<blocks, force_block, 0, stream>>>(model, list, box, x, partial, force);
      gather_kernel<true><<<blocks, force_block, 0, stream>>>(list, partial, force);
      break;
    case Variant::Unrolled:
      force_kernel<true, true, false><<<blocks, force_block, 0, stream>>>(model, list, box, x, partial, force);
      gather_kernel<true><<<blocks, force_block, 0, stream>>>(list, partial, force);
      break;
    case Variant::Atomic:
      force_kernel<true, true, true><<<blocks, force_block, 0, stream>>>(model, list, box, x, partial, force);
  }
  cuda::check(cudaGetLastError(), "launching the force kernels");
}

/// Launches the kernel that moves the atoms.
inline void launch_kick_drift(Variant variant, int n, float4 *x, float4 *v, float4 *force, float kick, float drift,
                              cudaStream_t stream) {
  const unsigned blocks = cuda::blocks_for(n, drift_block);
  if (variant == Variant::Atomic)
    kick_drift_kernel<true><<<blocks, drift_block, 0, stream>>>(n, x, v, force, kick, drift);
  else
    kick_drift_kernel<false><<<blocks, drift_block, 0, stream>>>(n, x, v, force, kick, drift);
  cuda::check(cudaGetLastError(), "launching the integration");
}

}  // namespace bench
}  // namespace triad
