// Vector registers as a number type. `Real` in a formula is either a number or Lanes, one number per atom, so the same
// text computes one atom or several atoms at once.
//
// Lanes uses the vector extension of GCC and Clang: an operator compiles to instructions of the target of the file and
// needs no relaxed floating-point flags. `Bytes` is the size of a register. Since Bytes is part of the type, functions
// that are compiled for different targets have different symbols.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "simd/qualifiers.h"

namespace triad {

/// The type of one element: Real itself if Real is a number.
template <class Real>
struct ScalarOf {
  using type = Real;
};

TRIAD_HD std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
TRIAD_HD std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
TRIAD_HD double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
TRIAD_HD float from_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

namespace math {

/// Returns a where the condition is true, b where the condition is false.
template <class Real>
TRIAD_HD Real select(bool condition, Real a, Real b) {
  return condition ? a : b;
}

/// The maximum and the minimum of x and a limit; NaN is returned unchanged.
template <class Real>
TRIAD_HD Real at_least(Real x, Real low) {
  return select(low > x, low, x);
}
template <class Real>
TRIAD_HD Real at_most(Real x, Real high) {
  return select(high < x, high, x);
}

TRIAD_HD double sqrt(double x) { return ::sqrt(x); }
TRIAD_HD float sqrt(float x) { return ::sqrtf(x); }

/// The condition itself; the overload for LaneMask is true if the condition holds in all lanes. Used where a branch
/// saves work.
TRIAD_HD bool all(bool condition) { return condition; }

}  // namespace math

#if !defined(__CUDACC__)  // nvcc does not support vector extensions, and device code does not need them

/// A register of `Bytes` bytes, and the same type for access to an array of T.
template <class T, int Bytes>
struct Register {
  typedef T type __attribute__((vector_size(Bytes)));
  typedef T in_memory __attribute__((vector_size(Bytes), may_alias));
};

template <class T, int Bytes>
struct Lanes {
  using Vector = typename Register<T, Bytes>::type;
  static constexpr int count = Bytes / int(sizeof(T));
  Vector v;

  Lanes() = default;
  TRIAD_HD Lanes(Vector x) : v(x) {}
  TRIAD_HD Lanes(T x) : v(x - Vector{}) {}  // broadcast; x - 0 equals x for every x

  /// Loads or stores [count] numbers; p must be aligned to the register.
  static TRIAD_HD Lanes load(const T *p) {
    return Vector(*reinterpret_cast<const typename Register<T, Bytes>::in_memory *>(p));
  }
  TRIAD_HD void store(T *p) const { *reinterpret_cast<typename Register<T, Bytes>::in_memory *>(p) = v; }

  /// p[Scale * index[lane]]
  template <int Scale>
  static TRIAD_HD Lanes gather(const T *p, const int *index) {
    return gather<Scale>(p, index, std::make_integer_sequence<int, count>());
  }

 private:
  template <int Scale, int... Lane>
  static TRIAD_HD Lanes gather(const T *p, const int *index, std::integer_sequence<int, Lane...>) {
    return Vector{p[Scale * std::ptrdiff_t(index[Lane])]...};
  }
};

/// Loads x, y, z of rows of four numbers: p[Scale * index[lane]] and the next two. Each row must be aligned to its
/// size.
template <int Scale = 4, int B>
TRIAD_HD void gather_rows(const double *p, const int *index, Lanes<double, B> &x, Lanes<double, B> &y,
                          Lanes<double, B> &z) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  // Loading each row at once and transposing in registers needs a third of the loads and shuffles.
  using Four = typename Register<double, 32>::in_memory;
  const auto row = [&](int lane) __attribute__((always_inline)) {
    return
        typename Register<double, 32>::type(*reinterpret_cast<const Four *>(p + Scale * std::ptrdiff_t(index[lane])));
  };
  if constexpr (B == 32) {
    const auto a = row(0), b = row(1), c = row(2), d = row(3);
    const auto ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    x = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    z = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    y = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 5, 3, 7), __builtin_shufflevector(c, d, 1, 5, 3, 7), 0,
                                1, 4, 5);
    return;
  }
  if constexpr (B == 64) {
    const auto pair = [&](int lane) __attribute__((always_inline)) {
      return __builtin_shufflevector(row(lane), row(lane + 4), 0, 1, 2, 3, 4, 5, 6, 7);
    };
    const auto a = pair(0), b = pair(1), c = pair(2), d = pair(3);
    const auto ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
               cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
    x = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    z = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    y = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),
                                __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15), 0, 1, 8, 9, 4, 5, 12, 13);
    return;
  }
#endif
#endif
  x = Lanes<double, B>::template gather<Scale>(p, index);
  y = Lanes<double, B>::template gather<Scale>(p + 1, index);
  z = Lanes<double, B>::template gather<Scale>(p + 2, index);
}

