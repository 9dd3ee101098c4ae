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
/// Both operands of these operators are always evaluated.
template <class T, int B>
TRIAD_HD LaneMask<T, B> operator||(LaneMask<T, B> a, LaneMask<T, B> b) {
  return {a.v | b.v};
}

template <class T, int B>
TRIAD_HD LaneMask<T, B> operator&&(LaneMask<T, B> a, LaneMask<T, B> b) {
  return {a.v & b.v};
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
#endif

}  // namespace triad
