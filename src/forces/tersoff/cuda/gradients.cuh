// Reduction of forces by gathering: a centre stores one energy gradient per entry of its row. The force on an atom is
// the sum of the gradients at its own entries minus those at the reverse entries. This needs no atomic operations and
// no clearing. The order of the sum is that of the atom's row, so the bits are the same in every run; in fixed point
// they also equal those of atomic reductions.
#pragma once

#include <cstddef>

#include "core/cuda/formats.cuh"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {

/// One gradient per entry of a pruned list, indexed by PrunedListView::number(): 16 bytes in fp32, three arrays in
/// fp64.
template <class Real>
struct GradientArray {
  Real *base;
  std::size_t stride;  ///< entries

  static std::size_t elements(std::size_t entries) { return 3 * entries; }
  /// The array without the first n entries.
  GradientArray from(std::size_t n) const { return {base + n, stride}; }
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
  GradientArray from(std::size_t n) const { return {base + 4 * n, stride}; }
  __device__ __forceinline__ void store(std::size_t entry, const Vec3<float> &g) const {
    *reinterpret_cast<float4 *>(base + 4 * entry) = make_float4(g.x, g.y, g.z, 0);
  }
  __device__ __forceinline__ Vec3<float> load(std::size_t entry) const {
    const float4 g = *reinterpret_cast<const float4 *>(base + 4 * entry);
    return {g.x, g.y, g.z};
  }
};

/// Argument of the kernels that gather. For rows of more than four entries, the force kernel has already summed the
/// gradients of the own entries in the force array, and `within` holds which entries are within the cutoff, or at
/// least which ones may have gradients other than zero. Rows of the first list are numbered by their atoms, as
/// `length`, `within` and `own` are.
///
/// With linked lists (PrunedList::link()), the atoms of the second list are boundary atoms. Forces on ghosts return to
/// them from other ranks, in the force array.
template <class Format>
struct GatherJob {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;

  GradientArray<Real> gradient;
  ForceArray<Format> own;  ///< [n]
  const int *reverse;      ///< PrunedListView::reverse, or null if the forces are complete
  const int *length;       ///< [n] PrunedListView::length
  const unsigned *within;  ///< [n] ForceJob::within
  int n, width;
  const int *second_reverse;  ///< reverse entries of the second of two linked lists, or null
  const int *second_length;   ///< [n_second] PrunedListView::length of that list
  int n_second, second_width;
  int first_entries;  ///< entries of the first list, before those of the second

