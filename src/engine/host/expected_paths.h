// The paths that the atoms of a HostEngine will probably take.
#pragma once

#include "core/aligned_array.h"
#include "engine/exchange/host_ghosts.h"
#include "engine/md_engine.h"
#include "neighbor/host/expected_motion.h"

namespace triad {

class ExpectedPaths final : public ExpectedMotion {
 public:
  explicit ExpectedPaths(HostGhosts &ghosts) : ghosts_(ghosts) {}

  /// Announces the next forces. `atoms`: masses per atom, the velocities of the drift that was just made, and the
  /// forces before it; `step`: half kick and drift of this step. The arrays are read by to_means(); if several terms
  /// ask for the means, the first of them may have replaced the forces by then.
  void take(const AtomArrays &atoms, const VerletGroup &step, int threads) {
    atoms_ = atoms;
    step_ = step;
    threads_ = threads;
    known_ = false;
  }
  /// With several ranks, the first call after take() is collective.
  const double *to_means() override;

  double bytes() const { return double(mean_.bytes()); }

 private:
  HostGhosts &ghosts_;
  AtomArrays atoms_;
  VerletGroup step_ = {};
  int threads_ = 1;
  bool known_ = false;
  AlignedArray<double> mean_;  // [n_all][3]
};

}  // namespace triad
