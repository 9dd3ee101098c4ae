// The arithmetic of the formulas: a number, or lanes of numbers, one per atom, that are computed at once. Either takes
// the place of `Real` in a formula, so its text is the same for one atom and for a vector of them.
//
// The vector types of GCC and Clang do the work: operators on them are instructions of the target for which the file is
// compiled, and need no flags that relax the arithmetic. `Bytes` is the size of a register; being part of the type, it
// also keeps the code of one target apart from that of another.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(__CUDACC__)
#include <arm_neon.h>
#endif

#include "physics/qualifiers.h"

namespace triad {

/// The type of one number: itself, of lanes their element.
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

/// a where the condition is true, b where it is false.
template <class Real>
TRIAD_HD Real select(bool condition, Real a, Real b) {
  return condition ? a : b;
}

/// The larger and the smaller of a number and a limit; NaN stays.
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

/// The condition itself; of lanes, whether it holds in all of them. Where a branch saves work.
TRIAD_HD bool all(bool condition) { return condition; }

}  // namespace math

#if !defined(__CUDACC__)  // nvcc knows no such types, and the device needs none

/// A register of `Bytes` bytes, and the same where it lies in an array of T.
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
  TRIAD_HD Lanes(T x) : v(x - Vector{}) {}  // the same in every lane; x - 0 is x for every x

  /// [count] numbers, aligned to the register.
  static TRIAD_HD Lanes load(const T *p) {
    return Vector(*reinterpret_cast<const typename Register<T, Bytes>::in_memory *>(p));
  }
  TRIAD_HD void store(T *p) const { *reinterpret_cast<typename Register<T, Bytes>::in_memory *>(p) = v; }

  /// p[4 * index[lane]]
  static TRIAD_HD Lanes gather4(const T *p, const int *index) {
    return gather4(p, index, std::make_integer_sequence<int, count>());
  }

 private:
  template <int... Lane>
  static TRIAD_HD Lanes gather4(const T *p, const int *index, std::integer_sequence<int, Lane...>) {
    return Vector{p[4 * std::ptrdiff_t(index[Lane])]...};
  }
};

/// x, y, z of rows of four numbers: p[4 * index[lane]] and the next two. Rows are aligned to their size.
template <int B>
TRIAD_HD void gather_rows(const double *p, const int *index, Lanes<double, B> &x, Lanes<double, B> &y,
                          Lanes<double, B> &z) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  // whole rows, then exchanged between registers: a third of the loads and of the shuffles
  using Four = typename Register<double, 32>::in_memory;
  const auto row = [&](int lane) __attribute__((always_inline)) {
    return typename Register<double, 32>::type(*reinterpret_cast<const Four *>(p + 4 * std::ptrdiff_t(index[lane])));
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
  x = Lanes<double, B>::gather4(p, index);
  y = Lanes<double, B>::gather4(p + 1, index);
  z = Lanes<double, B>::gather4(p + 2, index);
}

template <class T, int Bytes>
struct ScalarOf<Lanes<T, Bytes>> {
  using type = T;
};

/// The truth of a comparison of Lanes<T>: all bits of a lane set or none.
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
/// Both sides are computed, as everywhere in lanes.
template <class T, int B>
TRIAD_HD LaneMask<T, B> operator||(LaneMask<T, B> a, LaneMask<T, B> b) {
  return {a.v | b.v};
}

/// Integers with the bits of the numbers, and back.
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

/// Sum over the lanes: halves of the register first.
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

/// fp64 in half a register of fp32, in memory.
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

