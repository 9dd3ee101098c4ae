// Formats of positions and forces in device memory, for each precision.
#pragma once

#include <cstddef>

#include "core/bond.h"
#include "core/precision.h"

namespace triad {
namespace cuda {

/// Position in 32-bit fixed point that wraps: a coordinate modulo a power of two that exceeds every distance in the
/// neighbour list. The difference of two such numbers is exact for any box size, and a position needs as much bandwidth
/// as in fp32.
struct alignas(16) WrappedPosition {
  int x, y, z, element;
};

/// Scale of WrappedPosition; ignored by DoublePosition.
struct PositionScale {
  double per_length;  ///< counts per length unit, a power of two
  float length;       ///< length units per count

  /// Scale for distances up to `cutoff` on every axis, with an equal allowance for motion until the next list.
  static PositionScale for_cutoff(double cutoff) {
    const double range = std::exp2(std::ceil(std::log2(2 * cutoff)) + 1);  // at least four times the cutoff
    return {4294967296.0 / range, static_cast<float>(range / 4294967296.0)};
  }
};

struct alignas(32) DoublePosition {
  double x, y, z;
  long long element;
};

/// False for a position that is NaN, or so large that its counts exceed 64 bits.
__device__ __forceinline__ bool storable(const double *x, const PositionScale &s) {
  const double counts = (fabs(x[0]) + fabs(x[1]) + fabs(x[2])) * s.per_length;
  return counts < 9.0e18;
}

__device__ __forceinline__ int wrap(double x, double per_length) {
  return static_cast<int>(static_cast<unsigned>(__double2ll_rn(x * per_length)));
}

__device__ __forceinline__ void store(WrappedPosition &p, const double *x, int element, const PositionScale &s) {
  p = {wrap(x[0], s.per_length), wrap(x[1], s.per_length), wrap(x[2], s.per_length), element};
}
__device__ __forceinline__ void store(DoublePosition &p, const double *x, int element, const PositionScale &) {
  p = {x[0], x[1], x[2], element};
}

/// b as seen from a; in fixed point exact modulo the range.
__device__ __forceinline__ WrappedPosition relative_to(const WrappedPosition &a, const WrappedPosition &b) {
  const auto axis = [](int from, int to) {
    return static_cast<int>(static_cast<unsigned>(to) - static_cast<unsigned>(from));
  };
  return {axis(a.x, b.x), axis(a.y, b.y), axis(a.z, b.z), b.element};
}
__device__ __forceinline__ DoublePosition relative_to(const DoublePosition &a, const DoublePosition &b) {
  return {b.x - a.x, b.y - a.y, b.z - a.z, b.element};
}

/// A relative position in length units, rounded once.
__device__ __forceinline__ Vec3<float> vector_of(const WrappedPosition &relative, const PositionScale &s) {
  return {relative.x * s.length, relative.y * s.length, relative.z * s.length};
}
__device__ __forceinline__ Vec3<double> vector_of(const DoublePosition &relative, const PositionScale &) {
  return {relative.x, relative.y, relative.z};
}

/// b - a.
template <class Position>
__device__ __forceinline__ auto difference(const Position &a, const Position &b, const PositionScale &s) {
  return vector_of(relative_to(a, b), s);
}

/// The bond from a centre to a neighbour, given the position of the neighbour relative to the centre, in the arithmetic
/// of a format.
template <class Format>
__device__ __forceinline__ Bond<float> bond_to(const WrappedPosition &relative, const PositionScale &s, float shift) {
  if constexpr (Format::exact_distances)
    return make_bond(Vec3<int>{relative.x, relative.y, relative.z}, s.length, shift);
  else
    return make_bond(vector_of(relative, s), shift);
}
template <class Format>
__device__ __forceinline__ Bond<double> bond_to(const DoublePosition &relative, const PositionScale &s, double shift) {
  return make_bond(vector_of(relative, s), shift);
}

/// In a reference position of the pruned list, the field of the element holds the displacement limit of the atom as the
/// bits of a float.
template <class Position>
__device__ __forceinline__ Position reference_at(Position p, float limit) {
  p.element = __float_as_int(limit);
  return p;
}
template <class Position>
__device__ __forceinline__ float limit_of(const Position &reference) {
  return __int_as_float(static_cast<int>(reference.element));
}
/// Lowers the displacement limit of a reference position. Limits are not negative, so their bits have the same order as
/// their values.
template <class Position>
__device__ __forceinline__ void lower_limit(Position *reference, float limit) {
  atomicMin(reinterpret_cast<int *>(&reference->element), __float_as_int(limit));
}

/// In an expected position, the field of the element holds the element + 1 in its lower 16 bits, and in the upper ones
/// those of the atom's share in the inner skin, as a float that is rounded up. More than 65534 elements would need a
/// table of parameters that fits no memory.
template <class Position>
__device__ __forceinline__ Position expected_at(Position p, float share) {
  const unsigned upper = (__float_as_uint(share) + 0xffffu) & 0xffff0000u;
  p.element = static_cast<int>(upper | (static_cast<unsigned>(p.element + 1) & 0xffffu));
  return p;
}
template <class Position>
__device__ __forceinline__ float share_of(const Position &expected) {
  return __uint_as_float(static_cast<unsigned>(expected.element) & 0xffff0000u);
}
template <class Position>
__device__ __forceinline__ int element_of(const Position &expected) {
  return static_cast<int>(static_cast<unsigned>(expected.element) & 0xffffu) - 1;
}

/// 16-byte loads. They avoid the read-only path, because the compiler may move such loads before the wait for the
/// kernel that writes the positions.
__device__ __forceinline__ WrappedPosition load(const WrappedPosition *p) {
  const int4 v = *reinterpret_cast<const int4 *>(p);
  return {v.x, v.y, v.z, v.w};
}
__device__ __forceinline__ DoublePosition load(const DoublePosition *p) {
  const double2 xy = *reinterpret_cast<const double2 *>(p);
  const double2 zw = *(reinterpret_cast<const double2 *>(p) + 1);
  return {xy.x, xy.y, zw.x, __double_as_longlong(zw.y)};
}

/// Position a shifted by b.
__device__ __forceinline__ WrappedPosition displaced(const WrappedPosition &a, const WrappedPosition &b) {
  const auto axis = [](int p, int q) { return static_cast<int>(static_cast<unsigned>(p) + static_cast<unsigned>(q)); };
  return {axis(a.x, b.x), axis(a.y, b.y), axis(a.z, b.z), a.element};
}
__device__ __forceinline__ DoublePosition displaced(const DoublePosition &a, const DoublePosition &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.element};
}

/// True if the sum of two displacements is zero.
__device__ __forceinline__ bool cancel(const WrappedPosition &a, const WrappedPosition &b) {
  const WrappedPosition sum = displaced(a, b);
  return sum.x == 0 && sum.y == 0 && sum.z == 0;
}
__device__ __forceinline__ bool cancel(const DoublePosition &a, const DoublePosition &b) {
  return a.x + b.x == 0 && a.y + b.y == 0 && a.z + b.z == 0;
}

/// Decoding of list entries that refer to images of atoms: the lower bits are the index of the atom, the upper bits the
/// number of the image. By default all bits are the index.
template <class Position>
struct ImageNames {
  static constexpr int index_bits = 27, max_images = 32;

