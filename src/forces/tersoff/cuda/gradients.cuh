// Reduction of forces by gathering: a centre stores the gradient of its energies for each entry of its row, and an atom
// sums what it finds at the reverse of its own entries. No atomic operations and no clearing; the order of a sum is
// that of the atom's row, so that its bits are the same in every run. In fixed point they are those of atomic
// reductions, too.
#pragma once

#include <cstddef>

#include "core/cuda/formats.cuh"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {

/// One gradient per entry of a pruned list, by the numbers of PrunedListView: 16 bytes in fp32, three arrays in fp64.
template <class Real>
struct GradientArray {
  Real *base;
  std::size_t stride;  ///< entries

  static std::size_t elements(std::size_t entries) { return 3 * entries; }
  __device__ __forceinline__ void store(std::size_t entry, const Vec3<Real> &g) const {
    base[entry] = g.x;
    base[stride + entry] = g.y;
    base[2 * stride + entry] = g.z;
  }
  __device__ __forceinline__ Vec3<Real> load(std::size_t entry) const {
    return {base[entry], base[stride + entry], base[2 * stride + entry]};
  }
};
template <>
struct GradientArray<float> {
  float *base;
  std::size_t stride;

  static std::size_t elements(std::size_t entries) { return 4 * entries; }
  __device__ __forceinline__ void store(std::size_t entry, const Vec3<float> &g) const {
    *reinterpret_cast<float4 *>(base + 4 * entry) = make_float4(g.x, g.y, g.z, 0);
  }
  __device__ __forceinline__ Vec3<float> load(std::size_t entry) const {
    const float4 g = *reinterpret_cast<const float4 *>(base + 4 * entry);
    return {g.x, g.y, g.z};
  }
};

/// Entries of a general row from this one on have no bit in the row's word of ForceJob::within and are always gathered.
constexpr int counted_entries = 32;

/// What an atom's force is summed from. Force kernels leave the centre's own part in the force array.
template <class Format>
struct GatherJob {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;

  GradientArray<Real> gradient;
  ForceArray<Format> own;     ///< [n]
  const int *four_reverse;    ///< [4][n] of PrunedListView, null: forces are complete
  const int *general_reverse;
  const long long *general_offset;
  const unsigned *within;     ///< [general rows] of ForceJob
  std::size_t n;

  /// What only a new list changes.
  struct Slots {
    int entry[4];
  };
  __device__ __forceinline__ Slots slots(std::size_t i) const {
    Slots s;
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) s.entry[k] = four_reverse[k * n + i];
    return s;
  }

  /// The force on atom i.
  __device__ __forceinline__ Vec3<Sum> force(std::size_t i, const Slots &slots) const {
    Vec3<Sum> f = own.value(i);
    if (slots.entry[0] < PrunedListView::no_entry) return general_force(PrunedListView::general_row(slots.entry[0]), f);
    Vec3<Real> g[4];
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) {
      g[k] = {Real(0), Real(0), Real(0)};
      if (slots.entry[k] >= 0) g[k] = gradient.load(slots.entry[k]);
    }
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) subtract(f, g[k]);
    return f;
  }

 private:
  static __device__ __forceinline__ void subtract(Vec3<Sum> &f, const Vec3<Real> &g) {
    f = {f.x - to_accumulator<Sum>(g.x), f.y - to_accumulator<Sum>(g.y), f.z - to_accumulator<Sum>(g.z)};
  }
  __device__ __forceinline__ Vec3<Sum> general_force(int row, Vec3<Sum> f) const {
    const long long begin = general_offset[row];
    const int length = static_cast<int>(general_offset[row + 1] - begin);
    const int *const reverse = general_reverse + begin;
    for (unsigned left = within[row]; left; left &= left - 1) subtract(f, gradient.load(reverse[__ffs(left) - 1]));
    for (int k = counted_entries; k < length; ++k) subtract(f, gradient.load(reverse[k]));
    return f;
  }
};

/// Completes the force array.
template <class Format>
__global__ void __launch_bounds__(tuning::gather_block) gather_kernel(const GatherJob<Format> job, StepGuard *guard) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::gather_block) + threadIdx.x;
  const bool mine = i < job.n;
  typename GatherJob<Format>::Slots slots = {};
  if (mine) slots = job.slots(i);
  wait_for_previous_kernel();
  if (!mine || (guard && guard->stopped)) return;
  job.own.set(i, job.force(i, slots));
}

}  // namespace cuda
}  // namespace triad