/// Writes x, y, z, 0 of each lane to consecutive rows of four numbers, aligned to the register.
template <class T, int B>
TRIAD_HD void store_rows(const Lanes<T, B> &x, const Lanes<T, B> &y, const Lanes<T, B> &z, T *row) {
  using L = Lanes<T, B>;
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  const typename L::Vector zero = {};
  if constexpr (sizeof(T) == 4 && B == 16) {
    const auto low = __builtin_shufflevector(x.v, y.v, 0, 4, 1, 5),
               high = __builtin_shufflevector(x.v, y.v, 2, 6, 3, 7);
    const auto low_z = __builtin_shufflevector(z.v, zero, 0, 4, 1, 5),
               high_z = __builtin_shufflevector(z.v, zero, 2, 6, 3, 7);
    L(__builtin_shufflevector(low, low_z, 0, 1, 4, 5)).store(row);
    L(__builtin_shufflevector(low, low_z, 2, 3, 6, 7)).store(row + 4);
    L(__builtin_shufflevector(high, high_z, 0, 1, 4, 5)).store(row + 8);
    L(__builtin_shufflevector(high, high_z, 2, 3, 6, 7)).store(row + 12);
    return;
  }
  if constexpr (sizeof(T) == 8 && B == 16) {
    L(__builtin_shufflevector(x.v, y.v, 0, 2)).store(row);
    L(__builtin_shufflevector(z.v, zero, 0, 2)).store(row + 2);
    L(__builtin_shufflevector(x.v, y.v, 1, 3)).store(row + 4);
    L(__builtin_shufflevector(z.v, zero, 1, 3)).store(row + 6);
    return;
  }
  if constexpr (sizeof(T) == 8 && B == 32) {
    const auto xy = __builtin_shufflevector(x.v, y.v, 0, 4, 2, 6), z0 = __builtin_shufflevector(z.v, zero, 0, 4, 2, 6);
    const auto odd = __builtin_shufflevector(x.v, y.v, 1, 5, 3, 7),
               odd_z = __builtin_shufflevector(z.v, zero, 1, 5, 3, 7);
    L(__builtin_shufflevector(xy, z0, 0, 1, 4, 5)).store(row);
    L(__builtin_shufflevector(odd, odd_z, 0, 1, 4, 5)).store(row + 4);
    L(__builtin_shufflevector(xy, z0, 2, 3, 6, 7)).store(row + 8);
    L(__builtin_shufflevector(odd, odd_z, 2, 3, 6, 7)).store(row + 12);
    return;
  }
  if constexpr (sizeof(T) == 8 && B == 64) {
    const auto low = __builtin_shufflevector(x.v, y.v, 0, 8, 1, 9, 2, 10, 3, 11),
               low_z = __builtin_shufflevector(z.v, zero, 0, 8, 1, 9, 2, 10, 3, 11);
    const auto high = __builtin_shufflevector(x.v, y.v, 4, 12, 5, 13, 6, 14, 7, 15),
               high_z = __builtin_shufflevector(z.v, zero, 4, 12, 5, 13, 6, 14, 7, 15);
    L(__builtin_shufflevector(low, low_z, 0, 1, 8, 9, 2, 3, 10, 11)).store(row);
    L(__builtin_shufflevector(low, low_z, 4, 5, 12, 13, 6, 7, 14, 15)).store(row + 8);
    L(__builtin_shufflevector(high, high_z, 0, 1, 8, 9, 2, 3, 10, 11)).store(row + 16);
    L(__builtin_shufflevector(high, high_z, 4, 5, 12, 13, 6, 7, 14, 15)).store(row + 24);
    return;
  }
#endif
#endif
  for (int l = 0; l < L::count; ++l) {
    row[4 * l] = x.v[l];
    row[4 * l + 1] = y.v[l];
    row[4 * l + 2] = z.v[l];
    row[4 * l + 3] = T(0);
  }
}

template <class T, int Bytes>
struct ScalarOf<Lanes<T, Bytes>> {
  using type = T;
};

/// The result of a comparison of Lanes<T>: in each lane all bits are set (true) or none (false).
template <class T, int Bytes>
struct LaneMask {
  typedef decltype(typename Lanes<T, Bytes>::Vector{} < typename Lanes<T, Bytes>::Vector{}) Vector;
  Vector v;
};

#define TRIAD_LANES_OPERATOR(op)                                   \
  template <class T, int B>                                        \
  TRIAD_HD Lanes<T, B> operator op(Lanes<T, B> a, Lanes<T, B> b) { \
    return a.v op b.v;                                             \
  }                                                                \
  template <class T, int B>                                        \
  TRIAD_HD Lanes<T, B> operator op(T a, Lanes<T, B> b) {           \
    return a op b.v;                                               \
  }                                                                \
  template <class T, int B>                                        \
  TRIAD_HD Lanes<T, B> operator op(Lanes<T, B> a, T b) {           \
    return a.v op b;                                               \
  }
