// The force computation of the source paper in its four steps; each step is a template switch of the same kernel.
//
// Source: Lin et al., Computer Engineering 49(4), 2023. fp32, one thread per centre, nearest image in the kernel, lists
// with slot k of all atoms contiguous.
//   baseline    positions, velocities, forces and partial forces are arrays of float4; a general loop over the
//               neighbours; the partial force of every directed bond is stored and gathered by a second kernel
//   coalesced   the float4 arrays become separate arrays of x, y and z
//   unrolled    centres with exactly four neighbours take the unrolled path, others the general loop
//   atomic      partial forces are added to the atoms with atomicAdd, without a second kernel
#pragma once

#include "core/cuda/resources.cuh"
#include "forces/tersoff/tersoff_atom.h"

namespace triad {
namespace bench {

enum class Variant { Baseline, Coalesced, Unrolled, Atomic };
constexpr Variant variants[] = {Variant::Baseline, Variant::Coalesced, Variant::Unrolled, Variant::Atomic};
constexpr const char *variant_name[] = {"baseline", "+ coalesced", "+ unrolled", "+ atomic"};

constexpr int force_block = 128, drift_block = 256;
constexpr int max_bonds = 8;  // maximum number of bonds per centre in the bonded list

/// A list of bonded neighbours, slot k of all atoms contiguous.
struct BondList {
  int n;
  const int *count;  ///< [n]
  const int *entry;  ///< [slots][n]
  __device__ __forceinline__ std::size_t at(int i, int slot) const { return static_cast<std::size_t>(slot) * n + i; }
  __device__ __forceinline__ int neighbour(int i, int slot) const { return __ldg(entry + at(i, slot)); }
};

/// `count` vectors: an array of float4 (array of structures), or an array for each component (structure of arrays).
template <bool Separate>
struct Vectors {
  float *base;
  std::size_t count;

  __device__ __forceinline__ Vec3<float> get(std::size_t i) const {
    if constexpr (Separate) return {base[i], base[count + i], base[2 * count + i]};
    const float4 v = reinterpret_cast<const float4 *>(base)[i];
    return {v.x, v.y, v.z};
  }
  /// get() through the read-only cache.
  __device__ __forceinline__ Vec3<float> read(std::size_t i) const {
    if constexpr (Separate) return {__ldg(base + i), __ldg(base + count + i), __ldg(base + 2 * count + i)};
    const float4 v = __ldg(reinterpret_cast<const float4 *>(base) + i);
    return {v.x, v.y, v.z};
  }
  __device__ __forceinline__ void set(std::size_t i, const Vec3<float> &v) const {
    if constexpr (Separate) {
      base[i] = v.x;
      base[count + i] = v.y;
      base[2 * count + i] = v.z;
    } else {
      reinterpret_cast<float4 *>(base)[i] = make_float4(v.x, v.y, v.z, 0);
    }
  }
  __device__ __forceinline__ void add(std::size_t i, const Vec3<float> &v) const {
    static_assert(Separate, "the paper's atomic step has separate arrays");
    atomicAdd(base + i, v.x);
    atomicAdd(base + count + i, v.y);
    atomicAdd(base + 2 * count + i, v.z);
  }
};

/// Edge of the periodic cube.
struct Box {
  float length, inverse;
};

using Model = OneElement<TersoffParams<float>, false>;

__device__ __forceinline__ Vec3<float> nearest_image(const Vec3<float> &from, const Vec3<float> &to, const Box &box) {
  const auto axis = [&](float a, float b) {
    const float d = b - a;
    return d - box.length * rintf(d * box.inverse);
  };
  return {axis(from.x, to.x), axis(from.y, to.y), axis(from.z, to.z)};
}

/// Arrays of a step. `partial` has one vector per entry of the list.
template <bool Separate>
struct Arrays {
  Vectors<Separate> x, v, force, partial;
};

/// Adds the gradient on the neighbour in `slot` of centre i in the way of the variant.
template <bool Separate, bool Atomic>
struct Sink {
  const BondList &list;
  const Arrays<Separate> &arrays;
  Vec3<float> own = {0, 0, 0};

  __device__ __forceinline__ void neighbour(int i, int slot, int j, const Vec3<float> &g) {
    if constexpr (Atomic) {
      arrays.force.add(j, {-g.x, -g.y, -g.z});
      own = own + g;
    } else {
      arrays.partial.set(list.at(i, slot), g);
    }
  }
  __device__ __forceinline__ void centre(int i) const {
    if constexpr (Atomic) arrays.force.add(i, own);
  }
};

template <bool Separate, class Sink>
__device__ __forceinline__ void four_neighbours(const Model &model, const BondList &list, const Box &box,
                                                const Vectors<Separate> &x, int i, Sink &sink) {
  constexpr int N = 4;
  const Vec3<float> xi = x.read(i);
  int index[N];
  const int element[N] = {0, 0, 0, 0};
  Bond<float> bond[N];
  Vec3<float> gradient[N];
  float energy[N];
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) index[k] = list.neighbour(i, k);
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) bond[k] = make_bond(nearest_image(xi, x.read(index[k]), box));
  tersoff_unrolled<N>(model, 0, element, bond, gradient, energy);
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) sink.neighbour(i, k, index[k], gradient[k]);
}

