// The Tersoff computation on device memory: positions in, forces out, nothing copied. Adaptors that already hold atoms
// on the device, and the standalone benchmarks, use this class; TersoffCuda (tersoff_cuda_impl.cuh) wraps it for host
// arrays.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "forces/tersoff/cuda/tersoff_kernels.cuh"
#include "forces/tersoff/tersoff_backend.h"
#include "forces/tersoff/tersoff_models.h"

namespace triad {
namespace cuda {

/// Elements of atoms on the device: index[i], or with a table element_of_type[index[i]].
struct ElementsView {
  const int *index;                      ///< [n_all]
  const int *element_of_type = nullptr;  ///< [ntypes + 1]
  bool watched = false;                  ///< whether to look for changes since the last call

  ElementsView(const int *element) : index(element) {}
  ElementsView(const int *type, const int *element_of_type, bool watched)
      : index(type), element_of_type(element_of_type), watched(watched) {}
  __device__ int operator[](int i) const { return element_of_type ? element_of_type[index[i]] : index[i]; }
};

template <class Format>
class TersoffDevice {
 public:
  using Real = typename Format::Real;
  using Position = typename PositionOf<Format>::type;

  TersoffDevice(const TersoffTable &table, cudaStream_t stream);

  /// Forces of the positions x [n_all][3], and what `request` asks for, added to the accumulators. Keeps the short
  /// list: filters `rows` when `new_rows` says that rows or atoms are not those of the last call, or when an atom has
  /// moved beyond its limit or, if watched, changed its element. The host waits for that check, not for the forces.
  /// Returns whether it filtered. Throws LoopError.
  bool compute(const DeviceNeighborList &rows, bool new_rows, const double *x, const ElementsView &element, int n_all,
               const TallyRequest &request = {});

  // The parts of compute().

  /// Makes the format of positions fit lists of the given cutoff. Positions stored before are not valid any more.
  void set_list_cutoff(double cutoff);

  /// Stores positions and elements in the format of the kernels. With `check_moved` (same atoms as at the last
  /// build_pruned_list() only) looks for atoms beyond their limits, or of another element if that is watched.
  /// Asynchronous; not to be called again before the kernel is done.
  void store_positions(const double *x, const ElementsView &element, int n_all, bool check_moved);

  /// Builds the pruned list from `rows` for the stored positions. Waits for the stream. Throws LoopError.
  void build_pruned_list(const DeviceNeighborList &rows) { build_pruned_list(rows, DeviceNeighborList()); }

  /// Adds forces, and what `request` asks for, to the accumulators. Asynchronous.
  void launch_forces(const TallyRequest &request = {}) { launch_forces(request, nullptr); }

  // For callers that move the atoms on the device themselves (engine/).

  /// As many atoms from now on; their positions are to be written to positions(). Keeps what they held if there is
  /// room.
  void set_atom_count(int n_all) { reserve(n_all, TallyRequest()); }
  Position *positions() { return position_.data(); }
  const Position *references() const { return reference_.data(); }
  const PositionScale &scale() const { return scale_; }
  ForceArray<Format> forces() { return {force_.data(), static_cast<std::size_t>(n_all_)}; }
  /// What entries of the lists mean from the next build_pruned_list() on.
  void set_images(const ImageNames<Position> &images) { images_ = images; }
  const ImageNames<Position> &images() const { return images_; }
  /// For kernels of the caller's that compute forces: calls call(model) with the class that holds the parameters.
  template <class Call>
  void with_model(Call &&call) const {
    triad::with_model<Real>(table_, params_.data(), call);
  }
  /// The same with the class that knows best about cutoffs.
  template <class Call>
  void with_kernel_model(Call &&call) const {
    with_model([&](const auto &model) { with_cutoffs(model, call); });
  }
  /// For others that go over all bonds: list and positions, one for each of the lists.
  std::vector<ForceJob<Format>> bonds() const;
  int multiprocessors() const { return multiprocessors_; }
  /// For the caller's kernel that makes a step of `guard`, forces included, in rows of four: everything but tallies.
  ForceJob<Format> take_step_forces(StepGuard *guard);
  /// True if the last kernel launched renews the pruned list; for the caller whose kernel is next.
  bool take_new_list() { return std::exchange(refiltered_, false); }
  bool one_element() const { return table_.nelements() == 1; }
  Real beyond_cutoffs() const { return static_cast<Real>(1.01 * table_.cutmax()); }
  /// launch_forces() for a step that `guard`, in device memory, may have stopped before. Leaves the boundary, if there
  /// is one, to launch_boundary(), which is to follow.
  void launch_forces(const TallyRequest &request, StepGuard *guard);
  /// Renews a pruned list that can be, for atoms at `position`, as a part of the steps of `guard`: see
  /// PrunedList::refilter(). Asynchronous.
  void refilter_pruned_list(const DeviceNeighborList &rows, const Position *position, StepGuard *guard,
                            const StopFlags &flags);
  bool can_refilter() const { return list_.can_refilter() && boundary_.can_refilter(); }
  /// Whether every row has up to four entries.
  bool rows_of_four() const { return list_.rows_of_four() && boundary_.rows_of_four(); }

  // Forces that are gathered: launch_forces() leaves in forces() what centres give to themselves, and gradients for
  // the rest, which the caller's next kernel sums, or complete_forces().

  /// Whether forces of the present pruned list are gathered.
  bool gathers() const { return gathers_; }
  /// What the kernel that is launched next needs in order to sum forces that are not complete; of no slots otherwise.
  GatherJob<Format> take_gather();
  bool incomplete() const { return incomplete_; }
  /// For the caller's kernel that both computes and gathers forces.
  GatherJob<Format> view_gather() const;
  /// Sums them into forces(), in steps of `guard` or, with null, in any case. Asynchronous.
  void complete_forces(StepGuard *guard);
  /// Forgets forces that are not complete.
  void drop_forces() { incomplete_ = false; }

