// The law of a formula on the host: the steps of the formula one after the other, each for a whole vector register.
#pragma once

#include "potentials/pairwise/formula.h"
#include "potentials/pairwise/laws.h"

namespace triad {

/// Coefficients of a pair of types: the parameters of the formula. Kernels that are compiled at run time use the same
/// struct.
template <class R>
struct FormulaCoefficients {
  R p[Formula::most_parameters];

  FormulaCoefficients() = default;
  explicit FormulaCoefficients(const FormulaSettings::Entry &e) {
    for (int k = 0; k < Formula::most_parameters; ++k) p[k] = R(e.p[k]);
  }
};

template <class R>
struct FormulaLaw {
  using Real = R;
  using Coefficients = FormulaCoefficients<R>;
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit FormulaLaw(const FormulaSettings &s) : formula(s.formula.get()) {}

  static double scale(const FormulaSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number squared, const Coefficients &c) const {
    return term_of(*formula, squared, c);
  }

 private:
  /// The compiler would need long to repeat this code in every loop.
  template <class Number>
  static __attribute__((noinline)) PairTerm<Number> term_of(const Formula &formula, Number squared,
                                                            const Coefficients &c) {
    Number value[Formula::most_steps];
    int k = 0;
    for (const FormulaStep &s : formula.steps) value[k++] = value_of(s, squared, value, c);
    return {value[formula.energy], value[formula.pull]};
  }

  template <class Number>
  static TRIAD_HD Number value_of(const FormulaStep &s, Number squared, const Number *value, const Coefficients &c) {
    const Real ln2 = Real(0.69314718055994530942);
    switch (s.op) {
      case FormulaOp::Constant:
        return Number(Real(s.value));
      case FormulaOp::Parameter:
        return Number(c.p[s.a]);
      case FormulaOp::Squared:
        return squared;
      case FormulaOp::Add:
        return value[s.a] + value[s.b];
      case FormulaOp::Multiply:
        return value[s.a] * value[s.b];
      case FormulaOp::Reciprocal:
        return math::reciprocal(value[s.a]);
      case FormulaOp::Root:
        return math::sqrt(value[s.a]);
      case FormulaOp::ReciprocalRoot:
        return math::rsqrt_normal(value[s.a]);
      case FormulaOp::Exp:
        return math::exp(value[s.a]);
      case FormulaOp::Exp2:
        return math::exp2(value[s.a]);
      case FormulaOp::Log:
        return ln2 * math::log2(value[s.a]);
      case FormulaOp::Log2:
        return math::log2(value[s.a]);
      default:
        return by_lane(s, value);
    }
  }

  /// The functions that the vector registers do not have.
  template <class Number>
  static __attribute__((noinline)) Number by_lane(const FormulaStep &s, const Number *value) {
    const auto lane = [&](int argument, int l) -> double {
      if (argument < 0) return 0;
      if constexpr (std::is_same<Number, Real>::value)
        return value[argument];
      else
        return value[argument].v[l];
    };
    const auto result = [&](int l) { return Real(formula_value(s.op, lane(s.a, l), lane(s.b, l), lane(s.c, l))); };
    if constexpr (std::is_same<Number, Real>::value) {
      return result(0);
    } else {
      Number all;
      for (int l = 0; l < Number::count; ++l) all.v[l] = result(l);
      return all;
    }
  }

 public:
  const Formula *formula;
};

}  // namespace triad
