// A formula of the distance as a list of steps, and its construction from sums, products and functions. The steps are
// those of the energy and of the pull, which share everything that both need.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace triad {

enum class FormulaOp : unsigned char {
  Constant,        // value
  Parameter,       // number a of the pair of types
  Squared,         // r^2
  Add,             // a + b
  Multiply,        // a b
  Reciprocal,      // 1 / a
  Root,            // sqrt(a)
  ReciprocalRoot,  // 1 / sqrt(a)
  Power,           // a^b
  Exp,
  Exp2,
  Log,
  Log2,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,  // of a / b
  Sinh,
  Cosh,
  Tanh,
  Erf,
  Erfc,
  Step,   // 1 for a >= 0, otherwise 0
  Delta,  // 1 for a = 0, otherwise 0
  Abs,
  Floor,
  Ceil,
  Min,
  Max,
  Select  // b for a != 0, otherwise c
};

/// a, b and c are numbers of earlier steps.
struct FormulaStep {
  FormulaOp op = FormulaOp::Constant;
  int a = -1, b = -1, c = -1;
  double value = 0;
};

struct Formula {
  static constexpr int most_parameters = 8, most_steps = 256;

  std::string text;                     ///< as the user has written it
  std::vector<std::string> parameters;  ///< names of the constants of pairs of types, at most most_parameters
  std::vector<FormulaStep> steps;       ///< at most most_steps; first those that the pull needs
  int steps_of_pull = 0;                ///< their number
  int energy = 0, pull = 0;             ///< steps that give the energy, and (dE/dr) / r
};

/// Builds the steps of a formula. Values are products of a number and powers of steps, so that the square of a distance
/// needs no root, and a root in a denominator becomes one reciprocal root: r (r^2 + eps^2)^(-3/2) / r is three
/// multiplications and a reciprocal root. Steps that occur twice are computed once.
class FormulaBuilder {
 public:
  struct Value {
    double factor = 1;
    std::map<int, double> power;  // of steps
  };

  static Value constant(double x) { return {x, {}}; }
  Value parameter(int number) { return of({FormulaOp::Parameter, number}); }
  Value distance() { return {1, {{step({FormulaOp::Squared}), 0.5}}}; }
  Value add(const Value &x, const Value &y);
  static Value multiply(const Value &x, const Value &y);
  Value power(const Value &x, double exponent);
  Value power(const Value &x, const Value &exponent);
  /// A function of one to three arguments, Exp to Select.
  Value apply(FormulaOp op, const std::vector<Value> &arguments);

  /// Returns the formula with this energy and its derivative with respect to r; without text and parameters.
  Formula finish(const Value &energy, const Value &derivative);

 private:
  static Value of(int number) { return {1, {{number, 1}}}; }
  Value of(const FormulaStep &s) { return of(step(s)); }
  int step(const FormulaStep &s);
  int find(const FormulaStep &s) const;
  int as_step(const Value &x);
  int whole_power(int base, int exponent);
  int power_of_step(int base, double exponent);
  bool not_negative(int number) const;

  std::vector<FormulaStep> steps_;
};

/// The value of an operation on numbers. `value`: of a Constant.
double formula_value(FormulaOp op, double a, double b, double c);

}  // namespace triad
