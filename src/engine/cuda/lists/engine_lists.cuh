// LAMMPS's neighbour list on the device, or the list that the device makes in its place, and the limits of both this
// list and the pruned list.
#pragma once

#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/ghosts/ghost_planner.cuh"
#include "engine/cuda/lists/averaged_references.h"
#include "engine/cuda/lists/box_crossings.cuh"
#include "engine/cuda/lists/expected_paths.cuh"
#include "engine/cuda/lists/list_life.h"
#include "engine/cuda/lists/list_on_demand.cuh"
#include "engine/cuda/lists/list_positions.cuh"
#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/terms/engine_terms.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {

/// `tersoff` holds the pruned list itself. All functions throw LoopError.
template <class Format>
class EngineLists {
 public:
  using Position = typename PositionOf<Format>::type;

  EngineLists(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineTerms<Format> &terms,
              EngineAtoms<Format> &atoms, EngineGhosts<Format> &ghosts, PeerExchange<Format> &peers)
      : device_(device),
        tersoff_(tersoff),
        terms_(terms),
        atoms_(atoms),
        ghosts_(ghosts),
        peers_(peers),
        planner_(device, atoms, ghosts, peers),
        on_demand_(device, tersoff, atoms),
        crossings_(device, tersoff, atoms),
        positions_(device, tersoff, atoms),
        expected_(tersoff, terms, atoms) {}

  /// Copies LAMMPS's lists to the device. `splits_boundary`: see UploadedNeighborList::upload(). Waits for the device.
  void upload(const TermLists &lists, bool splits_boundary);
  /// Takes the present positions as those of LAMMPS's list. Asynchronous.
  void keep_positions() {
    positions_.keep();
    far_ = false;
  }
  /// True if an atom may be so far from its position at LAMMPS's list that coarse positions do not show it, see
  /// StepGuard::far: after note_far(), until a list is made or moved() has looked.
  bool may_be_far() const { return far_; }
  void note_far(bool far) { far_ = far; }

  // See the functions of MdEngine.
  bool makes_lists(const ListBox &box, int n_owned) const;
  bool make_list(const ListBox &box);
  void set_box(const ListBox &box) {
    std::vector<double> shift = cells_.shifts(box);
    planner_.append_shifts(box, shift);
    ghosts_.set_shifts(shift);
  }
  /// Number of ghosts for which memory is needed where the engines of several ranks make lists.
  int ghosts_wanted() const { return planner_.ghosts_wanted(); }
  bool crossed() const { return crossings_.any(); }
  /// Adds to AtomArrays::crossings by how many box edges atoms were wrapped since the last call.
  void give_crossings() { crossings_.take(atoms_.arrays().crossings); }
  /// [n][3] these numbers on the device, or null if all are 0.
  const int *crossings() const {
    return crossings_.counts() && (on_demand_.prepared() || crossed()) ? crossings_.data() : nullptr;
  }

  /// Prepares launch_on_demand() for a batch with this rule, whose box may change. Returns false if only the host can
  /// make the next list. `marks`: as of ListOnDemand::prepare(). To be called before the first step of each batch, and
  /// after make_list().
  bool prepare_on_demand(const ListRule &rule, const BoxOfSteps &box, const MarkCheck &marks);
  /// See ListOnDemand::launch().
  void launch_on_demand(StepGuard *guard, const StopFlags &flags, bool dependent) {
    on_demand_.launch(rows(), expected_.positions(), guard, flags, dependent);
  }
  /// Life of the neighbour lists that are made.
  ListLife &neighbor_life() { return neighbor_life_; }

  const DeviceNeighborList &rows() const { return rows_.view(); }
  /// Entries of rows(). Waits for the device.
  double listed_neighbours() const;
  const DeviceNeighborList &boundary() const { return rows_.boundary(); }
  /// True if the atoms at the boundary have their own list.
  bool two_lists() const { return boundary().second_to > 0; }

  /// Positions at LAMMPS's list in the format coarse(), for a check of displacements against `limit`.
  const unsigned *coarse_references(double limit) { return positions_.coarse(limit); }
  const CoarseReference &coarse() const { return positions_.coarse_format(); }

  /// True if an atom of this rank has moved farther than `limit` since LAMMPS's list was made. Without ghosts, also
  /// checks the limits of the pruned list in the same kernel, which saves keep_pruned_list() a second wait for the
  /// device.
  bool moved(double limit);
  /// True if LAMMPS's list has expired on any rank, without ListRule::in_changing_box. `reasons`: why steps have
  /// stopped, on any rank. Collective. Throws if an atom has moved so far that wrapped coordinates become ambiguous.
  bool expired(const ListRule &rule, int reasons);
  /// moved() on any rank. Collective.
  bool moved_on_any_rank(double limit) { return ghosts_.on_any_rank(moved(limit)); }

