// The Tersoff computation on arrays in device memory. The engine, the KOKKOS adaptors and the benchmarks use this
// class; TersoffCuda (tersoff_cuda_impl.cuh) wraps it for host arrays.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "forces/tersoff/cuda/combined_launches.cuh"
#include "forces/tersoff/cuda/reduction.h"
#include "forces/tersoff/tersoff_backend.h"
#include "forces/tersoff/tersoff_models.h"
#include "neighbor/inner_skin_choice.h"

namespace triad {
namespace cuda {

/// Elements of atoms on the device: index[i], or element_of_type[index[i]] if there is such a table.
struct ElementsView {
  const int *index;                      ///< [n_all]
  const int *element_of_type = nullptr;  ///< [ntypes + 1]
  bool watched = false;                  ///< an element may have changed since the last call

  ElementsView(const int *element) : index(element) {}
  ElementsView(const int *type, const int *element_of_type, bool watched)
      : index(type), element_of_type(element_of_type), watched(watched) {}
  __device__ int operator[](int i) const { return element_of_type ? element_of_type[index[i]] : index[i]; }
};

/// Distance between the indices i and j of two of n atoms, modulo n.
__host__ __device__ __forceinline__ int index_distance(int i, int j, int n) {
  const int distance = i < j ? j - i : i - j;
  return distance < n - distance ? distance : n - distance;
}

template <class Format>
class TersoffDevice {
 public:
  using Real = typename Format::Real;
  using Position = typename PositionOf<Format>::type;

  TersoffDevice(const TersoffTable &table, cudaStream_t stream);

  /// What collect() does with the present values of its target.
  enum class Target { Overwrite, Add };
  /// Where compute() is to collect() forces, if it can do so in the kernel that computes them.
  struct Destination {
    double *force = nullptr;  ///< [n][3], or null
    Target target = Target::Overwrite;
    int n = 0;
  };
  /// What compute() reports.
  struct Computed {
    bool renewed;    ///< the pruned list was renewed
    bool collected;  ///< the forces are where `destination` says
  };

  /// Adds the forces at the positions x [n_all][3] to the accumulators or to `destination`, see Computed::collected,
  /// and the tallies that `request` asks for to the accumulators. Renews the pruned list from `rows` if `new_rows`
  /// (rows or atoms differ from those of the last call), if an atom has left its limit of displacement, or if a watched
  /// element has changed. The host waits for this check, but not for the forces. Throws LoopError.
  Computed compute(const DeviceNeighborList &rows, bool new_rows, const double *x, const ElementsView &element,
                   int n_all, const TallyRequest &request, const Destination &destination);

  // The parts of compute().

  /// Chooses the format of positions for lists of the given cutoff. Invalidates positions stored before.
  void set_list_cutoff(double cutoff);

  /// Stores positions and elements in the format of the kernels. `check_moved` (only with the atoms of the last
  /// build_pruned_list()): also looks for atoms that have left their limits or have another element. Asynchronous; must
  /// not be called again before the kernel is done.
  void store_positions(const double *x, const ElementsView &element, int n_all, bool check_moved);

  /// Builds the pruned list from `rows` for the stored positions. Complete forces are kept, gradients that were not
  /// gathered are dropped. Waits for the stream. Throws LoopError.
  void build_pruned_list(const DeviceNeighborList &rows) { build_pruned_list(rows, DeviceNeighborList()); }

  /// Adds forces, and what `request` asks for, to the accumulators. Asynchronous.
  void launch_forces(const TallyRequest &request = {}) { launch_forces(request, nullptr); }

  // For callers that move the atoms on the device themselves (engine/).

