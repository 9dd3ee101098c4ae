#include "potentials/pairwise/formula.h"

#include <algorithm>
#include <cmath>

namespace triad {
namespace {

/// (c u)^n becomes c^n u^n only if c^n is less than this number and more than its reciprocal. Otherwise c^n or u^n
/// could leave the range of fp32 though (c u)^n does not.
constexpr double most_factor = 1e15;

bool is_whole(double x) { return x == std::floor(x) && std::fabs(x) < 1e6; }

bool same(const FormulaStep &s, const FormulaStep &t) {
  return s.op == t.op && s.a == t.a && s.b == t.b && s.c == t.c && s.value == t.value;
}

}  // namespace

double formula_value(FormulaOp op, double a, double b, double c) {
  switch (op) {
    case FormulaOp::Add:
      return a + b;
    case FormulaOp::Multiply:
      return a * b;
    case FormulaOp::Reciprocal:
      return 1 / a;
    case FormulaOp::Root:
      return std::sqrt(a);
    case FormulaOp::ReciprocalRoot:
      return 1 / std::sqrt(a);
    case FormulaOp::Power:
      return std::pow(a, b);
    case FormulaOp::Exp:
      return std::exp(a);
    case FormulaOp::Exp2:
      return std::exp2(a);
    case FormulaOp::Log:
      return std::log(a);
    case FormulaOp::Log2:
      return std::log2(a);
    case FormulaOp::Sin:
      return std::sin(a);
    case FormulaOp::Cos:
      return std::cos(a);
    case FormulaOp::Tan:
      return std::tan(a);
    case FormulaOp::Asin:
      return std::asin(a);
    case FormulaOp::Acos:
      return std::acos(a);
    case FormulaOp::Atan:
      return std::atan(a);
    case FormulaOp::Atan2:
      return std::atan2(a, b);
    case FormulaOp::Sinh:
      return std::sinh(a);
    case FormulaOp::Cosh:
      return std::cosh(a);
    case FormulaOp::Tanh:
      return std::tanh(a);
    case FormulaOp::Erf:
      return std::erf(a);
    case FormulaOp::Erfc:
      return std::erfc(a);
    case FormulaOp::Step:
      return a >= 0 ? 1 : 0;
    case FormulaOp::Delta:
      return a == 0 ? 1 : 0;
    case FormulaOp::Abs:
      return std::fabs(a);
    case FormulaOp::Floor:
      return std::floor(a);
    case FormulaOp::Ceil:
      return std::ceil(a);
    case FormulaOp::Min:
      return std::min(a, b);
    case FormulaOp::Max:
      return std::max(a, b);
    case FormulaOp::Select:
      return a != 0 ? b : c;
    default:
      return NAN;  // has no arguments
  }
}

int FormulaBuilder::find(const FormulaStep &s) const {
  const auto at = std::find_if(steps_.begin(), steps_.end(), [&](const FormulaStep &t) { return same(s, t); });
  return at == steps_.end() ? -1 : static_cast<int>(at - steps_.begin());
}

int FormulaBuilder::step(const FormulaStep &s) {
  const int found = find(s);
  if (found >= 0) return found;
  steps_.push_back(s);
  return static_cast<int>(steps_.size()) - 1;
}

bool FormulaBuilder::not_negative(int number) const {
  const FormulaOp op = steps_[number].op;
  return op == FormulaOp::Squared || op == FormulaOp::Exp || op == FormulaOp::Exp2 || op == FormulaOp::Root ||
         op == FormulaOp::ReciprocalRoot || op == FormulaOp::Abs;
}

/// Exponentiation by squaring.
int FormulaBuilder::whole_power(int base, int exponent) {
  int result = -1;
  for (int square = base; exponent > 0; exponent /= 2) {
    if (exponent % 2) result = result < 0 ? square : step({FormulaOp::Multiply, result, square});
    if (exponent > 1) square = step({FormulaOp::Multiply, square, square});
  }
  return result;
}

int FormulaBuilder::power_of_step(int base, double exponent) {
  const int root = find({FormulaOp::ReciprocalRoot, base});
  if (is_whole(exponent) && exponent > 0) return whole_power(base, static_cast<int>(exponent));
  if (is_whole(exponent)) {
    const int n = static_cast<int>(-exponent);
    return root >= 0 ? whole_power(root, 2 * n) : whole_power(step({FormulaOp::Reciprocal, base}), n);
  }
  if (is_whole(2 * exponent) && exponent < 0)
    return whole_power(step({FormulaOp::ReciprocalRoot, base}), static_cast<int>(-2 * exponent));
  if (is_whole(2 * exponent)) {
    const bool of_distance = steps_[base].op == FormulaOp::Squared;
    const int half = root >= 0 || of_distance
                         ? step({FormulaOp::Multiply, base, step({FormulaOp::ReciprocalRoot, base})})
                         : step({FormulaOp::Root, base});
    const int whole = static_cast<int>(exponent - 0.5);
    return whole == 0 ? half : step({FormulaOp::Multiply, whole_power(base, whole), half});
  }
  const int scaled = step({FormulaOp::Multiply, as_step(constant(exponent)), step({FormulaOp::Log2, base})});
  return step({FormulaOp::Exp2, scaled});
}

int FormulaBuilder::as_step(const Value &x) {
  int result = -1;
  for (const auto &[base, exponent] : x.power) {
    const int factor = power_of_step(base, exponent);
    result = result < 0 ? factor : step({FormulaOp::Multiply, result, factor});
  }
  if (result >= 0 && x.factor == 1) return result;
  FormulaStep number;
  number.value = x.factor;
  const int factor = step(number);
  return result < 0 ? factor : step({FormulaOp::Multiply, factor, result});
}

FormulaBuilder::Value FormulaBuilder::add(const Value &x, const Value &y) {
  if (x.factor == 0) return y;
  if (y.factor == 0) return x;
  if (x.power == y.power) return multiply(constant(x.factor + y.factor), {1, x.power});
  const int a = as_step(x), b = as_step(y);
  return of({FormulaOp::Add, std::min(a, b), std::max(a, b)});
}

FormulaBuilder::Value FormulaBuilder::multiply(const Value &x, const Value &y) {
  // The derivative of u^v has the term log(u) u^v v', which is zero for a constant v even if u has no logarithm.
  if (x.factor == 0 || y.factor == 0) return constant(0);
  Value product = {x.factor * y.factor, x.power};
  if (product.factor == 0) return constant(0);
  for (const auto &[base, exponent] : y.power) {
    const double sum = product.power[base] += exponent;
    if (sum == 0) product.power.erase(base);
  }
  return product;
}

FormulaBuilder::Value FormulaBuilder::power(const Value &x, double exponent) {
  if (exponent == 0) return constant(1);
  const double factor = std::pow(x.factor, exponent);
  if (x.power.empty()) return constant(factor);
  bool distributes = is_whole(exponent) || x.factor > 0;
  for (const auto &[base, of_base] : x.power) distributes = distributes && (is_whole(exponent) || not_negative(base));
  distributes = distributes && std::fabs(factor) < most_factor && std::fabs(factor) > 1 / most_factor;
  if (!distributes) return {1, {{as_step(x), exponent}}};
  Value result = {factor, {}};
  for (const auto &[base, of_base] : x.power) result.power[base] = of_base * exponent;
  return result;
}

FormulaBuilder::Value FormulaBuilder::power(const Value &x, const Value &exponent) {
  if (exponent.power.empty()) return power(x, exponent.factor);
  return of({FormulaOp::Power, as_step(x), as_step(exponent)});
}

FormulaBuilder::Value FormulaBuilder::apply(FormulaOp op, const std::vector<Value> &arguments) {
  double number[3] = {0, 0, 0};
  bool constants = true;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    constants = constants && arguments[k].power.empty();
    number[k] = arguments[k].factor;
  }
  if (constants) return constant(formula_value(op, number[0], number[1], number[2]));
  FormulaStep s = {op};
  int *const argument[3] = {&s.a, &s.b, &s.c};
  for (std::size_t k = 0; k < arguments.size(); ++k) *argument[k] = as_step(arguments[k]);
  return of(s);
}

