// Errors of the device's math functions in core/portable_math.h, against functions of CUDA in fp64. The bounds are at
// most twice the errors that were measured on an H200 with 2^31 arguments in fp32 and 2^29 in fp64. In fp64, exp2() and
// fast_log2() are functions of CUDA at present, which have no error here.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/device_test.h"
#include "core/portable_math.h"

namespace triad {
namespace cuda {
namespace {

constexpr double log2_e = 1.44269504088896340736;

// A function and its exact value. `absolute`: errors are in ulp of 1, and not of the result.
struct FastReciprocal {
  static constexpr double low = 1e-30, high = 1e30, ulps[2] = {1.5, 0.9};
  static constexpr bool logarithmic = true, absolute = false;
  template <class Real>
  __device__ static Real value(Real x) {
    return math::fast_reciprocal(x);
  }
  __device__ static double exact(double x) { return 1 / x; }
};
struct Rsqrt : FastReciprocal {
  static constexpr double ulps[2] = {1.5, 2};
  template <class Real>
  __device__ static Real value(Real x) {
    return math::rsqrt(x);
  }
  __device__ static double exact(double x) { return ::rsqrt(x); }
};
struct Exp2 {
  static constexpr double low = -120, high = 120, ulps[2] = {2, 3};
  static constexpr bool logarithmic = false, absolute = false;
  template <class Real>
  __device__ static Real value(Real x) {
    return math::exp2(x);
  }
  __device__ static double exact(double x) { return ::exp2(x); }
};
struct FastLog2NearOne {
  static constexpr double low = 0.5, high = 2, ulps[2] = {1, 3};
  static constexpr bool logarithmic = false, absolute = true;
  template <class Real>
  __device__ static Real value(Real x) {
    return math::fast_log2(x);
  }
  __device__ static double exact(double x) { return ::log2(x); }
};
struct FastLog2OfSmall : FastLog2NearOne {
  static constexpr double low = 1e-30, high = 0.5;
  static constexpr bool logarithmic = true, absolute = false;
};
struct FastLog2OfLarge : FastLog2OfSmall {
  static constexpr double low = 2, high = 1e30;
};
struct Log2OnePlus {
  static constexpr double low = 1e-12, high = 1, ulps[2] = {6, 5};
  static constexpr bool logarithmic = true, absolute = false;
  template <class Real>
  __device__ static Real value(Real x) {
    return math::log2_one_plus(x);
  }
  __device__ static double exact(double x) { return log2_e * ::log1p(x); }
};
template <class Real>
struct SinCosPi {
  Real s, c;
  __device__ explicit SinCosPi(Real x) { math::sincospi(x, s, c); }
};
struct SinPi {
  static constexpr double low = 0, high = 0.5, ulps[2] = {4.5, 4};
  static constexpr bool logarithmic = false, absolute = false;
  template <class Real>
  __device__ static Real value(Real x) {
    return SinCosPi<Real>(x).s;
  }
  __device__ static double exact(double x) { return ::sinpi(x); }
};
struct CosPi : SinPi {
  static constexpr double ulps[2] = {2, 1.7};
  static constexpr bool absolute = true;
  template <class Real>
  __device__ static Real value(Real x) {
    return SinCosPi<Real>(x).c;
  }
  __device__ static double exact(double x) { return ::cospi(x); }
};

constexpr int threads = 256, blocks = 512, arguments = 1 << 24;

/// Writes the largest error that each thread finds, in ulp; infinite for NaN.
template <class F, class Real>
__global__ void find_errors(double *worst) {
  constexpr int digits = sizeof(Real) == 4 ? 23 : 52;
  double found = 0;
  for (int k = blockIdx.x * threads + threadIdx.x; k < arguments; k += threads * blocks) {
    const double u = (k + 0.5) / arguments;
    const double argument = F::logarithmic ? ::exp2(::log2(F::low) + u * (::log2(F::high) - ::log2(F::low)))
                                           : F::low + u * (F::high - F::low);
    const Real x = static_cast<Real>(argument);
    const double exact = F::exact(x), ulp = ::ldexp(1.0, (F::absolute ? 0 : ::ilogb(exact)) - digits);
    const double error = ::fabs(static_cast<double>(F::value(x)) - exact) / ulp;
    found = error <= found ? found : error == error ? error : INFINITY;
  }
  worst[blockIdx.x * threads + threadIdx.x] = found;
}

template <class F, class Real>
void expect_small_errors() {
  DeviceVector<double> worst{std::vector<double>(threads * blocks)};
  find_errors<F, Real><<<blocks, threads>>>(worst.data());
  check(cudaDeviceSynchronize(), "finding errors");
  const auto errors = sync_host(worst.data(), threads * blocks);
  const double largest = *std::max_element(errors.begin(), errors.end());
  EXPECT_LT(largest, F::ulps[sizeof(Real) == 4]) << 8 * sizeof(Real) << " bits";
  testing::Test::RecordProperty(sizeof(Real) == 4 ? "ulps_fp32" : "ulps_fp64", std::to_string(largest));
}

template <class F>
class DeviceMath : public DeviceTest {};
using Functions = testing::Types<FastReciprocal, Rsqrt, Exp2, FastLog2NearOne, FastLog2OfSmall, FastLog2OfLarge,
                                 Log2OnePlus, SinPi, CosPi>;
TYPED_TEST_SUITE(DeviceMath, Functions);

TYPED_TEST(DeviceMath, HasSmallErrors) {
  expect_small_errors<TypeParam, double>();
  expect_small_errors<TypeParam, float>();
}

}  // namespace
}  // namespace cuda
}  // namespace triad