  /// Sets the number of atoms. The caller writes their positions to positions(), whose contents are kept unless the
  /// buffer grows.
  void set_atom_count(int n_all) { reserve(n_all, TallyRequest()); }
  Position *positions() { return position_.data(); }
  int atom_count() const { return n_all_; }
  /// Sets the positions of the atoms from `first` on to zero, before they are known. Asynchronous.
  void clear_positions(int first) {
    check(
        cudaMemsetAsync(static_cast<void *>(position_.data() + first), 0, sizeof(Position) * (n_all_ - first), stream_),
        "clearing positions");
  }
  const Position *references() const { return reference_.data(); }
  const PositionScale &scale() const { return scale_; }
  ForceArray<Format> forces() { return {force_.data(), static_cast<std::size_t>(n_all_)}; }
  /// Sets the format of list entries, which is in force from the next build_pruned_list() on.
  void set_images(const ImageNames<Position> &images) { images_ = images; }
  const ImageNames<Position> &images() const { return images_; }
  /// Calls call(model) with the model class of the table's variant, which holds the parameters, for kernels of the
  /// caller.
  template <class Call>
  void with_model(Call &&call) const {
    triad::with_model<Real>(table_, params_.data(), call);
  }
  /// The same with the class that is specialised for the table.
  template <class Call>
  void with_kernel_model(Call &&call) const {
    with_model([&](const auto &model) { with_table_class(model, call); });
  }
  /// Lists and positions for kernels that visit all bonds; one job per pruned list.
  std::vector<ForceJob<Format>> bonds() const;
  int multiprocessors() const { return multiprocessors_; }
  /// Blocks of tuning::general_block threads for a kernel that loops over rows with `lanes` threads per row.
  unsigned general_blocks(long long rows, int lanes) const {
    return std::min(blocks_for(rows, tuning::general_block / lanes),
                    unsigned(multiprocessors_) * tuning::general_blocks_per_sm);
  }
  /// Lanes per centre in kernels for up to four neighbours: LanesOf<Model>::few or ::many.
  int lanes() const { return many_centres() ? many_lanes_ : few_lanes_; }
  /// True if there are enough centres for the kernels of LanesOf<Model>::many.
  bool many_centres() const { return list_.view().n_rows > multiprocessors_ * tuning::centres_per_sm_of_four_lanes; }
  /// Job for a kernel of the caller that makes a whole step of `guard`. Forces of rows with more than four entries need
  /// launch_longer_rows() before. `virials`: the virials of these rows are tallied in the first longer_row_blocks() of
  /// block_totals(), and ForceJob::totals_rounding is set for those of the other rows.
  ForceJob<Format> take_step_forces(StepGuard *guard, bool virials = false);
  /// Launches the forces of rows with more than four entries, if the list of the job can have such rows. The kernel of
  /// the caller that follows is then not the first one of its step any more, and may wait for `progress`. Returns the
  /// number of blocks. Asynchronous.
  unsigned launch_longer_rows(ForceJob<Format> &job, const BlockProgress &progress, bool dependent);
  /// That number; 0 if the list has no such rows.
  unsigned longer_row_blocks() const {
    const PrunedListView list = list_.view();
    return list.length ? longer_grid(list, false).blocks : 0;
  }
  /// Returns and clears: true if the last launched kernel may write the pruned list.
  bool take_new_list() { return std::exchange(refiltered_, false); }
  Real beyond_cutoffs() const { return static_cast<Real>(1.01 * table_.cutmax()); }
  /// launch_forces() for a step of `guard` (device memory), which may have stopped the steps. If there is a boundary
  /// list, launch_boundary() must follow. `other`: a stream in which the forces run instead, or null.
  void launch_forces(const TallyRequest &request, StepGuard *guard, cudaStream_t other = nullptr);
  /// The same for a potential whose forces follow those of another one in each step. That one ends or stops the step.
  void launch_further_forces(const TallyRequest &request, StepGuard *guard);
  /// Renews the pruned list for atoms at `position` as a part of the steps of `guard`, see PrunedList::refilter().
  /// Requires can_refilter(). Asynchronous.
  void refilter_pruned_list(const DeviceNeighborList &rows, const Position *position, StepGuard *guard,
                            const StopFlags &flags);
  /// The same with a kernel of the caller: launch_kernel(renewal) launches one that does what PrunedList::renewal()
  /// asks for, unless `flags` say that it rests.
  template <class Launch>
  void renew_pruned_list(const DeviceNeighborList &rows, const Position *position, StepGuard *guard,
                         const StopFlags &flags, Launch &&launch_kernel) {
    launch_kernel(list_.renewal(rows, start_renewal(position, guard, flags), guard, flags));
  }
  /// The choice of the inner skin, by which build_pruned_list() goes.
  InnerSkinChoice &inner_skin_choice() { return inner_skin_; }
  /// Takes over what kernels have noted about the lists that they made or renewed without the host: how many more they
  /// may make, and how long the last pruned list was in use. The reach() of a list that they made is not known.
  void note_lists(const StepGuard &guard) {
    inner_skin_.note_lists(guard.lists_to_choice, guard.list_age);
    if (guard.neighbor_lists > 0) reach_ = -1;
  }
  /// Largest cutoff of the potential, length units.
  double cutoff() const { return table_.cutoff(); }
  /// Sets DeviceAtoms::expected for the pruned lists from now on.
  void set_expected(const ExpectedPositions<Position> &expected) { expected_ = expected; }
  /// Sets DeviceAtoms::image_reserve for the pruned lists from now on, in length units.
  void set_image_reserve(double reserve) { image_reserve_ = static_cast<float>(reserve); }
  bool can_refilter() const { return list_.can_refilter() && boundary_.can_refilter(); }
  /// True if every row has at most four entries.
  bool rows_of_four() const { return list_.rows_of_four() && boundary_.rows_of_four(); }
  /// Largest index_distance() of two atoms of a row, also of an atom and a periodic image, in the list from which the
  /// pruned list was made; negative if that is not known. Known if the host has made the pruned list, there is one
  /// list, and forces are gathered.
  int reach() const { return reach_; }
  /// True if the last launched kernel may write the pruned list.
  bool new_list() const { return refiltered_; }
  /// True if the types of all atoms of the list of interior rows have an element.
  bool every_row_has_element() const { return list_.summary().general_rows == list_.summary().longer_rows; }

