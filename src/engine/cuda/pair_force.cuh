// Pair forces (fix pairwise/triad) on the atoms of an engine on the device.
#pragma once

#include <memory>
#include <vector>

#include "core/cuda/resources.cuh"
#include "engine/cuda/state/atom_ops.cuh"
#include "engine/pair_force.h"

namespace triad {
namespace cuda {

template <class Format>
class CudaEngine;

template <class Format>
class PairForceOnDevice final : public PairForce {
 public:
  PairForceOnDevice(const PairwiseSetup &setup, CudaEngine<Format> &engine);

  void set_atoms(const PairAtomsView &atoms) override;
  void set_neighbours(const PairListView &list) override { backend_->set_neighbours(list, view_); }
  void set_pairs(const PossiblePairsView &pairs) override { backend_->set_pairs(pairs, view_); }
  void compute(const TallyRequest &request, ResultsView &results, Target target) override;

  std::string description() const override { return backend_->description(); }
  double host_bytes() const override { return backend_->memory_usage(); }
  double device_bytes() const override;

 private:
  void find_positions();

  CudaEngine<Format> &engine_;
  std::unique_ptr<PairwiseBackend> backend_;
  PairAtomsView view_;  // its arrays are in device memory
  PairBox box_;
  std::vector<double> shifts_;
  DeviceBuffer<int> type_{"types"}, owner_{"ghosts"}, image_{"ghosts"};
  DeviceBuffer<double> strength_{"strengths"}, shift_{"shifts of ghosts"}, x_{"positions"}, force_{"pair forces"};
  DeviceBuffer<std::uint8_t> side_{"sides"};
  PinnedBuffer<double> force_host_{"pair forces"};
};

/// Writes the positions of owned atoms and ghosts, [n][3], from the fp64 positions of the owned atoms (`anchor`).
struct GhostedOp {
  const double *anchor;
  int n_owned;
  const int *owner, *image;  ///< [ghosts]
  const double *shift;       ///< [images][3]
  double *x;
  __device__ void operator()(std::size_t i) const {
    const std::size_t n = n_owned, g = i - n;
    for (int axis = 0; axis < 3; ++axis)
      x[3 * i + axis] = i < n ? anchor[3 * i + axis]
                              : anchor[3 * static_cast<std::size_t>(owner[g]) + axis] +
                                    shift[3 * static_cast<std::size_t>(image[g]) + axis];
  }
};

/// Adds `rows`, forces [n][3], to the atoms' force accumulators, and clears `rows`.
template <class Format>
struct AddRowsOp {
  DeviceState<Format> state;
  double *rows;
  int *bad;  ///< receives 1 + index of an atom whose force is out of the accumulators' range
  __device__ void operator()(std::size_t i) const {
    double *r = rows + 3 * i;
    using Sum = typename Format::Sum;
    constexpr bool fixed = std::is_same<Sum, fixed_point::Word>::value;
    if (fixed && !(fabs(r[0]) + fabs(r[1]) + fabs(r[2]) < fixed_point::max_contribution))
      *bad = static_cast<int>(i) + 1;
    for (int axis = 0; axis < 3; ++axis) {
      state.force.component(i, axis) += to_accumulator<Sum>(r[axis]);
      r[axis] = 0;
    }
  }
};

}  // namespace cuda
}  // namespace triad
