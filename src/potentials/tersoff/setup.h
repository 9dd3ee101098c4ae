// Input of a Tersoff computation, and the cutoffs that a pruned list needs; no formulas.
#pragma once

#include <vector>

#include "core/precision.h"
#include "potentials/tersoff/params.h"

namespace triad {

/// Input of a Tersoff computation.
struct TersoffSetup {
  TersoffTable table;
  std::vector<int> type_to_element;  ///< [ntypes + 1]; -1 for a type that the potential ignores (NULL)
  Precision precision = Precision::Mixed;
};

/// Returns [nelements^2] values (cutoff + skin)^2 for a centre of the first element and a neighbour of the second;
/// `skin` is a length.
inline std::vector<double> cutoff_squared(const TersoffTable &table, double skin) {
  std::vector<double> squares;
  for (int i = 0; i < table.nelements(); ++i)
    for (int k = 0; k < table.nelements(); ++k) {
      const double cutoff = table.cutoff(i, k) + skin;
      squares.push_back(cutoff * cutoff);
    }
  return squares;
}

}  // namespace triad