  /// Renews the pruned list if an atom or ghost has left its limits. Waits for the device.
  void keep_pruned_list();
  /// `expected`: the last step has written the expected positions. Makes no averages of references, since only steps
  /// stop if an atom is beyond its limit in a new list.
  void build_pruned_list(bool expected = false) {
    list_shift_ = ghosts_.plan().shift;
    if (!expected || expected_.averaged()) expected_.extrapolate(1);
    averages_.restart();
    tersoff_.build_pruned_list(rows(), boundary());
    terms_.build_pruned_lists();
  }
  /// Where the caller must write the expected positions for the next renewal of the pruned list.
  ExpectedPath<Format> renew_paths() { return expected_.renew(averages_.weight()); }
  /// Extrapolates the paths of the atoms for that renewal.
  void extrapolate_paths() { expected_.extrapolate(averages_.weight()); }
  ExpectedPaths<Format> &expected_paths() { return expected_; }
  AveragedReferences &averages() { return averages_; }
  /// To be called when the box has changed or will change in a batch. From the first call on, until upload(), pruned
  /// lists have a reserve for changes of the shifts of images. Drops the pruned list if it has no such reserve, or if a
  /// shift has changed by more.
  void note_box_change();
  /// Largest allowed change of a shift, as the sum over its components, since the pruned list was made; length units; 0
  /// before note_box_change().
  double image_reserve() const { return image_reserve_; }
  /// Copies the shifts of images when the pruned list was made to `shift`, [images], length units.
  void give_list_shift(Vec3<double> *shift) const {
    for (std::size_t k = 0; k < list_shift_.size(); k += 3)
      shift[k / 3] = {list_shift_[k], list_shift_[k + 1], list_shift_[k + 2]};
  }
  /// Takes the shifts at a later pruned list, of as many images.
  void take_list_shift(const Vec3<double> *shift) {
    for (std::size_t k = 0; k < list_shift_.size(); k += 3) {
      list_shift_[k] = shift[k / 3].x;
      list_shift_[k + 1] = shift[k / 3].y;
      list_shift_[k + 2] = shift[k / 3].z;
    }
  }
  /// The pruned list is not of the present atoms or of the present list.
  void drop_pruned_list() { listed_ = false; }
  /// True if ghosts have current positions, and no atom has left the limits of the pruned list.
  bool checked() const { return checked_version_ == atoms_.version(); }
  void set_checked(bool checked) { checked_version_ = checked ? atoms_.version() : -1; }
  /// To be called after build_pruned_list() for current positions of atoms and ghosts.
  void set_built() {
    listed_ = true;
    set_checked(true);
  }
  /// Life of the pruned lists.
  ListLife &life() { return life_; }

  std::size_t host_bytes() const { return rows_.host_bytes(); }
  std::size_t device_bytes() const {
    return rows_.device_bytes() + cell_rows_.bytes() + crossings_.bytes() + positions_.bytes() + expected_.bytes() +
           planner_.device_bytes();
  }

