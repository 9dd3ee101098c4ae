// Motion of the atoms of a group with a constant velocity, as stock fix move linear.
#pragma once

namespace triad {

/// Atoms at points of their own plus a common displacement.
struct LinearMotion {
  int group_bit = 1;
  int tethers = 0;                     ///< number of MdEngine::set_tethers() under which the engine has the points
  const double *tether = nullptr;      ///< [n_owned][3] the points
  double displacement[3] = {0, 0, 0};  ///< length units
  double velocity[3] = {0, 0, 0};      ///< length units / time unit
};

}  // namespace triad