  // Rows in two lists: those of the interior, and those at the boundary to other ranks, whose forces wait for ghosts in
  // a stream of their own and say whether the step of the guard is made.

  /// One list if `boundary` is empty and no second list.
  void build_pruned_list(const DeviceNeighborList &interior, const DeviceNeighborList &boundary);
  void refilter_boundary(const DeviceNeighborList &boundary, StepGuard *guard, const StopFlags &flags,
                         cudaStream_t stream);
  void launch_boundary(const TallyRequest &request, StepGuard *guard, cudaStream_t stream);
  /// Clears the accumulators of forces. Asynchronous.
  void clear_forces();
  /// Index of a centre whose force was out of range since the last call, or -1. To be called when the forces are done.
  int take_bad_centre();

  /// Throws LoopError if a force was out of range since the last call. To be called when the forces are done. The
  /// message names the atom's place in x [n_all][3] unless that is null.
  void check_forces(const double *x);

  /// From now on ghosts gather nothing: what they would goes to the owned atoms owner [n_all - n_owned] that they are
  /// images of. Null: it stays with the ghosts.
  void set_owners(const int *owner, int n_owned) {
    owner_ = owner;
    ghosts_from_ = owner ? n_owned : no_owners;
  }

  /// What collect() does with the values that the target holds.
  enum class Target { Overwrite, Add };

  /// Moves the accumulated forces to force [n_all][3]: converted, and the accumulators cleared. Asynchronous.
  void collect(double *force, Target target = Target::Overwrite) { collect(force, target, n_all_); }
  /// Of the first n atoms, where the others have gathered nothing.
  void collect(double *force, Target target, int n);

  /// Likewise the per-atom tallies where the target is not null: energy [n_all], virial [n_all][6], centroid
  /// [n_all][9]. Asynchronous.
  void collect_tallies(double *atom_energy, double *atom_virial, double *atom_centroid);

  /// Clears accumulators after a launch whose result is not wanted.
  void discard();

  /// Sums the block totals of the last launch into totals(), in a fixed order. Asynchronous.
  void sum_totals();

  const BlockTotals *totals() const { return total_.data(); }
  const PrunedList &pruned_list() const { return list_; }
  std::size_t bytes() const;

 private:
  struct Flags {
    PositionFlags positions;
    ForceFlags forces;
  };

  static constexpr int no_owners = std::numeric_limits<int>::max();

  struct Grid {
    unsigned four_blocks, general_blocks;
    unsigned blocks() const { return four_blocks + general_blocks; }
  };

  void reserve(int n_all, const TallyRequest &request);
  Grid grid_of(const PrunedListView &list, Tally tally) const;
  long long longest_row() const {
    const long long listed = list_.view().length ? list_.view().width : list_.summary().longest;
    return std::max(listed, boundary_.summary().longest);
  }
  std::size_t overflow_of(const PrunedList &list) const;
  ForceJob<Format> common_job() const;
  void set_gradients(ForceJob<Format> &job) const;
  ForceJob<Format> job_for(const TallyRequest &request, StepGuard *guard);
  void launch_list(ForceJob<Format> job, const Grid &grid, Tally tally, bool chained, cudaStream_t stream);
  DeviceAtoms<Position> listed_atoms() const;
  const PositionFlags &wait_for_check();
  std::array<double, 3> read_position(const double *x, int one_based);

  TersoffTable table_;
  cudaStream_t stream_;
  double inner_skin_;
  PositionScale scale_;
  ImageNames<Position> images_;
  const int *owner_ = nullptr;  // ForceJob::owner
  int ghosts_from_ = no_owners;
  int multiprocessors_ = 1;
  int n_all_ = 0;
  Grid grid_ = {}, boundary_grid_ = {};  // of the last launch
  bool two_lists_ = false;               // the boundary has a list of its own
  bool chains_ = false;                  // the device chains kernels
  bool refiltered_ = false;              // since the last launch of forces
  bool nearly_moved_ = false;            // at the last check
  tuning::Reduction reduction_;
  bool gathers_ = false, incomplete_ = false;

  DeviceBuffer<std::max_align_t> params_{"Tersoff parameters"};
  DeviceBuffer<float> cutoff_{"cutoffs"};
  DeviceBuffer<Position> position_{"positions"};
  DeviceBuffer<Position> reference_{"positions of the last list"};
  DeviceBuffer<typename Format::Sum> force_{"force accumulators"};
  DeviceBuffer<Real> gradient_{"gradients"};
  DeviceBuffer<unsigned> within_{"entries within the cutoff"};
  DeviceBuffer<int> crowded_{"centres of the general path"};
  DeviceBuffer<typename Format::Tally> atom_energy_{"per-atom energies"};
  DeviceBuffer<typename Format::Tally> atom_virial_{"per-atom virials"};
  DeviceBuffer<typename Format::Tally> atom_centroid_{"per-atom centroid virials"};
  DeviceBuffer<BondRecord<Real>> overflow_{"bonds of long rows"};
  DeviceBuffer<BlockTotals> block_totals_{"energy and virial"};
  DeviceBuffer<BlockTotals> total_{"energy and virial"};
  PinnedBuffer<Flags> flags_{"flags"};
  Event positions_stored_;
  PrunedList list_, boundary_;
};

// The backends, one instantiation per precision in a translation unit of its own.

/// For host arrays.
template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_cuda_format(const TersoffSetup &setup, int device, int n_threads);

/// For arrays on the device.
template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_device_format(const TersoffSetup &setup, int device, cudaStream_t stream);

}  // namespace cuda
}  // namespace triad
