// Floating-point operations of the shallow-water scheme.
#pragma once

#include "dynamics/shallow_water/settings.h"

namespace triad {
namespace bench {

/// Additions, subtractions, multiplications, divisions and square roots, one each, of the flux over an edge between two
/// wet cells, with the sums of its two cells. Comparisons and absolute values are not counted.
long long operations_of_edge(FlowFlux flux);

/// Those of the time step and the update of a cell without rain and friction.
long long operations_of_cell();

}  // namespace bench
}  // namespace triad
