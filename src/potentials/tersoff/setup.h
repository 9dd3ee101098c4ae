// What a Tersoff computation is made of, and what a pruned list needs to know of the potential: cutoffs, no formulas.
#pragma once

#include <vector>

#include "core/precision.h"
#include "potentials/tersoff/params.h"

namespace triad {

/// What a Tersoff computation is made of.
struct TersoffSetup {
  TersoffTable table;
  std::vector<int> type_to_element;  ///< [ntypes + 1]; -1 where the potential has no part in a type (NULL)
  Precision precision = Precision::Mixed;
};

/// [nelements^2] squares of (cutoff + skin) between a centre of the first element and a neighbour of the second.
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
