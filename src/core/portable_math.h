// Math functions that compile for the host and for a CUDA device; only this file distinguishes the two.
//
// For each arithmetic, the device function is the fastest one whose error is small enough for the forces; the comments
// state the errors. The host uses the branch-free functions of simd/elementary.h, so a loop over atoms around the terms
// compiles to vector instructions.
#pragma once

#include <cmath>
#include <cstdint>

#include "simd/elementary.h"
#include "simd/lane_math.h"
#include "simd/qualifiers.h"
#include "simd/reciprocal_root.h"

namespace triad {

template <class Real>
struct Vec3 {
  Real x, y, z;
};

template <class Real>
TRIAD_HD Vec3<Real> operator+(const Vec3<Real> &a, const Vec3<Real> &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
TRIAD_HD Vec3<Real> operator*(Real s, const Vec3<Real> &a) {
  return {s * a.x, s * a.y, s * a.z};
}

namespace math {

/// A value and its derivative with respect to the argument that the comment of the function names.
template <class Real>
struct Dual {
  Real value, derivative;
};

#if defined(__CUDA_ARCH__)
TRIAD_HD double exp(double x) { return ::exp(x); }
TRIAD_HD float exp(float x) { return ::expf(x); }  // 1 ulp
TRIAD_HD double exp2(double x) { return ::exp2(x); }
TRIAD_HD float exp2(float x) {  // 2.1 ulp, subnormal results become 0
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
TRIAD_HD double log2(double x) { return ::log2(x); }
TRIAD_HD float log2(float x) { return ::log2f(x); }
TRIAD_HD elementary::Power<double> exp2_less_one(double x) { return {::exp2(x), __dadd_rn(::exp2(x), -1.0)}; }
TRIAD_HD elementary::Power<float> exp2_less_one(float x) { return elementary::exp2_less_one(x); }
#else
using elementary::exp;
using elementary::exp2;
using elementary::exp2_less_one;
using elementary::log2;
#endif
using elementary::log2_one_plus;
using elementary::sincospi;

/// exp() as a function of its own, for calls that are rare.
TRIAD_HD_NOINLINE double exp_rarely(double x) { return exp(x); }

/// True if |x| is below 1/16. Device: a comparison of integers, for whose result a branch waits less than for one in
/// fp64.
TRIAD_HD bool below_a_sixteenth(double x) {
#if defined(__CUDA_ARCH__)
  return (__double2hiint(x) & 0x7fffffff) < 0x3fb00000;
#else
  return ::fabs(x) < 0.0625;
#endif
}

/// e^x, by its series to the ninth power where |x| is below 1/16: a quarter of the dependent operations of exp(), which
/// thermostats and barostats wait for. Error below 1 ulp.
TRIAD_HD double exp_of_small(double x) {
  if (!below_a_sixteenth(x)) return exp_rarely(x);
  const double x2 = x * x, x4 = x2 * x2;
  const double powers_2 = 1.0 / 2 + x * (1.0 / 6), powers_4 = 1.0 / 24 + x * (1.0 / 120);
  const double powers_6 = 1.0 / 720 + x * (1.0 / 5040), powers_8 = 1.0 / 40320 + x * (1.0 / 362880);
  return 1 + (x + x2 * ((powers_2 + x2 * powers_4) + x4 * (powers_6 + x2 * powers_8)));
}

/// log2 of a normal x > 0. Device, fp32: the instruction of the special function unit; the error is below 2^-22 for x
/// between 1/2 and 2, otherwise below 2.5 ulp.
template <class Real>
TRIAD_HD Real fast_log2(Real x) {
  return log2(x);
}
#if defined(__CUDA_ARCH__)
TRIAD_HD float fast_log2(float x) {
  float result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
#endif

TRIAD_HD double abs(double x) { return ::fabs(x); }
TRIAD_HD float abs(float x) { return ::fabsf(x); }

/// 1/x for normal x. Device, fp32: the reciprocal of the special function unit and one Newton step; error below 1 ulp
/// without a slow path.
TRIAD_HD double reciprocal(double x) { return 1.0 / x; }
TRIAD_HD float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  const float estimate = __fdividef(1.0f, x);
  return __fmaf_rn(estimate, __fmaf_rn(-x, estimate, 1.0f), estimate);
#else
  return 1.0f / x;
#endif
}

/// 1/x where x and 1/x are normal; on a device the result has no meaning for other x. Device: the reciprocal of the
/// special function unit, refined by a series, in fewer instructions than reciprocal(); error below 1.5 ulp, in fp32
/// below 1 ulp.
#if defined(__CUDA_ARCH__)
TRIAD_HD double fast_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = __fma_rn(-x, y, 1.0);
  return __fma_rn(y, __fma_rn(e, e, e), y);
}
TRIAD_HD float fast_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return __fmaf_rn(y, __fmaf_rn(-x, y, 1.0f), y);
}
#else
template <class Real>
TRIAD_HD Real fast_reciprocal(Real x) {
  return reciprocal(x);
}
#endif

/// 1/sqrt(x) for normal x > 0, error below 2 ulp; for x = 0 the result is not finite. Device: the instruction of the
/// special function unit, in fp64 refined by a series, without a slow path for subnormal numbers.
#if defined(__CUDA_ARCH__)
TRIAD_HD double rsqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = __fma_rn(-(x * y), y, 1.0);
  return __fma_rn(y * e, __fma_rn(e, 0.375, 0.5), y);
}
TRIAD_HD float rsqrt(float x) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
#else
TRIAD_HD double rsqrt(double x) { return 1.0 / ::sqrt(x); }
TRIAD_HD float rsqrt(float x) { return 1.0f / ::sqrtf(x); }
#endif

/// 1/sqrt(x) for normal x > 0. For x = 0 the result is infinite or so large that its cube overflows. Device, fp32: as
/// rsqrt(). Host: simd/reciprocal_root.h.
#if defined(__CUDA_ARCH__)
TRIAD_HD double rsqrt_normal(double x) { return ::rsqrt(x); }
TRIAD_HD float rsqrt_normal(float x) { return rsqrt(x); }
#else
using elementary::rsqrt_normal;
#endif

/// x * y + z with one rounding.
TRIAD_HD double fma(double x, double y, double z) { return ::fma(x, y, z); }
TRIAD_HD float fma(float x, float y, float z) { return ::fmaf(x, y, z); }

/// Rounds x to the nearest integer, for |x| < 2^22 (float) or 2^51 (double): two additions instead of conversions.
template <class Real>
TRIAD_HD Real nearest_whole(Real x) {
  constexpr auto magic = elementary::FormatOf<Real>::magic;
  return (x + magic) - magic;
}

/// a - b modulo 2^32, converted to float.
TRIAD_HD float wrapped_difference(std::int32_t a, std::int32_t b) {
  return static_cast<float>(static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)));
}