  const Position *shift = nullptr;  ///< [images] translation from the atom to its image; entry 0 is zero
  int mask = -1;                    ///< bits of the index

  __device__ __forceinline__ int index(int entry) const { return entry & mask; }
  /// Position of the atom or image of `entry` relative to an atom at pi, given the position pj of the atom of `entry`.
  /// The reverse entry gives exactly the negative vector. In fp64 this holds because the image's shift is added after
  /// the difference is taken. All kernels take bonds from this function, so that they compute the same bits.
  __device__ __forceinline__ Position relative(const Position &pi, const Position &pj, int entry) const {
    const unsigned image = static_cast<unsigned>(entry & ~mask) >> index_bits;
    const Position d = relative_to(pi, pj);
    return image ? displaced(d, load(shift + image)) : d;
  }
  /// The same, given the positions of all atoms.
  __device__ __forceinline__ Position relative(const Position *of_atoms, const Position &pi, int entry) const {
    return relative(pi, load(of_atoms + index(entry)), entry);
  }
  /// True if two entries refer to images with opposite shifts.
  __device__ __forceinline__ bool opposite(int entry, int other) const {
    const unsigned a = static_cast<unsigned>(entry & ~mask) >> index_bits;
    const unsigned b = static_cast<unsigned>(other & ~mask) >> index_bits;
    return a == 0 || b == 0 ? a == b : cancel(load(shift + a), load(shift + b));
  }
};

/// Adds to a scalar in device memory atomically. These are reductions (RED) in every kernel. Where a kernel contains a
/// fence, the compiler makes atomicAdd() an operation that returns the old value (ATOM), although nothing reads it.
__device__ __forceinline__ void atomic_reduce(float *p, float v) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "f"(v) : "memory");
}
__device__ __forceinline__ void atomic_reduce(double *p, double v) {
  asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "d"(v) : "memory");
}
__device__ __forceinline__ void atomic_reduce(fixed_point::Word *p, fixed_point::Word v) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
}