  /// The reverse entries of an atom, which change only with the list and can be loaded before the force kernel ends.
  struct Slots {
    int entry[4];  ///< if the row is not `longer`
    bool longer;
    bool boundary;    ///< an atom of the second list
    int own, stride;  ///< number of the first own entry, and from one own entry to the next
  };
  __device__ __forceinline__ Slots slots(std::size_t i) const {
    Slots s;
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) s.entry[k] = reverse[short_entry(n, i, k)];
    s.longer = length && length[i] > 4;
    s.own = static_cast<int>(i);
    s.stride = n;
    s.boundary = second_reverse && !s.longer && s.entry[0] <= PrunedListView::in_second;
    if (s.boundary) {
      const int row = PrunedListView::in_second - s.entry[0];
      TRIAD_UNROLL
      for (int k = 0; k < 4; ++k) s.entry[k] = second_reverse[short_entry(n_second, row, k)];
      s.longer = second_length && second_length[row] > 4;
      s.own = first_entries + row;
      s.stride = n_second;
    }
    return s;
  }

  /// The force on atom i.
  __device__ __forceinline__ Vec3<Sum> force(std::size_t i, const Slots &slots) const {
    if (!length && !second_reverse) return force_of_four(i, slots.entry);
    if (slots.longer)
      return slots.boundary ? force_of_longer_row(
                                  i, second_reverse + long_entry(second_width, n_second, slots.own - first_entries, 0))
                            : force_of_longer_row(i);
    Vec3<Real> own_part[4], others[4];
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) {
      own_part[k] = others[k] = {Real(0), Real(0), Real(0)};
      if (slots.entry[k] == PrunedListView::no_entry) continue;
      own_part[k] = gradient.load(slots.own + k * slots.stride);
      if (slots.entry[k] >= 0) others[k] = gradient.load(slots.entry[k]);
    }
    Vec3<Sum> f = {Sum(0), Sum(0), Sum(0)};
    if (slots.boundary) f = own.value(i);
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) f = f + to_accumulators<Sum>(own_part[k]);
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) subtract(f, others[k]);
    return f;
  }

  /// The force on an atom i whose row has at most four entries, in a single list. `entry`: reverse entries. All loads
  /// are made without conditions, so that they are in flight together.
  __device__ __forceinline__ Vec3<Sum> force_of_four(std::size_t i, const int (&entry)[4]) const {
    Vec3<Real> own_part[4], others[4];
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) own_part[k] = gradient.load(short_entry(n, i, k));
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) others[k] = gradient.load(entry[k] < 0 ? short_entry(n, i, k) : entry[k]);
    Vec3<Sum> f = {Sum(0), Sum(0), Sum(0)};
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k)
      f = f + to_accumulators<Sum>(entry[k] < 0 ? Vec3<Real>{Real(0), Real(0), Real(0)} : own_part[k]);
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) subtract(f, entry[k] < 0 ? Vec3<Real>{Real(0), Real(0), Real(0)} : others[k]);
    return f;
  }

  /// The force on atom i in a single list. `entry`: reverse entries if the row is not `longer`.
  __device__ __forceinline__ Vec3<Sum> force_of_row(std::size_t i, const int (&entry)[4], bool longer) const {
    return longer ? force_of_longer_row(i) : force_of_four(i, entry);
  }

  /// The same where `own` holds the part of each atom's own row.
  __device__ __forceinline__ Vec3<Sum> with_stored_own(std::size_t i, const Slots &at) const {
    if (at.longer) return force_of_longer_row(i);
    Vec3<Real> others[4];
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k)
      others[k] = at.entry[k] < 0 ? Vec3<Real>{Real(0), Real(0), Real(0)} : gradient.load(at.entry[k]);
    Vec3<Sum> f = own.value(i);
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) subtract(f, others[k]);
    return f;
  }

 private:
  static __device__ __forceinline__ void subtract(Vec3<Sum> &f, const Vec3<Real> &g) {
    const Vec3<Sum> s = to_accumulators<Sum>(g);
    f = {f.x - s.x, f.y - s.y, f.z - s.z};
  }
  __device__ __forceinline__ Vec3<Sum> force_of_longer_row(std::size_t i) const {
    return force_of_longer_row(i, reverse + long_entry(width, n, i, 0));
  }
  /// `of_row`: reverse entries of the row. In batches, so that several loads are in flight.
  __device__ __forceinline__ Vec3<Sum> force_of_longer_row(std::size_t i, const int *of_row) const {
    constexpr int batch = 4;
    Vec3<Sum> f = own.value(i);
    unsigned left = within[i];
    while (left) {
      int entry[batch];
      Vec3<Real> g[batch];
      TRIAD_UNROLL
      for (int b = 0; b < batch; ++b) {
        entry[b] = left ? of_row[__ffs(left) - 1] : PrunedListView::no_entry;
        left &= left - 1;
      }
      TRIAD_UNROLL
      for (int b = 0; b < batch; ++b) {
        g[b] = {Real(0), Real(0), Real(0)};
        if (entry[b] >= 0) g[b] = gradient.load(entry[b]);
      }
      TRIAD_UNROLL
      for (int b = 0; b < batch; ++b) subtract(f, g[b]);
    }
    return f;
  }
};

/// Gathers the forces into the force array, one thread per atom.
template <class Format>
__global__ void __launch_bounds__(tuning::gather_block) gather_kernel(const GatherJob<Format> job, StepGuard *guard) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::gather_block) + threadIdx.x;
  const bool mine = i < static_cast<std::size_t>(job.n);
  typename GatherJob<Format>::Slots slots = {};
  if (mine) slots = job.slots(i);
  wait_for_previous_kernel();
  if (!mine || (guard && guard->stopped)) return;
  job.own.set(i, job.force(i, slots));
}

}  // namespace cuda
}  // namespace triad
