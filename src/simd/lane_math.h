// Math functions of vector registers (lanes.h), overloads of the functions for one number.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(__CUDACC__)
#include <arm_neon.h>
#endif

#include "simd/lanes.h"

#if !defined(__CUDACC__)

namespace triad {
namespace math {

/// Returns a where the mask is true, b where the mask is false.
template <class T, int B>
TRIAD_HD Lanes<T, B> select(LaneMask<T, B> mask, Lanes<T, B> a, Lanes<T, B> b) {
  return mask.v ? a.v : b.v;
}

/// True if the mask is true in every lane.
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
// SSE2 needs three instructions for select(), but only one for a minimum or maximum. These instructions return their
// second operand if either operand is NaN.
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

/// The counterpart of rounded_sum() for one number (core/portable_math.h).
template <class T, int B>
TRIAD_HD Lanes<T, B> rounded_sum(Lanes<T, B> x, Lanes<T, B> y) {
  return x + y;
}

/// The counterpart of wrapped_difference() for one number (core/portable_math.h).
template <int B>
TRIAD_HD Lanes<float, B> wrapped_difference(Lanes<std::int32_t, B> a, Lanes<std::int32_t, B> b) {
  using Unsigned = typename Lanes<std::uint32_t, B>::Vector;
  using Signed = typename Lanes<std::int32_t, B>::Vector;
  return __builtin_convertvector((Signed)((Unsigned)a.v - (Unsigned)b.v), typename Lanes<float, B>::Vector);
}

/// Square root. The compilers have no generic name for the vector instruction; targets without an intrinsic here
/// compute lane by lane.
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
#if defined(__SSE2__)
  if constexpr (B == 16 && is_double) return (Vector)_mm_sqrt_pd((__m128d)x.v);
  if constexpr (B == 16 && !is_double) return (Vector)_mm_sqrt_ps((__m128)x.v);
#elif defined(__aarch64__)
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

/// 1/sqrt(x) with at least the accuracy of fp32, for normal x within the range of fp32; cheaper than the fp64 result.
template <int B>
TRIAD_HD Lanes<double, B> rsqrt_in_float(Lanes<double, B> x) {
#if defined(__AVX512F__)
  if constexpr (B == 64) {  // the estimate has an error of 2^-14 (VRSQRT14PD); one Newton step follows
    const Lanes<double, B> y = (typename Lanes<double, B>::Vector)_mm512_rsqrt14_pd((__m512d)x.v);
    return y * (1.5 - (0.5 * x) * (y * y));
  }
#endif
  using Half = Register<float, B / 2>;
  const auto half = __builtin_convertvector(x.v, typename Half::type);
  if constexpr (B == 16) {  // no vector register type holds only two fp32 lanes
    Lanes<float, B> both = typename Register<float, B>::type{half[0], half[1], half[0], half[1]};
    both = rsqrt(both);
    return typename Register<double, B>::type{double(both.v[0]), double(both.v[1])};
  } else {
    return __builtin_convertvector(rsqrt(Lanes<float, B / 2>(half)).v, typename Register<double, B>::type);
  }
}

}  // namespace math
}  // namespace triad

#endif
