#include "elementary_lanes.h"

#include <type_traits>

#include "core/portable_math.h"

namespace triad {
namespace {

template <class Real>
TRIAD_HD Real value_of(Elementary f, Real x) {
  Real s, c;
  switch (f) {
    case Elementary::Exp:
      return math::exp(x);
    case Elementary::Exp2:
      return math::exp2(x);
    case Elementary::Exp2Value:
      return math::exp2_less_one(x).value;
    case Elementary::Exp2LessOne:
      return math::exp2_less_one(x).less_one;
    case Elementary::Log2:
      return math::log2(x);
    case Elementary::Log2OnePlus:
      return math::log2_one_plus(x);
    case Elementary::Rsqrt:
      return math::rsqrt_normal(x);
    case Elementary::RsqrtInFloat:
      if constexpr (std::is_same_v<typename ScalarOf<Real>::type, double>)
        return math::rsqrt_in_float(x);
      else
        return math::rsqrt(x);
    default:
      math::sincospi(x, s, c);
      return f == Elementary::SinPi ? s : c;
  }
}

template <class Scalar>
TRIAD_HD void evaluate(Elementary f, int n, const Scalar *x, Scalar *y) {
  using Real = Lanes<Scalar, TRIAD_REGISTER_BYTES>;
  for (int k = 0; k < n; k += Real::count) value_of(f, Real::load(x + k)).store(y + k);
}

}  // namespace

void TRIAD_EVALUATE(Elementary f, int n, const double *x, double *y) { evaluate(f, n, x, y); }
void TRIAD_EVALUATE(Elementary f, int n, const float *x, float *y) { evaluate(f, n, x, y); }

}  // namespace triad