template <bool Separate, class Sink>
__device__ __forceinline__ void any_neighbours(const Model &model, const BondList &list, const Box &box,
                                               const Vectors<Separate> &x, int i, int n, Sink &sink) {
  const Vec3<float> xi = x.read(i);
  BondRecord<float> record[max_bonds];
  for (int k = 0; k < n; ++k)
    record[k] = make_record(model, 0, 0, make_bond(nearest_image(xi, x.read(list.neighbour(i, k)), box)));
  for (int k = 0; k < n; ++k) record[k].energy = general_bond_energy(model, 0, k, n, record);
  for (int k = 0; k < n; ++k)
    sink.neighbour(i, k, list.neighbour(i, k), general_gradient<false>(model, 0, k, n, record, nullptr));
}

/// Forces of all centres. Without Atomic the kernel writes `partial`, which gather_kernel sums.
template <bool Separate, bool Unrolled, bool Atomic>
__global__ void __launch_bounds__(force_block)
    force_kernel(Model model, BondList list, Box box, const Arrays<Separate> arrays) {
  const int i = blockIdx.x * force_block + threadIdx.x;
  if (i >= list.n) return;
  Sink<Separate, Atomic> sink{list, arrays};
  const int n = __ldg(list.count + i);
  if (Unrolled && n == 4)
    four_neighbours(model, list, box, arrays.x, i, sink);
  else
    any_neighbours(model, list, box, arrays.x, i, n, sink);
  sink.centre(i);
}

/// Force on i: the sum over its own bonds minus the contributions of each neighbour's bond to i; the kernel searches
/// the slot of that bond in the neighbour's row.
template <bool Separate>
__global__ void __launch_bounds__(force_block) gather_kernel(BondList list, const Arrays<Separate> arrays) {
  const int i = blockIdx.x * force_block + threadIdx.x;
  if (i >= list.n) return;
  Vec3<float> sum = {0, 0, 0};
  const int n = __ldg(list.count + i);
  for (int k = 0; k < n; ++k) {
    const int j = list.neighbour(i, k);
    int back = 0;
    while (list.neighbour(j, back) != i) ++back;  // every list is full, so the row contains i
    const Vec3<float> own = arrays.partial.read(list.at(i, k)), other = arrays.partial.read(list.at(j, back));
    sum = sum + Vec3<float>{own.x - other.x, own.y - other.y, own.z - other.z};
  }
  arrays.force.set(i, sum);
}

/// Velocity Verlet with the second half kick of a step and the first half kick of the next step combined: v += kick f,
/// x += drift v, so v is half a step behind x and f. `Clear` clears the accumulators for the next sum.
template <bool Separate, bool Clear>
__global__ void kick_drift_kernel(int n, const Arrays<Separate> arrays, float kick, float drift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Vec3<float> v = arrays.v.get(i) + kick * arrays.force.get(i);
  arrays.v.set(i, v);
  arrays.x.set(i, arrays.x.get(i) + drift * v);
  if constexpr (Clear) arrays.force.set(i, {0, 0, 0});
}

/// Copies n vectors from one layout to the other.
template <bool From, bool To>
__global__ void convert_kernel(int n, const Vectors<From> from, const Vectors<To> to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to.set(i, from.get(i));
}

/// Calls f(separate) with std::true_type if the variant has separate arrays, else with std::false_type.
template <class F>
void with_layout(Variant variant, F &&f) {
  if (variant == Variant::Baseline)
    f(std::false_type());
  else
    f(std::true_type());
}

/// Launches the kernels of one force computation. With Variant::Atomic the accumulators must be clear.
template <bool Separate>
void launch_forces(Variant variant, const Model &model, const BondList &list, const Box &box,
                   const Arrays<Separate> &arrays, cudaStream_t stream) {
  const unsigned blocks = cuda::blocks_for(list.n, force_block);
  if constexpr (Separate) {
    if (variant == Variant::Atomic)
      force_kernel<true, true, true><<<blocks, force_block, 0, stream>>>(model, list, box, arrays);
    else if (variant == Variant::Unrolled)
      force_kernel<true, true, false><<<blocks, force_block, 0, stream>>>(model, list, box, arrays);
    else
      force_kernel<true, false, false><<<blocks, force_block, 0, stream>>>(model, list, box, arrays);
  } else {
    force_kernel<false, false, false><<<blocks, force_block, 0, stream>>>(model, list, box, arrays);
  }
  if (variant != Variant::Atomic) gather_kernel<Separate><<<blocks, force_block, 0, stream>>>(list, arrays);
  cuda::check(cudaGetLastError(), "launching the force kernels");
}

/// Launches the kernel that moves the atoms.
template <bool Separate>
void launch_kick_drift(Variant variant, int n, const Arrays<Separate> &arrays, float kick, float drift,
                       cudaStream_t stream) {
  const unsigned blocks = cuda::blocks_for(n, drift_block);
  if (variant == Variant::Atomic)
    kick_drift_kernel<Separate, true><<<blocks, drift_block, 0, stream>>>(n, arrays, kick, drift);
  else
    kick_drift_kernel<Separate, false><<<blocks, drift_block, 0, stream>>>(n, arrays, kick, drift);
  cuda::check(cudaGetLastError(), "launching the integration");
}

}  // namespace bench
}  // namespace triad
