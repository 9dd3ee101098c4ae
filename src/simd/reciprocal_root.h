// 1/sqrt(x) of vector registers without square roots and divisions, which would take several times as long as the rest
// of a pair force: an estimate refined by a series. unittest/simd/test_elementary.cpp checks the error.
#pragma once

#include "simd/elementary.h"

namespace triad {
namespace elementary {

/// An estimate of 1/sqrt(x) for normal x > 0 on the target of the file, and the degree of the series that refines the
/// estimate. Degree 0: the target has no estimate that saves time.
template <class Real>
struct RsqrtEstimate {
  static constexpr int degree = 0;
};

#if !defined(__CUDACC__)
// Errors of the instructions: 2^-14 on AVX-512, 1.5 * 2^-12 otherwise (Intel 64 and IA-32 Architectures Software
// Developer's Manual, VRSQRT14PD and RSQRTPS).
#if defined(__AVX512F__)
template <>
struct RsqrtEstimate<Lanes<double, 64>> {
  static constexpr int degree = 3;
  static TRIAD_HD Lanes<double, 64> of(Lanes<double, 64> x) {
    return Lanes<double, 64>::Vector(_mm512_rsqrt14_pd(__m512d(x.v)));
  }
};
template <>
struct RsqrtEstimate<Lanes<float, 64>> {
  static constexpr int degree = 1;
  static TRIAD_HD Lanes<float, 64> of(Lanes<float, 64> x) {
    return Lanes<float, 64>::Vector(_mm512_rsqrt14_ps(__m512(x.v)));
  }
};
#endif
#if defined(__AVX__)
template <>
struct RsqrtEstimate<Lanes<float, 32>> {
  static constexpr int degree = 2;
  static TRIAD_HD Lanes<float, 32> of(Lanes<float, 32> x) {
    return Lanes<float, 32>::Vector(_mm256_rsqrt_ps(__m256(x.v)));
  }
};
#endif
#if defined(__SSE2__)
template <>
struct RsqrtEstimate<Lanes<float, 16>> {
  static constexpr int degree = 2;
  static TRIAD_HD Lanes<float, 16> of(Lanes<float, 16> x) {
    return Lanes<float, 16>::Vector(_mm_rsqrt_ps(__m128(x.v)));
  }
};
#endif
#if defined(__FMA__)
/// fp64 without an instruction: halving the bits of the exponent gives an error of 3.5 % (C. Lomont, Fast inverse
/// square root, 2003); a minimax fit of the series reduces the error to 7.5e-7.
template <>
struct RsqrtEstimate<Lanes<double, 32>> {
  static constexpr int degree = 2;
  static TRIAD_HD Lanes<double, 32> of(Lanes<double, 32> x) {
    const Lanes<double, 32> y = from_bits(std::uint64_t(0x5fe6eb50c7b537a9u) - (bits_of(x) >> 1));
    const Lanes<double, 32> e = 1.0 - (x * y) * y;
    return y * polynomial(e, 0.9999992536225946, 0.5000004233572829, 0.3762790116365672, 0.3130540969818272);
  }
};
#endif
#endif

/// 1/sqrt(x) for normal x > 0, error below 2 ulp. For x = 0 the result is infinite, NaN, or so large that its cube
/// overflows. With an estimate y the result is y (1 - e)^(-1/2), e = 1 - x y^2.
template <class Real>
TRIAD_HD Real rsqrt_normal(Real x) {
  using Number = typename FormatOf<Real>::Number;
  using Estimate = RsqrtEstimate<Real>;
  if constexpr (Estimate::degree == 0) {
    return Number(1) / math::sqrt(x);
  } else {
    const Real y = Estimate::of(x), e = Number(1) - (x * y) * y;
    if constexpr (Estimate::degree == 1) return y + y * (Number(0.5) * e);
    if constexpr (Estimate::degree == 2) return y + y * (e * polynomial(e, Number(0.5), Number(0.375)));
    if constexpr (Estimate::degree == 3) return y + y * (e * polynomial(e, Number(0.5), Number(0.375), Number(0.3125)));
  }
}

}  // namespace elementary
}  // namespace triad