TRIAD_LANES_OPERATOR(+)
TRIAD_LANES_OPERATOR(-)
TRIAD_LANES_OPERATOR(*)
TRIAD_LANES_OPERATOR(/)
TRIAD_LANES_OPERATOR(&)
TRIAD_LANES_OPERATOR(|)
#undef TRIAD_LANES_OPERATOR

#define TRIAD_LANES_COMPARISON(op)                                    \
  template <class T, int B>                                           \
  TRIAD_HD LaneMask<T, B> operator op(Lanes<T, B> a, Lanes<T, B> b) { \
    return {a.v op b.v};                                              \
  }                                                                   \
  template <class T, int B>                                           \
  TRIAD_HD LaneMask<T, B> operator op(T a, Lanes<T, B> b) {           \
    return {Lanes<T, B>(a).v op b.v};                                 \
  }                                                                   \
  template <class T, int B>                                           \
  TRIAD_HD LaneMask<T, B> operator op(Lanes<T, B> a, T b) {           \
    return {a.v op Lanes<T, B>(b).v};                                 \
  }
TRIAD_LANES_COMPARISON(<)
TRIAD_LANES_COMPARISON(<=)
TRIAD_LANES_COMPARISON(>)
TRIAD_LANES_COMPARISON(>=)
#undef TRIAD_LANES_COMPARISON

template <class T, int B>
TRIAD_HD Lanes<T, B> operator-(Lanes<T, B> a) {
  return -a.v;
}
template <class T, int B>
TRIAD_HD Lanes<T, B> operator~(Lanes<T, B> a) {
  return ~a.v;
}
template <class T, int B>
TRIAD_HD Lanes<T, B> operator<<(Lanes<T, B> a, int n) {
  return a.v << n;
}
template <class T, int B>
TRIAD_HD Lanes<T, B> operator>>(Lanes<T, B> a, int n) {
  return a.v >> n;
}
template <class T, int B>
TRIAD_HD Lanes<T, B> &operator+=(Lanes<T, B> &a, Lanes<T, B> b) {
  a.v += b.v;
  return a;
}
template <class T, int B>
TRIAD_HD Lanes<T, B> &operator-=(Lanes<T, B> &a, Lanes<T, B> b) {
  a.v -= b.v;
  return a;
}
/// Both operands are always evaluated.
template <class T, int B>
TRIAD_HD LaneMask<T, B> operator||(LaneMask<T, B> a, LaneMask<T, B> b) {
  return {a.v | b.v};
}

/// Reinterprets the bits of numbers as integers, and the reverse.
template <int B>
TRIAD_HD Lanes<std::uint64_t, B> bits_of(Lanes<double, B> x) {
  return (typename Lanes<std::uint64_t, B>::Vector)x.v;
}
template <int B>
TRIAD_HD Lanes<std::uint32_t, B> bits_of(Lanes<float, B> x) {
  return (typename Lanes<std::uint32_t, B>::Vector)x.v;
}
template <int B>
TRIAD_HD Lanes<double, B> from_bits(Lanes<std::uint64_t, B> x) {
  return (typename Lanes<double, B>::Vector)x.v;
}
template <int B>
TRIAD_HD Lanes<float, B> from_bits(Lanes<std::uint32_t, B> x) {
  return (typename Lanes<float, B>::Vector)x.v;
}

/// Sum over the lanes, by recursive halving of the register.
template <class T, int B>
TRIAD_HD T sum(Lanes<T, B> x) {
  if constexpr (B > 16) {
    typename Register<T, B / 2>::type half[2];
    std::memcpy(half, &x.v, sizeof x.v);
    return sum(Lanes<T, B / 2>(half[0] + half[1]));
  } else {
    T total = x.v[0];
    for (int k = 1; k < Lanes<T, B>::count; ++k) total += x.v[k];
    return total;
  }
}

/// Stores fp64 lanes as fp32 in memory, and loads them back.
template <int B>
TRIAD_HD void store_narrowed(Lanes<double, B> x, float *p) {
  using Half = typename Register<float, B / 2>::type;
  *reinterpret_cast<typename Register<float, B / 2>::in_memory *>(p) = __builtin_convertvector(x.v, Half);
}
template <int B>
TRIAD_HD Lanes<double, B> load_widened(const float *p) {
  const typename Register<float, B / 2>::type half =
      *reinterpret_cast<const typename Register<float, B / 2>::in_memory *>(p);
  return __builtin_convertvector(half, typename Register<double, B>::type);
}
#endif

}  // namespace triad
