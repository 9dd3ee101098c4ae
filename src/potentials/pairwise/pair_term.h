// The result of a pair law.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// Energy of a pair, and the derivative of the energy with respect to the distance, divided by the distance.
template <class Real>
struct PairTerm {
  Real energy, pull;
};

}  // namespace triad