  // Reduction by gathering: launch_forces() stores one gradient per list entry. The forces are complete once a kernel
  // of the caller has gathered the gradients, see take_gather(), or complete_forces() has.

  /// True if forces of the present pruned list are gathered.
  bool gathers() const { return gathers_; }
  /// True if kernels add to forces(), which must be zero before each step: without gathering, and for boundary atoms
  /// and ghosts with it.
  bool accumulates() const { return !gathers_ || two_lists_; }
  /// Argument of a kernel of the caller that is launched next and gathers; its `reverse` is null if the forces are
  /// complete. The forces count as complete from then on.
  GatherJob<Format> take_gather();
  /// Argument of a kernel of the caller that both computes and gathers forces.
  GatherJob<Format> view_gather() const;
  /// Gathers the forces into forces() unless they are complete. `guard`: of the steps, or null. Asynchronous.
  void complete_forces(StepGuard *guard);
  /// Discards gradients that were not gathered.
  void drop_forces() { incomplete_ = false; }

  // With several ranks there can be two lists: of interior atoms, and of boundary atoms, whose rows hold ghosts. The
  // kernels of the boundary list follow the exchange of positions and call StepGuard::decide(); those of the interior
  // may run beside both in another stream.

  /// Builds both lists, or one if `boundary` is not a second list.
  void build_pruned_list(const DeviceNeighborList &interior, const DeviceNeighborList &boundary);
  void refilter_boundary(const DeviceNeighborList &boundary, StepGuard *guard, const StopFlags &flags);
  /// `dependent`: see launch(); not after refilter_boundary() in the same step. The launch for a list of more
  /// blocks than multiprocessors is no dependent launch, since blocks that wait for ghosts would take the place of
  /// blocks of the interior.
  void launch_boundary(const TallyRequest &request, StepGuard *guard, bool dependent = false);
  /// Clears the accumulators of forces. Asynchronous.
  void clear_forces();
  /// Returns and clears the index of a centre whose force was out of range, or -1. What kernels that still run report
  /// is left for the next call.
  int take_bad_centre();

