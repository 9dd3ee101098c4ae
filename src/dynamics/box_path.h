// The boxes of a sequence of steps, as fix deform prescribes them.
#pragma once

#include <vector>

#include "dynamics/box.h"

namespace triad {

/// A box, and how atoms follow it from the box before.
struct BoxStep {
  Box box;
  BoxChange change;
};

/// Sets those axes of an orthogonal or tilted box that follow a path, and the tilts, to those of `from`.
TRIAD_HD void set_axes_of_path(const bool (&deforms)[3], const Box &from, Box &box) {
  for (int d = 0; d < 3; ++d) {
    if (!deforms[d]) continue;
    box.low[d] = from.low[d];
    box.high[d] = from.high[d];
  }
  box.yz = from.yz;
  box.xz = from.xz;
  box.xy = from.xy;
}

/// The boxes of a batch of steps: steps[k] is the box in which atoms are moved in step k + 1, that is, the box after
/// the end of step k; steps[0] is the present box, whose change is none.
struct BoxPath {
  bool deforms[3] = {false, false, false};  ///< the axes that have a path; those of a barostat have none
  std::vector<BoxStep> steps;               ///< at least StepBatch::n_steps

  /// Adds the box of the next step.
  void add(const Box &box) {
    const Box &before = steps.empty() ? box : steps.back().box;
    steps.push_back({box, change_of_box(before, box)});
  }
};

}  // namespace triad
