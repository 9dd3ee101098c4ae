// A formula on vector registers of the host: the steps one after the other, each for several registers, so that the
// choice of the operation costs little.
#pragma once

#include "core/portable_math.h"
#include "potentials/pairwise/formula.h"

namespace triad {

/// `n` registers at a time, of the type Number.
template <class Number, int n>
class FormulaSteps {
  using Real = typename ScalarOf<Number>::type;

 public:
  /// `parameters`: [Formula::most_parameters], or null if each lane has parameters of its own, to be set before
  /// compute(). The formula must stay valid.
  __attribute__((noinline)) FormulaSteps(const Formula &formula, const Real *parameters) {
    energy_ = formula.energy;
    pull_ = formula.pull;
    for (int &slot : parameter_) slot = Formula::most_steps;
    bool fixed[Formula::most_steps];  // steps that do not depend on r are computed here
    for (int k = 0; k < int(formula.steps.size()); ++k) {
      const FormulaStep &s = formula.steps[k];
      if (k == formula.steps_of_pull) steps_of_pull_ = n_steps_;
      fixed[k] = s.op != FormulaOp::Squared;
      if (s.op == FormulaOp::Squared) {
        squared_ = k;
      } else if (s.op == FormulaOp::Constant || s.op == FormulaOp::Parameter) {
        const bool given = s.op == FormulaOp::Constant || parameters;
        if (!given) parameter_[s.a] = k;
        fixed[k] = given;
        for (Number &x : value_[k])
          x = Number(s.op == FormulaOp::Constant ? Real(s.value) : given ? parameters[s.a] : Real(0));
      } else {
        for (const int argument : {s.a, s.b, s.c}) fixed[k] = fixed[k] && (argument < 0 || fixed[argument]);
        if (fixed[k])
          compute(s, value_[k]);
        else
          step_[n_steps_++] = {&s, k};
      }
    }
    if (formula.steps_of_pull == int(formula.steps.size())) steps_of_pull_ = n_steps_;
  }

  /// r^2, to be set before compute().
  TRIAD_HD Number *squared() { return value_[squared_]; }
  /// Parameter number k of each lane.
  TRIAD_HD Number *parameter(int k) { return value_[parameter_[k]]; }
  /// Results of compute(): (dE/dr) / r, and E.
  TRIAD_HD const Number *pull() const { return value_[pull_]; }
  TRIAD_HD const Number *energy() const { return value_[energy_]; }

  __attribute__((noinline)) void compute(bool with_energy) {
    const int count = with_energy ? n_steps_ : steps_of_pull_;
    for (int k = 0; k < count; ++k) compute(*step_[k].step, value_[step_[k].number]);
  }

 private:
  struct Numbered {
    const FormulaStep *step;
    int number;
  };

  /// The logarithm, NaN for x < 0. That of 0 stays finite and negative, so powers of 0 are 0 to rounding.
  TRIAD_HD static Number log2_or_nan(Number x) {
    const Number root = math::sqrt(x);
    return math::log2(x) + (root - root);
  }

  TRIAD_HD void compute(const FormulaStep &s, Number *result) {
    const Number *const a = value_[s.a], *const b = value_[s.b < 0 ? 0 : s.b];
    const Real ln2 = Real(0.69314718055994530942);
    const auto each = [&](auto &&f) __attribute__((always_inline)) {
      TRIAD_UNROLL
      for (int k = 0; k < n; ++k) result[k] = f(k);
    };
    const auto each_long = [&](auto &&f) __attribute__((always_inline)) {
#pragma GCC unroll 1
      for (int k = 0; k < n; ++k) result[k] = f(a[k]);
    };
    switch (s.op) {
      case FormulaOp::Add:
        return each([&](int k) __attribute__((always_inline)) { return a[k] + b[k]; });
      case FormulaOp::Multiply:
        return each([&](int k) __attribute__((always_inline)) { return a[k] * b[k]; });
      case FormulaOp::ReciprocalRoot:
        return each([&](int k) __attribute__((always_inline)) { return math::rsqrt_normal(a[k]); });
      case FormulaOp::Reciprocal:
        return each([&](int k) __attribute__((always_inline)) { return math::reciprocal(a[k]); });
      case FormulaOp::Root:
        return each_long([](Number x) __attribute__((always_inline)) { return math::sqrt(x); });
      case FormulaOp::Exp:
        return each_long([](Number x) __attribute__((always_inline)) { return math::exp(x); });
      case FormulaOp::Exp2:
        return each_long([](Number x) __attribute__((always_inline)) { return math::exp2(x); });
      case FormulaOp::Log:
        return each_long([ln2](Number x) __attribute__((always_inline)) { return ln2 * log2_or_nan(x); });
      case FormulaOp::Log2:
        return each_long([](Number x) __attribute__((always_inline)) { return log2_or_nan(x); });
      default:
        by_lane(s, result);
    }
  }

  /// The functions that the vector registers do not have.
  __attribute__((noinline)) void by_lane(const FormulaStep &s, Number *result) const {
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < Number::count; ++l) {
        const auto argument = [&](int number) -> double { return number < 0 ? 0 : value_[number][k].v[l]; };
        result[k].v[l] = Real(formula_value(s.op, argument(s.a), argument(s.b), argument(s.c)));
      }
  }

  int parameter_[Formula::most_parameters];
  int n_steps_ = 0, steps_of_pull_ = 0, energy_ = 0, pull_ = 0, squared_ = Formula::most_steps;
  Numbered step_[Formula::most_steps];
  Number value_[Formula::most_steps + 1][n];  // the last one is for what the formula does not need
};

}  // namespace triad