  /// Throws LoopError if a force was out of range since the last call, as far as take_bad_centre() knows. The message
  /// gives the atom's position from x [n_all][3] unless x is null.
  void check_forces(const double *x);

  /// Forces on these ghosts go to their owners or, if these are not known, stay on the ghosts. By default there are no
  /// ghosts. To be called before build_pruned_list(); a list may only be used with the ghosts for which it was built.
  void set_ghosts(const ListedGhosts &ghosts) { ghosts_ = ghosts; }

  /// Converts the accumulated or gathered forces to force [n_all][3], and clears the accumulators. Asynchronous.
  void collect(double *force, Target target = Target::Overwrite) { collect(force, target, n_all_); }
  /// The same for the first n atoms; the others must have no forces.
  void collect(double *force, Target target, int n);

  /// The same for per-atom tallies whose target is not null: energy [n_all], virial [n_all][6], centroid [n_all][9].
  /// Asynchronous.
  void collect_tallies(double *atom_energy, double *atom_virial, double *atom_centroid);

  /// Clears all accumulators after a launch whose results are not used. Waits for the stream.
  void discard();

  /// Sums the block totals of the last launch into `sum`, in device memory or page-locked memory, in a fixed order.
  /// Asynchronous.
  void sum_totals(BlockTotals *sum);

  /// The totals of the blocks of the last launch, [totals_blocks()].
  const BlockTotals *block_totals() const { return block_totals_.data(); }
  unsigned totals_blocks() const { return grid_.blocks() + boundary_grid_.blocks(); }
  const PrunedList &pruned_list() const { return list_; }
  std::size_t bytes() const;

 private:
  struct Flags {
    PositionFlags positions;
    ForceFlags forces;
  };

  /// Blocks of the kernels of a list: of four_neighbour_kernel, and of the kernel of the other rows.
  struct Grid {
    unsigned four_blocks, other_blocks;
    bool by_bonds;  ///< the other kernel is that of LongerGrid, not general_kernel
    unsigned blocks() const { return four_blocks + other_blocks; }
  };
  /// Blocks of bond_kernel or eight_neighbour_kernel, and how they share rows.
  struct LongerGrid {
    unsigned blocks, per_window;
    int rows_per_warp;
    bool eight;  ///< eight_neighbour_kernel
  };

  void reserve(int n_all, const TallyRequest &request);
  Grid grid_of(const PrunedList &list, Tally tally) const;
  long long longest_row() const {
    const auto longest = [](const PrunedList &list) {
      return list.view().length ? list.view().width : list.summary().longest;
    };
    return std::max<long long>(longest(list_), longest(boundary_));
  }
  std::size_t overflow_of(const PrunedList &list) const;
  /// Number of gradients that are stored for gathering.
  std::size_t gradients() const { return list_.entries() + (two_lists_ ? boundary_.entries() : 0); }
  /// Rows of more than four entries when the lists were made.
  double longer_rows() const { return double(list_.summary().longer_rows + boundary_.summary().longer_rows); }
  ForceJob<Format> common_job() const;
  void set_gradients(ForceJob<Format> &job) const;
  void set_totals(ForceJob<Format> &job, unsigned blocks);
  ForceJob<Format> job_for(const TallyRequest &request, StepGuard *guard);
  void launch_list(ForceJob<Format> job, const Grid &grid, Tally tally, bool dependent, cudaStream_t stream);
  LongerGrid bond_grid(int n_rows, bool all_rows) const;
  LongerGrid longer_grid(const PrunedListView &list, bool all_rows) const;
  template <bool Totals, class Model>
  unsigned launch_longer(const Model &model, ForceJob<Format> job, bool all_rows, bool dependent, cudaStream_t stream);
  InnerSkinChoice::List build_lists(const DeviceNeighborList &interior, const DeviceNeighborList &boundary);
  /// The reduction of forces with the present ghosts and lists.
  tuning::Reduction reduction() const {
    const int owned = std::min(n_all_, ghosts_.from);
    const ReductionCase<Format> now = {two_lists_, ghosts_.any(), n_all_ > owned && !ghosts_.owner,
                                       !table_.cutoff_of_bond(), static_cast<double>(owned) / multiprocessors_};
    const bool loses = now.gathering_loses();
    return reduction_ == tuning::Reduction::Auto && loses ? tuning::Reduction::Atomic : reduction_;
  }
  bool collects_with_forces(const TallyRequest &request, const Destination &destination) const;
  void launch_and_collect(const Destination &destination);
  void find_reach(const DeviceNeighborList &rows);
  DeviceAtoms<Position> listed_atoms() const;
  DeviceAtoms<Position> start_renewal(const Position *position, StepGuard *guard, const StopFlags &flags);
  const PositionFlags &wait_for_check();
  std::array<double, 3> read_position(const double *x, int one_based);