/// Force accumulators. fp64 and fixed point: three arrays, scalar reductions.
template <class Format>
struct ForceArray {
  using Sum = typename Format::Sum;
  Sum *base;
  std::size_t stride;  ///< elements between the arrays of x, y and z

  static std::size_t elements(std::size_t n) { return 3 * n; }
  __device__ __forceinline__ void add(int i, const Vec3<Sum> &f) const {
    atomic_reduce(base + i, f.x);
    atomic_reduce(base + stride + i, f.y);
    atomic_reduce(base + 2 * stride + i, f.z);
  }
  __device__ __forceinline__ Sum &component(std::size_t i, int axis) const { return base[axis * stride + i]; }
  __device__ __forceinline__ Vec3<Sum> value(std::size_t i) const {
    return {base[i], base[stride + i], base[2 * stride + i]};
  }
  __device__ __forceinline__ void set(std::size_t i, const Vec3<Sum> &f) const {
    base[i] = f.x;
    base[stride + i] = f.y;
    base[2 * stride + i] = f.z;
  }
  __device__ __forceinline__ void clear(std::size_t i) const { set(i, {Sum(0), Sum(0), Sum(0)}); }
};

/// fp32: 16 bytes per atom, so that one instruction of compute capability 9 adds all components.
template <>
struct ForceArray<SingleFormat> {
  using Sum = float;
  float *base;
  std::size_t stride;

  static std::size_t elements(std::size_t n) { return 4 * n; }
  __device__ __forceinline__ void add(int i, const Vec3<float> &f) const {
    float *p = base + 4 * static_cast<std::size_t>(i);
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "f"(f.x), "f"(f.y),
                 "f"(f.z), "f"(0.0f)
                 : "memory");
#else
    atomic_reduce(p, f.x);
    atomic_reduce(p + 1, f.y);
    atomic_reduce(p + 2, f.z);
#endif
  }
  __device__ __forceinline__ float &component(std::size_t i, int axis) const { return base[4 * i + axis]; }
  __device__ __forceinline__ Vec3<float> value(std::size_t i) const {
    const float4 f = *reinterpret_cast<const float4 *>(base + 4 * i);
    return {f.x, f.y, f.z};
  }
  __device__ __forceinline__ void set(std::size_t i, const Vec3<float> &f) const {
    *reinterpret_cast<float4 *>(base + 4 * i) = make_float4(f.x, f.y, f.z, 0);
  }
  __device__ __forceinline__ void clear(std::size_t i) const { set(i, {0, 0, 0}); }
};

template <class Format>
struct PositionOf {
  using type = WrappedPosition;
};
template <>
struct PositionOf<DoubleFormat> {
  using type = DoublePosition;
};

}  // namespace cuda
}  // namespace triad
