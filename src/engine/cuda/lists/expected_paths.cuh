// The expected positions of all atoms, around which pruned lists are made: their array, and what writes it.
#pragma once

#include "engine/cuda/lists/list_ops.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/terms/engine_terms.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class ExpectedPaths {
 public:
  using Position = typename PositionOf<Format>::type;

  ExpectedPaths(TersoffDevice<Format> &tersoff, EngineTerms<Format> &terms, EngineAtoms<Format> &atoms)
      : tersoff_(tersoff), terms_(terms), atoms_(atoms) {}

  /// Sets the time step. Before, and with 0, the lists use no expected positions.
  void set_time_step(double step) { time_step_ = step; }
  /// Returns where the caller must write the expected positions of all atoms before the next list; the lists from now
  /// on use them. Without a time step, nothing is to be written. `weight`: AveragedReferences::weight(); with a weight
  /// below 1, the last pruned list must be one of the present atoms.
  ExpectedPath<Format> renew(double weight);
  /// Extrapolates from positions and velocities where the atoms will be before the next pruned list, for the lists that
  /// are made from now on. Asynchronous.
  void extrapolate(double weight) {
    const auto step = atoms_.state().at.step(time_step_);
    const ExpectedPath<Format> path = renew(weight);
    averaged_ = weight < 1;
    if (path.position) atoms_.for_each(ExpectOp<Format>{atoms_.state(), path, step}, "extrapolating paths of atoms");
  }

  /// True if positions() may contain averages: a caller of renew() may have written some since extrapolate(1).
  bool averaged() const { return averaged_; }

  Position *positions() const { return position_.data(); }
  std::size_t bytes() const { return position_.bytes(); }

 private:
  TersoffDevice<Format> &tersoff_;
  EngineTerms<Format> &terms_;
  EngineAtoms<Format> &atoms_;
  double time_step_ = 0;
  bool averaged_ = false;
  DeviceBuffer<Position> position_{"expected positions"};
};

template <class Format>
ExpectedPath<Format> ExpectedPaths<Format>::renew(double weight) {
  ExpectedPath<Format> path;
  ExpectedPositions<Position> expected;
  if (time_step_ > 0 && atoms_.n() > 0) {
    position_.reserve(atoms_.n());
    path.position = position_.data();
    path.scale = tersoff_.scale();
    path.most = static_cast<float>(narrowest_inner_skin() * terms_.least_cutoff(tersoff_.cutoff()));
    path.step_length = static_cast<float>(1 / atoms_.state().at.step(1.0));
    if (weight < 1) path.before = tersoff_.references();
    path.weight = static_cast<float>(weight);
    averaged_ = averaged_ || weight < 1;
    expected.position = position_.data();
    expected.n = atoms_.n();
  }
  tersoff_.set_expected(expected);
  terms_.set_expected(expected);
  return path;
}

}  // namespace cuda
}  // namespace triad
