// The law of gravity between equal masses as a formula, for the benchmarks of the CPU and of the GPU.
#pragma once

#include <memory>

#include "potentials/pairwise/law_settings.h"

namespace triad {

/// -1 / sqrt(r^2 + eps^2) for one type.
inline PairLawSettings gravity_formula(double eps) {
  FormulaBuilder b;
  const auto soft = b.add(b.power(b.distance(), 2), b.constant(eps * eps));
  FormulaSettings law;
  law.formula = std::make_shared<const Formula>(
      b.finish(b.multiply(b.constant(-1), b.power(soft, -0.5)), b.multiply(b.distance(), b.power(soft, -1.5))));
  law.pairs = TypePairTable<FormulaSettings::Entry>(1);
  return law;
}

}  // namespace triad
