// Compares the host's elementary functions over their full range with long double, as vector functions for every usable
// instruction set and as scalar functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/aligned_array.h"
#include "core/isa.h"
#include "core/portable_math.h"
#include "elementary_lanes.h"

namespace triad {

void PrintTo(Isa isa, std::ostream *out) { *out << name_of(isa); }

namespace {

template <class Scalar>
void evaluate(Isa isa, Elementary f, int n, const Scalar *x, Scalar *y) {
#if defined(TRIAD_X86_ISAS)
  if (isa == Isa::Avx512) return evaluate_avx512(f, n, x, y);
  if (isa == Isa::Avx2) return evaluate_avx2(f, n, x, y);
#endif
  (void)isa;
  evaluate_baseline(f, n, x, y);
}

template <class Scalar>
Scalar as_number(Elementary f, Scalar x) {
  Scalar s, c;
  math::sincospi(x, s, c);
  const auto power = math::exp2_less_one(x);
  const Scalar values[] = {math::exp(x),  math::exp2(x),          power.value, power.less_one,
                           math::log2(x), math::log2_one_plus(x), s,           c};
  return values[int(f)];
}

long double exact(Elementary f, long double x) {
  const long double pi = 3.14159265358979323846264338327950288L;
  switch (f) {
    case Elementary::Exp:
      return std::exp(x);
    case Elementary::Exp2:
    case Elementary::Exp2Value:
      return std::exp2(x);
    case Elementary::Exp2LessOne:
      return std::expm1(x * std::log(2.0L));
    case Elementary::Log2:
      return std::log2(x);
    case Elementary::Log2OnePlus:
      return std::log1p(x) * 1.44269504088896340735992468100189214L;
    case Elementary::Rsqrt:
    case Elementary::RsqrtInFloat:
      return 1 / std::sqrt(x);
    case Elementary::SinPi:
      return std::sin(pi * x);
    default:
      return std::sin(pi * (0.5L - x));  // exact where the cosine is zero
  }
}

/// A function, the range of its argument, and the maximum error in ulp of the result; of the cosine in ulp of 1; of 2^x
/// - 1 for |x| > 1/2 in ulp of max(1, 2^x).
struct Case {
  Elementary f;
  const char *name;
  bool logarithmic;              // the exponent of x is uniform, not x
  double low[2], high[2], ulps;  // fp64, fp32
  double ulps_of_float = ulps;   // if different from `ulps`
};
const Case cases[] = {
    {Elementary::Exp, "Exp", false, {-708.3, -87.3}, {709.7, 88.7}, 1.0},
    {Elementary::Exp2, "Exp2", false, {-1022, -126}, {1023.99, 127.99}, 1.5},
    {Elementary::Exp2Value, "Exp2Value", false, {-1021, -125}, {1022.99, 126.99}, 2.5},
    {Elementary::Exp2LessOne, "Exp2LessOne", false, {-1022, -126}, {1022.99, 126.99}, 2.5},
    {Elementary::Log2, "Log2", true, {DBL_MIN, FLT_MIN}, {DBL_MAX, FLT_MAX}, 3.0},
    {Elementary::Log2OnePlus, "Log2OnePlus", false, {0, 0}, {1, 1}, 4.0},
    {Elementary::SinPi, "SinPi", false, {0, 0}, {0.5, 0.5}, 3.0},
    {Elementary::CosPi, "CosPi", false, {0, 0}, {0.5, 0.5}, 3.0},
    {Elementary::Rsqrt, "Rsqrt", true, {DBL_MIN, FLT_MIN}, {DBL_MAX, FLT_MAX}, 2.0},
    {Elementary::RsqrtInFloat, "RsqrtInFloat", true, {2 * FLT_MIN, FLT_MIN}, {FLT_MAX, FLT_MAX}, 1 << 30, 2.0},
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class ElementaryFunctions : public testing::TestWithParam<std::tuple<Isa, Case>> {
 protected:
  const Isa isa = std::get<0>(GetParam());
  const Case &c = std::get<1>(GetParam());

  /// Arguments over the range including its ends, with a part of them near 1 and near 0, where cancellation is largest.
  template <class Scalar>
  std::vector<Scalar> arguments() const {
    constexpr int n = 1 << 18, which = sizeof(Scalar) == 4;
    const double low = c.low[which], high = c.high[which];
    std::mt19937_64 engine(7);
    std::vector<Scalar> x = {Scalar(low), Scalar(high)};
    while (x.size() < n) {
      const double u = double(engine() >> 11) / 9007199254740992.0;
      const double near = (u - 0.5) * std::exp2(-double(engine() % 40));
      const double everywhere =
          c.logarithmic ? std::exp2(std::log2(low) + u * (std::log2(high) - std::log2(low))) : low + u * (high - low);
      const double value = x.size() % 2 ? everywhere : c.logarithmic ? 1 + near : near;
      if (value >= low && value <= high) x.push_back(Scalar(value));
    }
    return x;
  }

  template <class Scalar>
  void compare() {
    const std::vector<Scalar> x = arguments<Scalar>();
    const int n = int(x.size());
    AlignedArray<Scalar> in, out;
    in.require(n);
    out.require(n);
    std::copy(x.begin(), x.end(), in.data());
    evaluate(isa, c.f, n, in.data(), out.data());
    double worst = 0, worst_x = 0;
    for (int k = 0; k < n; ++k) {
      const long double expected = exact(c.f, x[k]);
      const bool to_one = c.f == Elementary::CosPi || (c.f == Elementary::Exp2LessOne && std::abs(x[k]) > Scalar(0.5));
      const Scalar size = std::max(std::abs(Scalar(expected)), to_one ? Scalar(1) : Scalar(0));
      const Scalar ulp = size - std::nextafter(size, Scalar(0));
      const double error = double(std::abs((long double)out[k] - expected) / ulp);
      if (!(error <= worst)) {
        worst = error;
        worst_x = double(x[k]);
      }
      if (isa == Isa::Baseline && c.f < Elementary::Rsqrt) {  // vector versions may start from another estimate
        ASSERT_EQ(out[k], as_number(c.f, x[k])) << "differs from the scalar result, x = " << double(x[k]);
      }
    }
    EXPECT_LT(worst, sizeof(Scalar) == 4 ? c.ulps_of_float : c.ulps) << "at x = " << worst_x;
    RecordProperty("worst_error_ulps", std::to_string(worst));
  }
};

INSTANTIATE_TEST_SUITE_P(, ElementaryFunctions,
                         testing::Combine(testing::ValuesIn(usable_isas()), testing::ValuesIn(cases)),
                         [](const auto &info) {
                           return std::string(name_of(std::get<0>(info.param))) + std::get<1>(info.param).name;
                         });

TEST_P(ElementaryFunctions, AreRightInDouble) { compare<double>(); }
TEST_P(ElementaryFunctions, AreRightInFloat) { compare<float>(); }

template <class Scalar>
void expect_limits() {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity(), nan = std::numeric_limits<Scalar>::quiet_NaN();
  constexpr Scalar least = std::numeric_limits<Scalar>::min(), most = std::numeric_limits<Scalar>::max();
  for (const Isa isa : usable_isas()) {
    SCOPED_TRACE(name_of(isa));
    for (const Elementary f : {Elementary::Exp, Elementary::Exp2}) {
      alignas(64) const Scalar x[16] = {-infinity, Scalar(-1e30), infinity, Scalar(1e30), nan, 0, Scalar(-0.0)};
      alignas(64) Scalar y[16];
      evaluate(isa, f, 16, x, y);
      for (const int k : {0, 1}) {
        EXPECT_GE(y[k], least);
        EXPECT_LT(y[k], Scalar(1.02) * least);
      }
      for (const int k : {2, 3}) {
        EXPECT_LE(y[k], most);
        EXPECT_GT(y[k], Scalar(0.98) * most);
      }
      EXPECT_TRUE(std::isnan(y[4]));
      EXPECT_EQ(y[5], Scalar(1));
      EXPECT_EQ(y[6], Scalar(1));
    }
  }
}

TEST(ExponentialsBeyondTheirRange, AreItsEnds) {
  expect_limits<double>();
  expect_limits<float>();
}

/// For two atoms at the same position the force, 1/sqrt(x)^3 times a zero separation, must be NaN.
template <class Scalar>
void expect_no_force_at_zero() {
  for (const Isa isa : usable_isas()) {
    alignas(64) const Scalar x[16] = {0};
    alignas(64) Scalar y[16];
    evaluate(isa, Elementary::Rsqrt, 16, x, y);
    EXPECT_FALSE(std::isfinite(y[0] * y[0] * y[0] * Scalar(0))) << name_of(isa);
  }
}
TEST(ReciprocalRootOfZero, GivesNoForce) {
  expect_no_force_at_zero<double>();
  expect_no_force_at_zero<float>();
}

}  // namespace
}  // namespace triad
