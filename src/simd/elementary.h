// Elementary functions as straight-line arithmetic, without branches, tables or calls. The functions therefore accept
// vector registers (lanes.h) as well as numbers, inline into the formulas, need neither relaxed floating-point flags
// nor a vector math library, and return the same bits in a lane as for a single number.
// unittest/simd/test_elementary.cpp checks the errors stated here on the host; a device calls some of the functions,
// see unittest/core/test_device_math.cu.
//
// Sources: the argument reductions follow J.-M. Muller, Elementary Functions, 3rd ed. (2016); the polynomials are
// minimax fits over the reduced range (Remez exchange).
#pragma once

#include <cstdint>

#include "simd/lane_math.h"

namespace triad {

namespace elementary {

/// c0 + c1 x + c2 x^2 + ... by Horner's rule.
template <class Real, class Scalar>
TRIAD_HD Real polynomial(Real, Scalar c) {
  return Real(c);
}
template <class Real, class Scalar, class... More>
TRIAD_HD Real polynomial(Real x, Scalar c, More... more) {
  return polynomial(x, more...) * x + c;
}

/// Constants and polynomials of a number format. `magic` is 1.5 * 2^52 (fp32: 1.5 * 2^23): the sum of magic and a
/// number smaller than half of magic holds the nearest integer in its low bits. ln2 is split into two parts so that
/// multiples of ln2_high are exact.
template <class Scalar>
struct Format;

template <>
struct Format<double> {
  using Number = double;
  using Bits = std::uint64_t;
  static constexpr int mantissa_bits = 52, bias = 1023;
  static constexpr double magic = 6755399441055744.0, two_to_mantissa_bits = 4503599627370496.0;
  static constexpr double pi = 3.14159265358979324, log2_e = 1.4426950408889634, ln2 = 0.69314718055994531;
  static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  static constexpr double exp_low = -708.39, exp_high = 709.78, exp2_low = -1022, exp2_high = 1023.9999999999999;
  static constexpr Bits root_of_half = 0x3fe6a09e667f3bcdu;

  /// (e^r - 1 - r) / r^2, |r| <= ln(2)/2.
  template <class Real>
  static TRIAD_HD Real exp_tail(Real r) {
    return polynomial(r, 5.0000000000000110e-01, 1.6666666666666413e-01, 4.1666666666530155e-02, 8.3333333334944700e-03,
                      1.3888888943630348e-03, 1.9841269506555356e-04, 2.4801493098744713e-05, 2.7557586396759907e-06,
                      2.7630248418733157e-07, 2.5000053868843496e-08);
  }
  /// log2(1 + f) for 1 + f between sqrt(1/2) and sqrt(2): the series of atanh in s = f / (2 + f).
  template <class Real>
  static TRIAD_HD Real log2_near_one(Real f) {
    const Real s = f / (2.0 + f), y = s * s;
    const Real tail =
        y * polynomial(y, 3.333333333333367e-01, 1.999999999970717e-01, 1.428571437123671e-01, 1.111109928180458e-01,
                       9.091782430459167e-02, 7.657017984569378e-02, 7.398052118606548e-02);
    return 2.8853900817779268 * (s + s * tail);
  }
  /// log2(1 + f) for 0 <= f <= 1.
  template <class Real>
  static TRIAD_HD Real log2_one_plus(Real f) {
    return f * polynomial(
                   f, 1.4426950408889634e+00, -7.2134752044441652e-01, 4.8089834695413386e-01, -3.6067375974326604e-01,
                   2.8853899442031600e-01, -2.4044893090365080e-01, 2.0609642748318460e-01, -1.8031290462569277e-01,
                   1.6015135012790174e-01, -1.4357449445772841e-01, 1.2862092630939251e-01, -1.1292731130325377e-01,
                   9.4112800426928947e-02, -7.1333177031280434e-02, 4.6834980535728363e-02, -2.5287314906132129e-02,
                   1.0591769400987846e-02, -3.1895041457518820e-03, 6.0950595549037875e-04, -5.5224941854867601e-05);
  }
  /// sine_tail and cosine_tail, multiplied by y = x^2 <= 1/4, are sin(pi x) / x - pi and cos(pi x) - 1.
  template <class Real>
  static TRIAD_HD Real sine_tail(Real y) {
    return polynomial(y, -5.167712780049969, 2.550164039877294, -5.992645293187382e-01, 8.214588656989260e-02,
                      -7.370430478760867e-03, 4.662996887609966e-04, -2.190318538412171e-05, 7.694726924408649e-07);
  }
  template <class Real>
  static TRIAD_HD Real cosine_tail(Real y) {
    return polynomial(y, -4.934802200544676, 4.058712126416498, -1.3352627688434646, 2.3533063012980837e-01,
                      -2.5806888739352957e-02, 1.9295562835931208e-03, -1.0456658073600429e-04, 4.1495917001716555e-06);
  }
};

template <>
struct Format<float> {
  using Number = float;
  using Bits = std::uint32_t;
  static constexpr int mantissa_bits = 23, bias = 127;
  static constexpr float magic = 12582912.0f, two_to_mantissa_bits = 8388608.0f;
  static constexpr float pi = 3.14159265f, log2_e = 1.44269504f, ln2 = 0.69314718f;
  static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  static constexpr float exp_low = -87.33f, exp_high = 88.72f, exp2_low = -126, exp2_high = 127.99999f;
  static constexpr Bits root_of_half = 0x3f3504f3u;

