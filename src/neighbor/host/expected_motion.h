// What the host's pruned list asks about the motion of the atoms, so that it can measure their displacements from where
// they are expected and not from where they are.
#pragma once

namespace triad {

class ExpectedMotion {
 public:
  virtual ~ExpectedMotion() = default;
  /// Displacements [n_all][3] of all atoms of the rank, ghosts included, from where they are to the means of the paths
  /// that they will probably take in the next steps; length units of the run. The array is valid until the next step.
  /// Throws LoopError.
  virtual const double *to_means() = 0;
};

}  // namespace triad
