// All pairs, including the order of atoms and the scaled pairs, which the host updates when types, sides or atoms
// change.
#pragma once

#include <utility>

#include "forces/pairwise/cuda/all_pairs.cuh"
#include "forces/pairwise/pairwise_formats.h"
#include "forces/pairwise/scaled_slots.h"

namespace triad {
namespace cuda {

template <class Format>
class OrderedPairs {
 public:
  OrderedPairs(const PairwiseSetup &setup, cudaStream_t stream) : setup_(setup), pairs_(setup, stream) {}

  void set_scaled_pairs(const ScaledPairsView &pairs) {
    scaled_.set(pairs);
    scaled_stale_ = true;
  }

  /// Sets the atoms of later computations. Types and sides are in host memory, null as in PairAtomsView.
  void set_atoms(int n, const int *type, const std::uint8_t *side) {
    if (order_.update(n, goes_by_type(setup_.law) ? type : nullptr, setup_.n_types, side)) {
      pairs_.set_order(order_);
      scaled_stale_ = true;
    }
    if (!std::exchange(scaled_stale_, false)) return;
    scaled_.sort(order_);
    pairs_.set_scaled_slots(scaled_.offset(), scaled_.partner(), scaled_.factor());
  }

  AllPairsDevice<Format> &on_device() { return pairs_; }

 private:
  const PairwiseSetup &setup_;
  TileOrder order_;
  ScaledSlotPairs scaled_;
  bool scaled_stale_ = true;
  AllPairsDevice<Format> pairs_;
};

}  // namespace cuda
}  // namespace triad
