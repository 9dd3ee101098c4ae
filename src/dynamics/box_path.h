// The boxes of a sequence of steps, as fix deform prescribes them, and how atoms follow their box.
#pragma once

#include <cmath>
#include <vector>

#include "core/portable_math.h"

namespace triad {

/// An orthogonal box, and the dilation by which atoms follow it from the box before: x_d += (x_d - fixed[d]) *
/// growth[d]. Length units.
struct BoxStep {
  double low[3], high[3];
  double fixed[3] = {0, 0, 0}, growth[3] = {0, 0, 0};

  /// Sets the dilation from the box `before`. Returns the axis along which the box is shifted without a change of its
  /// length, which no dilation describes, or -1.
  int set_dilation(const BoxStep &before) {
    int shifted = -1;
    for (int d = 0; d < 3; ++d) {
      const double edge = before.high[d] - before.low[d], shift = low[d] - before.low[d];
      growth[d] = (high[d] - before.high[d] - shift) / edge;
      const bool same_length = std::fabs(growth[d]) < 1e-14;
      if (same_length && std::fabs(shift) > 1e-12 * edge) shifted = d;
      if (same_length) growth[d] = 0;
      fixed[d] = same_length ? before.low[d] : before.low[d] - shift / growth[d];
    }
    return shifted;
  }
};

/// The boxes of a batch of steps: steps[k] is the box in which atoms are moved in step k + 1, that is, the box after
/// the end of step k; steps[0] is the present box, whose growth is 0.
struct BoxPath {
  bool deforms[3] = {false, false, false};  ///< the axes that have a path; those of a barostat have none
  std::vector<BoxStep> steps;               ///< at least StepBatch::n_steps
};

}  // namespace triad