  TersoffTable table_;
  cudaStream_t stream_;
  InnerSkinChoice inner_skin_;
  int age_ = 0;                // calls of compute() since the pruned list was made
  unsigned computations_ = 0;  // calls of store_positions()
  PositionScale scale_;
  ImageNames<Position> images_;
  ExpectedPositions<Position> expected_;
  float image_reserve_ = 0;
  ListedGhosts ghosts_;
  int multiprocessors_ = 1;
  int few_lanes_ = 1, many_lanes_ = 1;  // LanesOf the model of the table
  int n_all_ = 0;
  Grid grid_ = {}, boundary_grid_ = {};  // grids of the last launch
  bool two_lists_ = false;               // atoms at the boundary have their own list
  bool dependent_ = false;               // the device supports programmatic dependent launch
  bool refiltered_ = false;              // the list was made or renewed since the last launch of forces
  int met_ = 0;                          // reasons to stop that this renewal has met
  bool nearly_moved_ = false;            // an atom was near its limit at the last check
  tuning::Reduction reduction_;          // chosen_reduction()
  bool gathers_ = false, incomplete_ = false;
  int reach_ = -1;

  DeviceBuffer<std::max_align_t> params_{"Tersoff parameters"};
  DeviceBuffer<float> cutoff_{"cutoffs"};
  DeviceBuffer<Position> position_{"positions"};
  DeviceBuffer<Position> reference_{"positions of the last list"};
  DeviceBuffer<typename Format::Sum> force_{"force accumulators"};
  DeviceBuffer<Real> gradient_{"gradients"};
  DeviceBuffer<unsigned> within_{"entries within the cutoff"};
  DeviceBuffer<typename Format::Tally> atom_energy_{"per-atom energies"};
  DeviceBuffer<typename Format::Tally> atom_virial_{"per-atom virials"};
  DeviceBuffer<typename Format::Tally> atom_centroid_{"per-atom centroid virials"};
  DeviceBuffer<BondRecord<Real>> overflow_{"bonds of long rows"};
  DeviceBuffer<BlockTotals> block_totals_{"energy and virial"};
  DeviceBuffer<int> largest_{"largest distance of indices"};
  DeviceBuffer<unsigned> beside_{"counts of blocks"};  // BlockProgress of the kernel for longer rows
  PinnedBuffer<Flags> flags_{"flags"};
  DeviceBuffer<unsigned> expired_{"the number of a computation"};  // ListExpiry::computation
  DeviceBuffer<unsigned> counts_{"counts of blocks"};              // of combined_
  CombinedLaunches<Format> combined_;
  Event positions_stored_;
  PrunedList list_, boundary_;
};

// The backends. Each precision is instantiated in its own translation unit.

/// Backend for host arrays.
template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_cuda_format(const TersoffSetup &setup, int device, int n_threads);

/// Backend for arrays in device memory.
template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_device_format(const TersoffSetup &setup, int device, cudaStream_t stream);

}  // namespace cuda
}  // namespace triad
