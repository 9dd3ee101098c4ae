// Formulas for tests.
#pragma once

#include "potentials/pairwise/formula.h"

namespace triad {

/// A formula with every operation, of the distance and two parameters. Its derivative is not that of its energy.
inline Formula of_all_operations() {
  FormulaBuilder b;
  FormulaBuilder::Value sum = b.add(b.power(b.distance(), -3), b.power(b.parameter(0), 0.3));
  for (int op = int(FormulaOp::Power); op <= int(FormulaOp::Select); ++op) {
    const auto which = FormulaOp(op);
    const bool of_two =
        which == FormulaOp::Power || which == FormulaOp::Atan2 || which == FormulaOp::Min || which == FormulaOp::Max;
    std::vector<FormulaBuilder::Value> arguments = {b.distance()};
    if (of_two || which == FormulaOp::Select) arguments.push_back(b.parameter(0));
    if (which == FormulaOp::Select) arguments.push_back(b.parameter(1));
    sum = b.add(sum, which == FormulaOp::Power ? b.power(arguments[0], arguments[1]) : b.apply(which, arguments));
  }
  const auto soft = b.add(b.power(b.distance(), 2), b.constant(0.01));
  return b.finish(b.multiply(sum, b.power(soft, -0.5)), b.multiply(sum, b.power(soft, -1.5)));
}

}  // namespace triad
