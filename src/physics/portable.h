// The one place that knows whether the physics is compiled for the host or for a CUDA device.
//
// TRIAD_HD marks a function that must inline on both. The math functions choose, per arithmetic, the device function
// whose error the forces can bear; each comment states it.
#pragma once

#include <cmath>

#if defined(__CUDACC__)
#define TRIAD_HD __host__ __device__ __forceinline__
#else
#define TRIAD_HD inline __attribute__((always_inline))
#endif

#if defined(__CUDA_ARCH__)
#define TRIAD_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define TRIAD_UNROLL  // host pass of nvcc: nothing of this runs there
#else
#define TRIAD_UNROLL _Pragma("GCC unroll 8")
#endif

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
template <class Real>
TRIAD_HD Real dot(const Vec3<Real> &a, const Vec3<Real> &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

namespace math {

/// A value and its derivative with respect to the argument that the function names.
template <class Real>
struct Dual {
  Real value, derivative;
};

TRIAD_HD double exp(double x) { return ::exp(x); }
TRIAD_HD float exp(float x) { return ::expf(x); }  // 1 ulp
TRIAD_HD double exp2(double x) { return ::exp2(x); }
TRIAD_HD float exp2(float x) { return ::exp2f(x); }
TRIAD_HD double log2(double x) { return ::log2(x); }
TRIAD_HD float log2(float x) { return ::log2f(x); }
TRIAD_HD double abs(double x) { return ::fabs(x); }
TRIAD_HD float abs(float x) { return ::fabsf(x); }

/// 1/x for ordinary x. On the device in fp32: the special function unit's reciprocal and one Newton step, under 1 ulp
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

/// 1/sqrt(x) for x > 0.
TRIAD_HD double rsqrt(double x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(x);
#else
  return 1.0 / ::sqrt(x);
#endif
}
TRIAD_HD float rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrtf(x);
#else
  return 1.0f / ::sqrtf(x);
#endif
}

/// x * y + z with one rounding.
TRIAD_HD double fma(double x, double y, double z) { return ::fma(x, y, z); }
TRIAD_HD float fma(float x, float y, float z) { return ::fmaf(x, y, z); }

/// Sum, difference and product that no compiler fuses with another operation: error terms rely on their rounding. On
/// the host that takes a compiler without contraction (-ffp-contract=off, or a target without fused operations).
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
TRIAD_HD float rounded_square(float x) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(x, x);
#else
  return x * x;
#endif
}

/// sine and cosine of pi * x.
TRIAD_HD void sincospi(double x, double &s, double &c) {
#if defined(__CUDA_ARCH__)
  ::sincospi(x, &s, &c);
#else
  const double a = 3.14159265358979323846 * x;
  s = ::sin(a);
  c = ::cos(a);
#endif
}
TRIAD_HD void sincospi(float x, float &s, float &c) {
#if defined(__CUDA_ARCH__)
  ::sincospif(x, &s, &c);
#else
  const float a = 3.14159265f * x;
  s = ::sinf(a);
  c = ::cosf(a);
#endif
}

/// Largest and smallest argument of the exponential in zeta. In double those of stock LAMMPS (e^69.0776 = 1e30); in
/// float e^46.05 = 1e20, so that zeta and its gradient cannot overflow: there b(zeta) is below 1e-6 either way.
TRIAD_HD double exponent_limit(double) { return 69.0776; }
TRIAD_HD float exponent_limit(float) { return 46.05f; }

}  // namespace math
}  // namespace triad
