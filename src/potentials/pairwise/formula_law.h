// The law of a formula on the host.
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
  /// The terms of one pair. Loops over vector registers use FormulaSteps.
  PairTerm<Real> operator()(Real squared, const Coefficients &c) const {
    Real value[Formula::most_steps];
    int k = 0;
    for (const FormulaStep &s : formula->steps) value[k++] = value_of(s, squared, value, c);
    return {value[formula->energy], value[formula->pull]};
  }

 private:
  static Real value_of(const FormulaStep &s, Real squared, const Real *value, const Coefficients &c) {
    const auto argument = [value](int number) -> double { return number < 0 ? 0 : value[number]; };
    switch (s.op) {
      case FormulaOp::Constant:
        return Real(s.value);
      case FormulaOp::Parameter:
        return c.p[s.a];
      case FormulaOp::Squared:
        return squared;
      case FormulaOp::Add:
        return value[s.a] + value[s.b];
      case FormulaOp::Multiply:
        return value[s.a] * value[s.b];
      case FormulaOp::Reciprocal:
        return math::reciprocal(value[s.a]);
      case FormulaOp::ReciprocalRoot:
        return math::rsqrt_normal(value[s.a]);
      case FormulaOp::Exp:
        return math::exp(value[s.a]);
      case FormulaOp::Exp2:
        return math::exp2(value[s.a]);
      default:
        return Real(formula_value(s.op, argument(s.a), argument(s.b), argument(s.c)));
    }
  }

 public:
  const Formula *formula;
};

}  // namespace triad
