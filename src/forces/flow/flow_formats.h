// Number formats of shallow water: arithmetic of the fluxes, and state and sums of a cell. In mixed precision,
// differences of states are formed in fp64 and then rounded, so small waves on deep water keep their digits, and both
// cells of an edge receive the same fp32 mass flux, so that no water is lost.
#pragma once

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

}  // namespace triad