namespace math {

/// a where the mask is true, b where it is false.
template <class T, int B>
TRIAD_HD Lanes<T, B> select(LaneMask<T, B> mask, Lanes<T, B> a, Lanes<T, B> b) {
  return mask.v ? a.v : b.v;
}

/// Whether the mask is true in every lane.
template <class T, int B>
TRIAD_HD bool all(LaneMask<T, B> mask) {
  using Words = typename Register<std::int64_t, B>::type;
  const Words words = (Words)mask.v;
#if defined(__AVX512BW__)
  if constexpr (B == 64) return _mm512_movepi8_mask((__m512i)words) == ~__mmask64(0);
#endif
#if defined(__AVX2__)
  if constexpr (B == 32) return _mm256_movemask_epi8((__m256i)words) == -1;
#endif
#if defined(__SSE2__)
  if constexpr (B == 16) return _mm_movemask_epi8((__m128i)words) == 0xffff;
#elif defined(__aarch64__)
  if constexpr (B == 16) return vminvq_u32((uint32x4_t)words) == ~std::uint32_t(0);
#endif
  std::int64_t common = -1;
  for (int k = 0; k < B / 8; ++k) common &= words[k];
  return common == -1;
}

template <class T, int B>
TRIAD_HD Lanes<T, B> abs(Lanes<T, B> x) {
  const auto sign = bits_of(Lanes<T, B>(T(-0.0)));
  return from_bits(bits_of(x) & ~sign);
}
template <class T, int B>
TRIAD_HD Lanes<T, B> reciprocal(Lanes<T, B> x) {
  return T(1) / x;
}

template <class T, int B>
TRIAD_HD Lanes<T, B> at_least(Lanes<T, B> x, Lanes<T, B> low) {
  return select(low > x, low, x);
}
template <class T, int B>
TRIAD_HD Lanes<T, B> at_most(Lanes<T, B> x, Lanes<T, B> high) {
  return select(high < x, high, x);
}
#if defined(__SSE2__)
// SSE2 selects by three instructions; these are one, which gives its second operand if either is NaN.
TRIAD_HD Lanes<double, 16> at_least(Lanes<double, 16> x, Lanes<double, 16> low) {
  return Lanes<double, 16>::Vector(_mm_max_pd(__m128d(low.v), __m128d(x.v)));
}
TRIAD_HD Lanes<double, 16> at_most(Lanes<double, 16> x, Lanes<double, 16> high) {
  return Lanes<double, 16>::Vector(_mm_min_pd(__m128d(high.v), __m128d(x.v)));
}
TRIAD_HD Lanes<float, 16> at_least(Lanes<float, 16> x, Lanes<float, 16> low) {
  return Lanes<float, 16>::Vector(_mm_max_ps(__m128(low.v), __m128(x.v)));
}
TRIAD_HD Lanes<float, 16> at_most(Lanes<float, 16> x, Lanes<float, 16> high) {
  return Lanes<float, 16>::Vector(_mm_min_ps(__m128(high.v), __m128(x.v)));
}
#endif

/// As of one number (portable.h).
template <class T, int B>
TRIAD_HD Lanes<T, B> rounded_sum(Lanes<T, B> x, Lanes<T, B> y) {
  return x + y;
}

/// As of one number (portable.h).
template <int B>
TRIAD_HD Lanes<float, B> wrapped_difference(Lanes<std::int32_t, B> a, Lanes<std::int32_t, B> b) {
  using Unsigned = typename Lanes<std::uint32_t, B>::Vector;
  using Signed = typename Lanes<std::int32_t, B>::Vector;
  return __builtin_convertvector((Signed)((Unsigned)a.v - (Unsigned)b.v), typename Lanes<float, B>::Vector);
}

/// Square root; where the target's instruction has no generic name, lane by lane.
template <class T, int B>
TRIAD_HD Lanes<T, B> sqrt(Lanes<T, B> x) {
  using Vector [[maybe_unused]] = typename Lanes<T, B>::Vector;
  [[maybe_unused]] constexpr bool is_double = sizeof(T) == 8;
#if defined(__AVX512F__)
  if constexpr (B == 64 && is_double) return (Vector)_mm512_sqrt_pd((__m512d)x.v);
  if constexpr (B == 64 && !is_double) return (Vector)_mm512_sqrt_ps((__m512)x.v);
#endif
#if defined(__AVX__)
  if constexpr (B == 32 && is_double) return (Vector)_mm256_sqrt_pd((__m256d)x.v);
  if constexpr (B == 32 && !is_double) return (Vector)_mm256_sqrt_ps((__m256)x.v);
#endif
#if defined(__SSE2__) && !defined(__CUDACC__)
  if constexpr (B == 16 && is_double) return (Vector)_mm_sqrt_pd((__m128d)x.v);
  if constexpr (B == 16 && !is_double) return (Vector)_mm_sqrt_ps((__m128)x.v);
#elif defined(__aarch64__) && !defined(__CUDACC__)
  if constexpr (B == 16 && is_double) return (Vector)vsqrtq_f64((float64x2_t)x.v);
  if constexpr (B == 16 && !is_double) return (Vector)vsqrtq_f32((float32x4_t)x.v);
#endif
  for (int k = 0; k < Lanes<T, B>::count; ++k) x.v[k] = std::sqrt(x.v[k]);
  return x;
}
template <class T, int B>
TRIAD_HD Lanes<T, B> rsqrt(Lanes<T, B> x) {
  return T(1) / sqrt(x);
}

/// 1/sqrt(x) to the digits of fp32 at least, for normal x within its range: cheaper than in fp64.
template <int B>
TRIAD_HD Lanes<double, B> rsqrt_in_float(Lanes<double, B> x) {
#if defined(__AVX512F__)
  if constexpr (B == 64) {  // an estimate to 2^-14 (VRSQRT14PD), and one Newton step
    const Lanes<double, B> y = (typename Lanes<double, B>::Vector)_mm512_rsqrt14_pd((__m512d)x.v);
    return y * (1.5 - (0.5 * x) * (y * y));
  }
#endif
  using Half = Register<float, B / 2>;
  const auto half = __builtin_convertvector(x.v, typename Half::type);
  if constexpr (B == 16) {  // two lanes have no register of their own
    Lanes<float, B> both = typename Register<float, B>::type{half[0], half[1], half[0], half[1]};
    both = rsqrt(both);
    return typename Register<double, B>::type{double(both.v[0]), double(both.v[1])};
  } else {
    return __builtin_convertvector(rsqrt(Lanes<float, B / 2>(half)).v, typename Register<double, B>::type);
  }
}

}  // namespace math
#endif

}  // namespace triad
