// Parameters of a table in the arithmetic of a loop, and the choice of the model class that a table needs.
#pragma once

#include <vector>

#include "loops/tersoff_atom.h"

namespace triad {

/// [nelements^3] parameters, in the order of TersoffTable.
template <class Real>
std::vector<TersoffParams<Real>> make_params(const TersoffTable &table) {
  return std::vector<TersoffParams<Real>>(table.triplets.begin(), table.triplets.end());
}

/// [nelements^2] squares of (reach + skin) between a centre of the first element and a neighbour of the second.
inline std::vector<double> reach_squared(const TersoffTable &table, double skin) {
  std::vector<double> squares;
  for (int i = 0; i < table.nelements(); ++i)
    for (int k = 0; k < table.nelements(); ++k) {
      const double reach = table.reach(i, k) + skin;
      squares.push_back(reach * reach);
    }
  return squares;
}

/// Calls f(model) with the class that fits: one element with or without lam3, or several. `params` is where the loop
/// reads the table (host or device memory) and may be null for one element.
template <class Real, class F>
void with_model(const TersoffTable &table, const TersoffParams<Real> *params, F &&f) {
  if (table.nelements() > 1) {
    f(ManyElements<Real>{params, table.nelements()});
  } else if (table.triplets[0].lam3 != 0) {
    f(OneElement<Real, true>{TersoffParams<Real>(table.triplets[0])});
  } else {
    f(OneElement<Real, false>{TersoffParams<Real>(table.triplets[0])});
  }
}

}  // namespace triad