/// Sum, difference and product that the device's compiler fuses with no other operation, because error terms and equal
/// bits depend on their rounding. On the host they are ordinary operations: error terms there need a compiler without
/// contraction (-ffp-contract=off, or a target without fused operations), and no equal bits depend on them.
TRIAD_HD double rounded_sum(double x, double y) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(x, y);
#else
  return x + y;
#endif
}
TRIAD_HD float rounded_sum(float x, float y) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(x, y);
#else
  return x + y;
#endif
}
template <class Real>
TRIAD_HD Real rounded_difference(Real x, Real y) {
  return rounded_sum(x, -y);
}
#if defined(__CUDA_ARCH__)
TRIAD_HD double rounded_product(double x, double y) { return __dmul_rn(x, y); }
TRIAD_HD float rounded_product(float x, float y) { return __fmul_rn(x, y); }
#else
template <class Real>
TRIAD_HD Real rounded_product(Real x, Real y) {
  return x * y;
}
#endif

/// x * y + z. On a device with one rounding, so that the result does not depend on what the compiler fuses.
#if defined(__CUDA_ARCH__)
TRIAD_HD double multiply_add(double x, double y, double z) { return fma(x, y, z); }
TRIAD_HD float multiply_add(float x, float y, float z) { return fma(x, y, z); }
#else
template <class Real>
TRIAD_HD Real multiply_add(Real x, Real y, Real z) {
  return x * y + z;
}
#endif

/// rounded_sum() and multiply_add() for each axis of vectors.
template <class Real>
TRIAD_HD Vec3<Real> rounded_sum(const Vec3<Real> &a, const Vec3<Real> &b) {
  return {rounded_sum(a.x, b.x), rounded_sum(a.y, b.y), rounded_sum(a.z, b.z)};
}
template <class Real>
TRIAD_HD Vec3<Real> multiply_add(Real s, const Vec3<Real> &a, const Vec3<Real> &b) {
  return {multiply_add(s, a.x, b.x), multiply_add(s, a.y, b.y), multiply_add(s, a.z, b.z)};
}

/// a * b + c * d. On a device both products are rounded, so that the result is the same if they are exchanged.
template <class Real>
TRIAD_HD Real sum_of_products(Real a, Real b, Real c, Real d) {
  return rounded_sum(rounded_product(a, b), rounded_product(c, d));
}

/// Limit of the absolute value of the exponent in zeta. In double the limit of stock LAMMPS (e^69.0776 = 1e30). In
/// float e^46.05 = 1e20, so that zeta and its gradient cannot overflow; at either limit b(zeta) is below 1e-6.
TRIAD_HD double exponent_limit(double) { return 69.0776; }
TRIAD_HD float exponent_limit(float) { return 46.05f; }

}  // namespace math

template <class Real>
TRIAD_HD Real dot(const Vec3<Real> &a, const Vec3<Real> &b) {
  return math::multiply_add(a.z, b.z, math::multiply_add(a.x, b.x, a.y * b.y));
}

}  // namespace triad