  template <class Real>
  static TRIAD_HD Real exp_tail(Real r) {
    return polynomial(r, 4.9999994e-01f, 1.6666521e-01f, 4.1668389e-02f, 8.3687166e-03f, 1.3814639e-03f);
  }
  /// In fp32 a polynomial is cheaper than the division of the series.
  template <class Real>
  static TRIAD_HD Real log2_near_one(Real f) {
    return f * polynomial(f, 1.4426950e+00f, -7.2134735e-01f, 4.8089823e-01f, -3.6069667e-01f, 2.8856742e-01f,
                          -2.3961700e-01f, 2.0459986e-01f, -1.9106562e-01f, 1.8618143e-01f, -1.0995025e-01f);
  }
  template <class Real>
  static TRIAD_HD Real log2_one_plus(Real f) {
    return f * polynomial(f, 1.44269500e+00f, -7.21340208e-01f, 4.80692956e-01f, -3.58408465e-01f, 2.75641387e-01f,
                          -1.97118922e-01f, 1.12856143e-01f, -4.25670345e-02f, 7.54917595e-03f);
  }
  template <class Real>
  static TRIAD_HD Real sine_tail(Real y) {
    return polynomial(y, -5.1677098f, 2.5500698f, -5.9824213e-01f, 7.7560387e-02f);
  }
  template <class Real>
  static TRIAD_HD Real cosine_tail(Real y) {
    return polynomial(y, -4.9348021f, 4.0587091f, -1.3352121f, 2.3493756e-01f, -2.4396717e-02f);
  }
};

template <class Real>
using FormatOf = Format<typename ScalarOf<Real>::type>;

/// x limited to [low, high]; NaN is returned unchanged.
template <class Real, class Scalar>
TRIAD_HD Real clamped(Real x, Scalar low, Scalar high) {
  return math::at_most(math::at_least(x, Real(low)), Real(high));
}

/// e^r 2^k, |r| <= ln(2)/2, where `shifted` = k + magic.
template <class Real>
TRIAD_HD Real scaled_exp(Real r, Real shifted) {
  using F = FormatOf<Real>;
  const Real e = typename F::Number(1) + (r + r * r * F::exp_tail(r));
  return from_bits(bits_of(e) + (bits_of(shifted) << F::mantissa_bits));
}

// e^x and 2^x. The result is limited to the range from the smallest normal number to just below overflow. NaN gives
// NaN.

/// Error below 1 ulp.
template <class Real>
TRIAD_HD Real exp(Real x) {
  using F = FormatOf<Real>;
  x = clamped(x, F::exp_low, F::exp_high);
  const Real shifted = x * F::log2_e + F::magic, k = shifted - F::magic;
  return scaled_exp((x - k * F::ln2_high) - k * F::ln2_low, shifted);
}

/// Error below 1.5 ulp.
template <class Real>
TRIAD_HD Real exp2(Real x) {
  using F = FormatOf<Real>;
  x = clamped(x, F::exp2_low, F::exp2_high);
  const Real shifted = x + F::magic, k = shifted - F::magic;
  return scaled_exp((x - k) * F::ln2, shifted);
}

/// 2^x and 2^x - 1; the result is limited to half of the largest number. The error of 2^x is below 2.5 ulp. The error
/// of 2^x - 1 is below 2.5 ulp for |x| <= 1/2, otherwise below 2.5 ulp of max(1, 2^x).
template <class Real>
struct Power {
  Real value, less_one;
};
template <class Real>
TRIAD_HD Power<Real> exp2_less_one(Real x) {
  using F = FormatOf<Real>;
  constexpr typename F::Number one(1);
  x = clamped(x, F::exp2_low, F::exp2_high - one);
  const Real shifted = x + F::magic, k = shifted - F::magic, r = (x - k) * F::ln2;
  const Real scale = from_bits(bits_of(Real(one)) + (bits_of(shifted) << F::mantissa_bits));
  const Real tail = scale * (r + r * r * F::exp_tail(r));
  return {tail + scale, tail + (scale - one)};
}

/// log2 of a normal x > 0 with an error below 3 ulp. Any other argument gives a finite, meaningless number. The
/// reduction is x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2).
template <class Real>
TRIAD_HD Real log2(Real x) {
  using F = FormatOf<Real>;
  using Bits = typename F::Bits;
  constexpr Bits one = Bits(F::bias) << F::mantissa_bits, exponent = ~((Bits(1) << F::mantissa_bits) - 1);
  const auto bits = bits_of(x), shifted = bits + (one - F::root_of_half);
  // The biased exponent becomes the low bits of a mantissa that is otherwise zero.
  constexpr Bits integers = (Bits(F::bias + F::mantissa_bits) << F::mantissa_bits);
  const Real k = from_bits((shifted >> F::mantissa_bits) | integers) - (F::two_to_mantissa_bits + F::bias);
  return k + F::log2_near_one(from_bits(bits - (shifted & exponent) + one) - typename F::Number(1));
}

/// log2(1 + x) for 0 <= x <= 1 with an error below 4 ulp, on a device below 4.5 ulp, also where x is small.
template <class Real>
TRIAD_HD Real log2_one_plus(Real x) {
  return FormatOf<Real>::log2_one_plus(x);
}

/// Sine and cosine of pi x for 0 <= x <= 1/2. The error of the sine is below 3 ulp, that of the cosine below 3 * 2^-53
/// (fp32: 3 * 2^-24).
template <class Real>
TRIAD_HD void sincospi(Real x, Real &s, Real &c) {
  using F = FormatOf<Real>;
  const Real y = x * x;
  s = F::pi * x + x * (y * F::sine_tail(y));
  c = typename F::Number(1) + y * F::cosine_tail(y);
}

}  // namespace elementary
}  // namespace triad
