// A further Tersoff potential of an engine on the device. It computes with its own pruned list and accumulators from
// copies of the engine's positions, which hold its own elements, and adds its forces to those of the engine.
#pragma once

#include <vector>

#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/state/engine_tallies.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {

/// Copies positions with other elements. With references, also looks for atoms beyond their limits of displacement.
template <class Position>
struct PlaceOp {
  const Position *from;
  const int *element;
  Position *to;
  const Position *reference;  ///< references of the pruned list, or null
  PositionScale scale;
  StepGuard *guard;  ///< of the steps, which an atom beyond its limit stops, or null:
  int *moved;        ///< set to 1 by such an atom
  __device__ void operator()(std::size_t i) const {
    Position p = load(from + i);
    p.element = element[i];
    to[i] = p;
    if (!reference || (guard && guard->stopped)) return;
    if (moved_from(reference[i], p, scale) != Moved::TooFar) return;
    if (guard)
      atomicOr(guard->stop, static_cast<int>(stop_pruned_list));
    else
      *moved = 1;
  }
};

/// Adds the forces of one array to another.
template <class Format>
struct AddTermOp {
  ForceArray<Format> to, from;
  const StepGuard *guard;  ///< of the steps, or null
  __device__ void operator()(std::size_t i) const {
    if (guard && guard->stopped) return;
    for (int axis = 0; axis < 3; ++axis) to.component(i, axis) += from.component(i, axis);
  }
};

/// `main` holds the positions and forces of the engine. All functions throw LoopError.
template <class Format>
class TersoffTerm {
 public:
  TersoffTerm(const TersoffSetup &setup, DeviceContext &device, TersoffDevice<Format> &main)
      : device_(device),
        main_(main),
        tersoff_(setup.table, device.stream()),
        tallies_(device, tersoff_),
        type_to_element_(setup.type_to_element) {}

  /// Prepares for `n_all` atoms and ghosts. `cutoff`: that of set_list_cutoff() of `main`.
  void set_atom_count(int n_all, double cutoff) {
    n_all_ = n_all;
    tersoff_.set_list_cutoff(cutoff);
    tersoff_.set_atom_count(n_all);
  }
  void read_types(const std::vector<std::uint16_t> &types) {
    std::vector<int> element;
    for (const int type : types) element.push_back(type_to_element_[type]);
    element_.reserve(element.size());
    copy_to_device(element_.data(), element.data(), element.size(), device_.stream(), "copying elements");
    device_.wait("copying elements");
  }

  /// Copies LAMMPS's list to the device. Waits for the device.
  void upload(const NeighborListView &rows, const GhostLayout &ghosts, int n_threads) {
    uploaded_.upload(rows, ghosts, false, n_threads, device_.stream());
    rows_ = uploaded_.view();
  }
  /// Makes the list of the n atoms at x [n][3] on the device. Waits for the device.
  void make_list(const CellGrid &grid, int n, const double *x, const ListedTypes &types) {
    cells_.build(grid, n, n, x, false, device_.stream(), types);
    rows_ = cells_.rows();
  }

  /// Builds the pruned list for the present positions. Waits for the device.
  void build_pruned_list() {
    place(nullptr, nullptr, nullptr);
    tersoff_.set_images(main_.images());
    tersoff_.build_pruned_list(rows_);
  }
  void set_expected(ExpectedPositions<typename PositionOf<Format>::type> expected) {
    expected.other_elements = true;
    tersoff_.set_expected(expected);
  }
  double cutoff() const { return tersoff_.cutoff(); }
  void set_image_reserve(double reserve) { tersoff_.set_image_reserve(reserve); }
  bool can_refilter() const { return tersoff_.can_refilter(); }
  /// Renews the pruned list for the positions of take_positions() as a part of the steps of `guard`. Asynchronous.
  void refilter(StepGuard *guard, const StopFlags &flags) {
    tersoff_.refilter_pruned_list(rows_, tersoff_.positions(), guard, flags);
  }
  /// Takes the present positions. An atom beyond its limit of displacement stops the steps of `guard`, or sets *moved
  /// if `guard` is null. Asynchronous.
  void take_positions(StepGuard *guard, int *moved) { place(tersoff_.references(), guard, moved); }

  /// Adds the forces at the positions of take_positions(), and sets *sum, in device memory, if `request` asks for
  /// tallies and the list has rows. Asynchronous.
  void launch(const TallyRequest &request, StepGuard *guard, BlockTotals *sum) {
    tersoff_.clear_forces();
    tersoff_.launch_further_forces(request, guard);
    tersoff_.complete_forces(guard);
    device_.for_each(n_all_, AddTermOp<Format>{main_.forces(), tersoff_.forces(), guard}, "adding forces");
    if (request.any() && rows_.n_rows) tersoff_.sum_totals(sum);
  }

  void add_per_atom(const TallyRequest &request, const GhostLayout &ghosts, const HaloPlan &plan,
                    const std::vector<int> &sent, ResultsView &results) {
    tallies_.add_per_atom(request, ghosts, plan, sent, results);
  }
  void add_to(const EngineTallies<Format> &sum) const { tallies_.add_to(sum); }
  /// Throws LoopError if a force was out of range since the last call. The device must be idle.
  void check_forces() { tersoff_.check_forces(nullptr); }
  void forget_errors() { tersoff_.take_bad_centre(); }

  std::size_t host_bytes() const { return uploaded_.host_bytes(); }
  std::size_t device_bytes() const {
    return tersoff_.bytes() + tallies_.device_bytes() + uploaded_.device_bytes() + cells_.bytes() + element_.bytes();
  }

 private:
  using Position = typename PositionOf<Format>::type;

  void place(const Position *reference, StepGuard *guard, int *moved) {
    const PlaceOp<Position> op = {
        main_.positions(), element_.data(), tersoff_.positions(), reference, tersoff_.scale(), guard, moved};
    device_.for_each(n_all_, op, "taking positions");
  }

  DeviceContext &device_;
  TersoffDevice<Format> &main_;
  TersoffDevice<Format> tersoff_;
  EngineTallies<Format> tallies_;
  const std::vector<int> type_to_element_;
  UploadedNeighborList uploaded_;
  CellNeighborList cells_{true};
  DeviceNeighborList rows_ = {};
  int n_all_ = 0;
  DeviceBuffer<int> element_{"elements"};
};

}  // namespace cuda
}  // namespace triad