 private:
  void set_image_reserve(double reserve) {
    image_reserve_ = reserve;
    tersoff_.set_image_reserve(reserve);
    terms_.set_image_reserve(reserve);
  }
  ListCells cells_of(const ListBox &box, int n_owned) const {
    return ListCells::of(box, tuning::most_cells_per_atom * (n_owned + 64ll));
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineTerms<Format> &terms_;
  EngineAtoms<Format> &atoms_;
  EngineGhosts<Format> &ghosts_;
  PeerExchange<Format> &peers_;
  GhostPlanner<Format> planner_;
  UploadedNeighborList rows_;
  CellNeighborList cell_rows_{true};
  ListCells cells_ = {};   // the cells that cell_rows_ was made with
  bool own_rows_ = false;  // rows_ are those of cell_rows_
  bool far_ = false;       // see may_be_far()
  ListOnDemand<Format> on_demand_;
  ListLife neighbor_life_;
  BoxCrossings<Format> crossings_;
  ListPositions<Format> positions_;
  ExpectedPaths<Format> expected_;

  double image_reserve_ = 0;
  std::vector<double> list_shift_;

  bool listed_ = false;                // the pruned list is of the present atoms
  std::int64_t checked_version_ = -1;  // EngineAtoms::version() at the last check of the pruned list
  ListLife life_;
  AveragedReferences averages_;
};

template <class Format>
void EngineLists<Format>::upload(const TermLists &lists, bool splits_boundary) {
  positions_.reserve(atoms_.n());
  rows_.upload(terms_.main_list(lists), ghosts_.layout(), splits_boundary, atoms_.n_threads(), device_.stream());
  terms_.upload(lists, ghosts_.layout(), atoms_.n_threads());
  listed_ = own_rows_ = false;
  set_image_reserve(0);
  on_demand_.cancel();
  crossings_.forget();
}

template <class Format>
bool EngineLists<Format>::makes_lists(const ListBox &box, int n_owned) const {
  using Names = ImageNames<Position>;
  return n_owned > 0 && n_owned < 1 << Names::index_bits && cells_of(box, n_owned).n_images() <= Names::max_images &&
         cutoffs_outside(box) > 0;
}

template <class Format>
bool EngineLists<Format>::make_list(const ListBox &box) {
  HaloExchange *const exchange = ghosts_.exchange();
  if (!exchange && !makes_lists(box, atoms_.n())) return false;  // the box may have become narrow
  const cudaStream_t stream = device_.stream();
  Reports &reports = device_.reports();
  atoms_.for_each(OutsideOp<Format>{{atoms_.state(), atoms_.anchor()}, box, &reports.outside}, "looking at the box");
  const bool outside = atoms_.reported(reports.outside);
  if (exchange) atoms_.decode();  // for find_extents()
  if (exchange ? !planner_.find_extents(box, !outside) : outside) return false;

  crossings_.start();
  const ListBox part = exchange ? planner_.list_box(box) : box;
  atoms_.for_each(crossings_.into_box(part), "putting atoms into the box");

  cells_ = cells_of(part, atoms_.n());
  if (exchange && !planner_.make(box, cells_.shifts(box))) return false;
  const CellGrid grid = {part, cells_, ImageNames<Position>::index_bits};
  if (terms_.has_main())
    cell_rows_.build(terms_.main_grid(grid, atoms_.n()), atoms_.n(), ghosts_.layout().n_all(), atoms_.anchor(),
                     peers_.connected(), stream, terms_.main_types());
  terms_.make_lists(grid, atoms_.n(), atoms_.anchor());
  crossings_.note_report();
  own_rows_ = true;
  rows_.take(cell_rows_.rows(), cell_rows_.boundary());
  if (!exchange) set_box(box);
  keep_positions();
  drop_pruned_list();
  return true;
}

template <class Format>
bool EngineLists<Format>::prepare_on_demand(const ListRule &rule, const BoxOfSteps &box, const MarkCheck &marks) {
  // in a box that changes, the kernel looks whether the cells fit
  const bool possible = on_demand_.allowed(rule) && own_rows_ && cell_rows_.is_table() && ghosts_.none() &&
                        terms_.none() && (box.changes() || cells_of(*rule.box, atoms_.n()) == cells_);
  if (!possible) {
    on_demand_.cancel();
    return false;
  }
  crossings_.start();
  on_demand_.prepare(rule, box, marks, crossings_.into_box(*rule.box), positions_, cells_, cell_rows_);
  return true;
}

template <class Format>
double EngineLists<Format>::listed_neighbours() const {
  const DeviceNeighborList &list = rows();
  if (list.n_rows == 0) return 0;
  const char *const what = "counting neighbours";
  if (list.offset) {
    long long entries = 0;
    copy_to_host(&entries, list.offset + list.n_rows, 1, device_.stream(), what);
    device_.wait(what);
    return static_cast<double>(entries);
  }
  std::vector<int> lengths(list.n_rows);
  copy_to_host(lengths.data(), list.length, lengths.size(), device_.stream(), what);
  device_.wait(what);
  return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

template <class Format>
bool EngineLists<Format>::moved(double limit) {
  device_.select();
  far_ = false;
  Reports &reports = device_.reports();
  const MovedOp<Format> list = positions_.check_moved(limit, &reports.moved);
  const char *const what = "checking displacements";
  if (!listed_ || checked() || !ghosts_.none() || terms_.has_tersoff()) {
    atoms_.for_each(list, what);
    return atoms_.reported(reports.moved);
  }
  const LimitOp<Format> pruned_list = {tersoff_.positions(), tersoff_.references(), tersoff_.scale(),
                                       &reports.beyond_limit};
  atoms_.for_each(MovedAndLimitOp<Format>{list, pruned_list}, what);
  const bool moved = atoms_.reported(reports.moved);
  listed_ = std::exchange(reports.beyond_limit, 0) == 0;
  set_checked(listed_);
  return moved;
}

template <class Format>
bool EngineLists<Format>::expired(const ListRule &rule, int reasons) {
  if (reasons & stop_long_row) return true;
  if (!(reasons & stop_list)) return false;
  if (rule.check) return moved_on_any_rank(rule.limit);
  const double largest = atoms_.range() / 4;
  if (moved(largest)) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "an atom has moved more than %g since the neighbor list was built; let neigh_modify check "
                  "displacements, or build lists more often",
                  largest);
    throw LoopError(text);
  }
  return false;
}

template <class Format>
void EngineLists<Format>::note_box_change() {
  const std::vector<double> &now = ghosts_.plan().shift;
  bool exceeded = image_reserve_ == 0 || now.size() != list_shift_.size();
  if (image_reserve_ == 0) set_image_reserve(tuning::image_reserve * rows().cutoff);
  for (std::size_t k = 0; k < now.size() && !exceeded; k += 3)
    exceeded = shift_exceeds(image_reserve_, &now[k], &list_shift_[k]);
  if (exceeded) drop_pruned_list();
}

template <class Format>
void EngineLists<Format>::keep_pruned_list() {
  if (listed_ && !checked()) {
    int &moved = device_.reports().moved;
    device_.for_each(ghosts_.layout().n_all(),
                     LimitOp<Format>{tersoff_.positions(), tersoff_.references(), tersoff_.scale(), &moved},
                     "checking displacements");
    terms_.take_positions(nullptr, &moved);
    listed_ = !atoms_.reported(moved);
  }
  if (!listed_) {
    build_pruned_list();
    life_.age = 0;
  }
  set_built();
}

}  // namespace cuda
}  // namespace triad
