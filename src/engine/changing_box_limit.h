// The displacements that a neighbour list allows in a box that changes.
#pragma once

#include <algorithm>

#include "dynamics/box.h"
#include "engine/tuning.h"

namespace triad {

/// Largest allowed displacement of an atom since a neighbour list: half the skin, less half the displacements of two
/// corners of the box. Class Neighbor of LAMMPS uses the same limit, so lists are renewed in the same steps.
TRIAD_HD double displacement_limit(double skin, const Box &at_list, const Box &box) {
  const double left = skin - displacements_of_corners(at_list, box);
  return left > 0 ? 0.5 * left : 0;
}

/// Knows this limit for a box that changes in each step. Steps that an engine makes alone have a fixed limit, which is
/// less by a reserve, and stop when the corners have used up the reserve. Lengths in length units.
class ChangingBoxLimit {
 public:
  /// To be called at the start of a run.
  void start(double skin) {
    skin_ = skin;
    reserve_ = tuning::box_reserve;
    shrunk_ = false;
  }
  /// Notes that a list was made in this box. Chooses a reserve with which the corners may move 1.5 times as far as
  /// since the list before: lists of a liquid last for few steps, in which the box changes little.
  void note_list(const Box &box) {
    const double change = displacements_of_corners(at_list_, box), most = tuning::box_reserve;
    reserve_ = change > 0 ? std::clamp(0.75 * change / skin_, tuning::least_box_reserve, most) : most;
    shrunk_ = false;
    at_list_ = box;
  }
  /// The limit in a box.
  double limit_in(const Box &box) const { return displacement_limit(skin_, at_list_, box); }

  /// To be called before the first step in which fixed() is used. `box`: the present one. No atom has then moved by
  /// more than twice fixed(), as the checks of coarse positions require (CoarseReference).
  void fix(const Box &box) {
    const double limit = limit_in(box);
    fixed_ = std::max(0.5 * limit, limit - reserve_ * skin_);
  }
  /// Largest allowed displacement until displacements_of_corners() since the list exceeds most_of_corners().
  double fixed() const { return fixed_; }
  double most_of_corners() const { return skin_ - 2 * fixed_; }
  double skin() const { return skin_; }
  const Box &at_list() const { return at_list_; }
  /// Notes that steps have stopped in this box although no list is due: the box has used up the reserve, or an atom has
  /// moved nearly as far as the list allows. Chooses another reserve if that helps; fix() must follow.
  void note_vain_stop(const Box &box) {
    if (displacements_of_corners(at_list_, box) <= most_of_corners()) {
      shrunk_ = true;
      reserve_ = std::max(tuning::least_box_reserve, reserve_ / tuning::box_reserve_factor);
    } else if (!shrunk_) {
      reserve_ = std::min(tuning::box_reserve, reserve_ * tuning::box_reserve_factor);
    }
  }

 private:
  double skin_ = 0, fixed_ = 0;
  double reserve_ = 0;   // share of the skin
  bool shrunk_ = false;  // by note_vain_stop() since the last list
  Box at_list_ = {};
};

}  // namespace triad
