// Positions of the owned atoms at LAMMPS's neighbour list, or at the list that the device has made in its place.
#pragma once

#include "engine/cuda/lists/list_ops.cuh"
#include "engine/cuda/state/engine_atoms.cuh"

namespace triad {
namespace cuda {

/// All functions are asynchronous and throw LoopError.
template <class Format>
class ListPositions {
 public:
  using Position = typename PositionOf<Format>::type;

  ListPositions(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms)
      : device_(device), tersoff_(tersoff), atoms_(atoms) {}

  void reserve(int n) {
    exact_.reserve(n);
    coarse_.reserve(n);
  }
  /// Takes the present positions as those of the list.
  void keep() {
    copy_on_device(exact_.data(), tersoff_.positions(), atoms_.n(), device_.stream(), "keeping positions of the list");
    coarse_limit_ = -1;
  }

  Position *exact() const { return exact_.data(); }
  /// The positions in coarse_format(), for a check of displacements against `limit`.
  const unsigned *coarse(double limit) {
    if (coarse_limit_ != limit) {
      coarse_format_ = CoarseReference::for_limit(limit, tersoff_.scale());
      atoms_.for_each(make_coarse(), "keeping positions of the list");
      coarse_limit_ = limit;
    }
    return coarse_.data();
  }
  const CoarseReference &coarse_format() const { return coarse_format_; }

  /// Computes the positions in coarse_format() from the exact ones.
  ReferenceOp<Format> make_coarse() const { return {exact_.data(), coarse_.data(), coarse_format_}; }
  /// Sets *moved if an atom is farther than `limit` from its position at the list.
  MovedOp<Format> check_moved(double limit, int *moved) const {
    return {tersoff_.positions(), exact_.data(), tersoff_.scale(), limit * limit, moved};
  }

  std::size_t bytes() const { return exact_.bytes() + coarse_.bytes(); }

 private:
  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  double coarse_limit_ = -1;  // limit for which coarse_ was made
  CoarseReference coarse_format_ = {};
  DeviceBuffer<Position> exact_{"positions of LAMMPS's list"};
  DeviceBuffer<unsigned> coarse_{"positions of LAMMPS's list"};
};

}  // namespace cuda
}  // namespace triad
