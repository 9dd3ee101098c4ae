// How often the engine has wrapped its atoms into the periodic box, for the image flags of LAMMPS.
#pragma once

#include <utility>
#include <vector>

#include "engine/cuda/lists/list_ops.cuh"
#include "engine/cuda/state/engine_atoms.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class BoxCrossings {
 public:
  BoxCrossings(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms)
      : device_(device), tersoff_(tersoff), atoms_(atoms) {}

  /// Begins to count how often atoms are wrapped. Asynchronous.
  void start() {
    if (std::exchange(counts_, true)) return;
    const std::size_t n = 3 * std::size_t(atoms_.n());
    crossings_.reserve(n);
    check(cudaMemsetAsync(crossings_.data(), 0, n * sizeof(int), device_.stream()), "counting crossings of the box");
  }
  /// True between start() and the next take() or forget().
  bool counts() const { return counts_; }
  /// Forgets the counts.
  void forget() {
    counts_ = any_ = false;
    device_.reports().crossed = 0;
  }

  /// Wraps atoms into the part of the box that has them, and counts. For use after start().
  IntoBoxOp<Format> into_box(const ListBox &part) const;

  /// True if atoms were wrapped since start(). The kernels that wrap them must be complete.
  bool any() const { return any_ || device_.reports().crossed; }
  /// Keeps any() until the next take() or forget(), whatever becomes of the report.
  void note_report() { any_ = std::exchange(device_.reports().crossed, 0) != 0 || any_; }
  /// Adds the counts to `sum` [n][3], unless it is null, and forgets them.
  void take(int *sum);

  const int *data() const { return crossings_.data(); }
  std::size_t bytes() const { return crossings_.bytes(); }

 private:
  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  bool counts_ = false;
  bool any_ = false;  // some counts are not zero, according to reports that note_report() has cleared
  DeviceBuffer<int> crossings_{"atoms that crossed the box"};  // [n][3]
};

template <class Format>
IntoBoxOp<Format> BoxCrossings<Format>::into_box(const ListBox &part) const {
  IntoBoxOp<Format> into = {
      {atoms_.state(), atoms_.anchor()}, {}, {}, {}, crossings_.data(), &device_.reports().crossed,
      atoms_.tethers().arrays()};
  into.set_box(part, tersoff_.scale());
  return into;
}

template <class Format>
void BoxCrossings<Format>::take(int *sum) {
  const bool counted = any();
  forget();
  if (!counted || !sum) return;
  std::vector<int> edges(3 * std::size_t(atoms_.n()));
  copy_to_host(edges.data(), crossings_.data(), edges.size(), device_.stream(), "counting crossings of the box");
  device_.wait("counting crossings of the box");
  for (std::size_t k = 0; k < edges.size(); ++k) sum[k] += edges[k];
}

}  // namespace cuda
}  // namespace triad