Formula FormulaBuilder::finish(const Value &energy, const Value &derivative) {
  // The pull first: its reciprocal roots then serve the energy too.
  const int pull = as_step(multiply(derivative, power(distance(), -1)));
  const int of_energy = as_step(energy);
  // Only steps that a result needs, in order: first those of the pull, then the others of the energy.
  Formula formula;
  std::vector<int> number(steps_.size(), -1);
  for (const int result : {pull, of_energy}) {
    std::vector<char> needed(steps_.size(), 0);
    needed[result] = 1;
    for (std::size_t k = steps_.size(); k-- > 0;) {
      if (!needed[k] || steps_[k].op == FormulaOp::Parameter) continue;
      for (const int argument : {steps_[k].a, steps_[k].b, steps_[k].c})
        if (argument >= 0) needed[argument] = 1;
    }
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (!needed[k] || number[k] >= 0) continue;
      FormulaStep s = steps_[k];
      if (s.op != FormulaOp::Parameter)
        for (int *argument : {&s.a, &s.b, &s.c})
          if (*argument >= 0) *argument = number[*argument];
      number[k] = static_cast<int>(formula.steps.size());
      formula.steps.push_back(s);
    }
    if (result == pull) formula.steps_of_pull = static_cast<int>(formula.steps.size());
  }
  formula.pull = number[pull];
  formula.energy = number[of_energy];
  return formula;
}

}  // namespace triad
