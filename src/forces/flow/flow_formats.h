// Number formats of shallow water: arithmetic of the fluxes, and state and sums of a cell. In mixed precision,
// differences of states are formed in fp64 and then rounded, so small waves on deep water keep their digits, and both
// cells of an edge receive the same fp32 mass flux, so that no water is lost.
#pragma once

#include "core/precision.h"

namespace triad {

struct FlowSingle {
  using Real = float;
  using State = float;
};
struct FlowMixed {
  using Real = float;
  using State = double;
};
struct FlowDouble {
  using Real = double;
  using State = double;
};

/// The number formats of the flow, for with_format().
struct FlowFormats {
  using Single = FlowSingle;
  using Mixed = FlowMixed;
  using Double = FlowDouble;
};

}  // namespace triad
