#include "forces/flow/flow_backend.h"

#include "core/error.h"

namespace triad {

bool FlowBackend::advance(SubSteps &steps, FlowRanks *ranks) {
  while (!steps.finished()) {
    if (ranks) ranks->exchange(*this);
    double limit = rates(steps.time());
    if (ranks) limit = ranks->least(limit);
    if (!steps.choose(limit)) return false;
    update(steps.step);
    steps.complete();
  }
  return true;
}

void throw_bad_flow_state() {
  throw LoopError(
      "the state of a cell is not a number; check the mesh, the initial state and the values of boundaries, rain and "
      "friction");
}

}  // namespace triad
