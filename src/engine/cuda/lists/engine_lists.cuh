// LAMMPS's neighbour list on the device, or the list that the device makes in its place, and the limits of both this
// list and the pruned list.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/ghosts/ghost_planner.cuh"
#include "engine/cuda/lists/list_kernel.cuh"
#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/terms/engine_terms.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {

/// For how long pruned lists last. Times are counted in steps.
struct PrunedListLife {
  long long age = 0;         ///< steps since the pruned list was made
  double steps = 1e9;        ///< steps after which the pruned list is renewed, on demand or at once
  bool all_refilter = true;  ///< every rank can renew its pruned list before the list expires

  /// Updates `steps` for lists that are renewed on demand after the first of them was in use for `age` steps: at once
  /// to a shorter life, slowly to a longer one, since a list that expires before it can be renewed costs most.
  void note_renewal(long long age) {
    const double share = tuning::share_before_demand * double(age);
    steps = std::max(1.0, share < steps ? share : steps + (share - steps) / 8);
  }

  /// Makes all ranks use the shortest life of any rank. All ranks then renew their pruned lists in the same steps,
  /// which costs least, since each rank waits for the ghosts of the others. `refilters`: this rank can renew its pruned
  /// list ahead. Collective.
  void agree(HaloExchange &exchange, bool refilters) {
    struct Life {
      double steps;
      long long age;
      bool refilters;
    } mine = {steps, age, refilters};
    std::vector<Life> all(exchange.ranks());
    exchange.gather(&mine, all.data(), sizeof mine);
    for (const Life &other : all) {
      steps = std::min(steps, other.steps);
      age = std::max(age, other.age);
      all_refilter = all_refilter && other.refilters;
    }
  }
};

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
        planner_(device, atoms, ghosts, peers) {}

  /// Copies LAMMPS's lists to the device. `apart`: see UploadedNeighborList::upload(). Waits for the device.
  void upload(const TermLists &lists, bool apart);
  /// Takes the present positions as those of LAMMPS's list. Asynchronous.
  void keep_positions();

  // See the functions of MdEngine.
  bool makes_lists(const ListBox &box, int n_owned) const;
  bool make_list(const ListBox &box);
  void set_box(const ListBox &box) {
    std::vector<double> shift = cells_.shifts(box);
    planner_.append_shifts(box, shift);
    ghosts_.set_shifts(shift);
  }
  /// Number of ghosts for which memory is needed where the engines of several ranks make lists.
  int ghosts_wanted() const { return planner_.room_wanted(); }
  bool crossed() const { return crossed_ || device_.reports().crossed; }
  /// Adds to AtomArrays::crossings by how many box edges atoms were wrapped since the last call.
  void give_crossings();
  /// [n][3] these numbers on the device, or null if all are 0.
  const int *crossings() const { return counts_crossings_ && (on_demand_ || crossed()) ? crossings_.data() : nullptr; }

  /// Prepares launch_on_demand() for a batch with this rule. Returns false if only the host can make the next list, if
  /// other processes use the device at the same time, or if the environment variable TRIAD_LISTS is `host`, for
  /// benchmarks and tests. To be called before the first step of each batch, and after make_list().
  bool prepare_on_demand(const ListRule &rule);
  /// Launches, behind the kernel that moves the atoms in a step of `guard`, a kernel that makes the list if it has
  /// expired in this step, and renews the pruned list if that must be renewed. `flags`: as for
  /// TersoffDevice::refilter_pruned_list().
  void launch_on_demand(StepGuard *guard, const StopFlags &flags, bool chained);
  /// Life of the lists that are made.
  PrunedListLife &neighbor_life() { return neighbor_life_; }

  const DeviceNeighborList &rows() const { return rows_.view(); }
  /// Entries of rows(). Waits for the device.
  double listed_neighbours() const;
  const DeviceNeighborList &boundary() const { return rows_.boundary(); }
  /// True if the atoms at the boundary have their own list.
  bool two_lists() const { return boundary().second_to > 0; }

  /// Positions at LAMMPS's list in the format coarse(), for a check of displacements against `limit`.
  const unsigned *coarse_references(double limit);
  const CoarseReference &coarse() const { return coarse_; }

  /// True if an atom of this rank has moved farther than `limit` since LAMMPS's list was made. Without ghosts, also
  /// checks the limits of the pruned list in the same kernel, which saves keep_pruned_list() a second wait for the
  /// device.
  bool moved(double limit);
  /// True if LAMMPS's list has expired on any rank. `reasons`: why steps have stopped, on any rank. Collective. Throws
  /// if an atom has moved so far that wrapped coordinates become ambiguous.
  bool expired(const ListRule &rule, int reasons);

  /// Renews the pruned list if an atom or ghost has left its limits. Waits for the device.
  void keep_pruned_list();
  void build_pruned_list() {
    estimate_travel();
    tersoff_.build_pruned_list(rows(), boundary());
    terms_.build_pruned_lists();
  }
  /// Sets the time step, for estimate_travel().
  void set_time_step(double step) { time_step_ = step; }
  /// Estimates from the velocities how far each atom travels before the next pruned list, for the lists that are made
  /// from now on. Asynchronous.
  void estimate_travel() {
    if (float *const travel = renew_travel())
      device_.for_each(ghosts_.layout().n_all(), TravelOp<Format>{atoms_.state(), travel_time(), travel},
                       "estimating the travel of atoms");
  }
  /// Array that the caller fills with travel_in(travel_time()) of all atoms and ghosts before the next pruned list; or
  /// null, and the lists from now on use no such array, before anything has moved.
  float *renew_travel() {
    travel_.reserve(ghosts_.layout().n_all());
    set_travel(time_step_ > 0 ? travel_.data() : nullptr);
    return time_step_ > 0 ? travel_.data() : nullptr;
  }
  float travel_time() const { return static_cast<float>(tuning::travel_steps * time_step_); }
  void set_travel(const float *travel) {
    tersoff_.set_travel(travel);
    terms_.set_travel(travel);
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
  PrunedListLife &life() { return life_; }

  std::size_t host_bytes() const { return rows_.host_bytes(); }
  std::size_t device_bytes() const {
    return rows_.device_bytes() + cell_rows_.bytes() + crossings_.bytes() + reference_.bytes() +
           coarse_reference_.bytes() + travel_.bytes() + arrived_.bytes() + planner_.device_bytes();
  }

 private:
  ListCells cells_of(const ListBox &box, int n_owned) const {
    return ListCells::of(box, tuning::most_cells_per_atom * (n_owned + 64ll));
  }
  /// Begins to count how often atoms are wrapped.
  void start_crossings() {
    if (std::exchange(counts_crossings_, true)) return;
    const std::size_t n = 3 * std::size_t(atoms_.n());
    crossings_.reserve(n);
    check(cudaMemsetAsync(crossings_.data(), 0, n * sizeof(int), device_.stream()), "counting crossings of the box");
  }
  /// Wraps atoms into the part of the box that has them.
  IntoBoxOp<Format> into_box(const ListBox &part) const {
    IntoBoxOp<Format> into = {
        atoms_.state(),           part, {}, {}, atoms_.anchor(), crossings_.data(), &device_.reports().crossed,
        atoms_.tethers().arrays()};
    for (int d = 0; d < 3; ++d) {
      const double *const edge = part.edge[d];
      const double opposite[3] = {-edge[0], -edge[1], -edge[2]};
      into.forth[d] = shift_in_counts(edge, tersoff_.scale(), Position());
      into.back[d] = shift_in_counts(opposite, tersoff_.scale(), Position());
    }
    return into;
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
  bool on_demand_ = false;
  ListJob<Format> job_ = {};
  ListGrid<Format> list_grid_;
  PrunedListLife neighbor_life_;
  DeviceBuffer<unsigned> arrived_{"the neighbour list"};

  bool listed_ = false;                // the pruned list is of the present atoms
  std::int64_t checked_version_ = -1;  // EngineAtoms::version() at the last check of the pruned list
  PrunedListLife life_;
  double time_step_ = 0;
  DeviceBuffer<float> travel_{"distances that atoms may travel"};

  double coarse_limit_ = -1;  // displacement for which coarse_reference_ was made
  CoarseReference coarse_ = {};
  DeviceBuffer<Position> reference_{"positions of LAMMPS's list"};
  DeviceBuffer<unsigned> coarse_reference_{"positions of LAMMPS's list"};

  bool counts_crossings_ = false;  // crossings_ counts since the last give_crossings()
  bool crossed_ = false;           // some of these counts are not zero; since the last list see Reports::crossed
  DeviceBuffer<int> crossings_{"atoms that crossed the box"};
};

template <class Format>
void EngineLists<Format>::upload(const TermLists &lists, bool apart) {
  reference_.reserve(atoms_.n());
  coarse_reference_.reserve(atoms_.n());
  rows_.upload(terms_.main_list(lists), ghosts_.layout(), apart, atoms_.n_threads(), device_.stream());
  terms_.upload(lists, ghosts_.layout(), atoms_.n_threads());
  listed_ = counts_crossings_ = crossed_ = own_rows_ = on_demand_ = false;
  device_.reports().crossed = 0;
}

template <class Format>
void EngineLists<Format>::keep_positions() {
  copy_on_device(reference_.data(), tersoff_.positions(), atoms_.n(), device_.stream(),
                 "keeping positions of the list");
  coarse_limit_ = -1;
}

template <class Format>
bool EngineLists<Format>::makes_lists(const ListBox &box, int n_owned) const {
  using Names = ImageNames<Position>;
  return n_owned > 0 && n_owned < 1 << Names::index_bits && cells_of(box, n_owned).n_images() <= Names::max_images &&
         regions_suffice(box);
}

template <class Format>
bool EngineLists<Format>::make_list(const ListBox &box) {
  const cudaStream_t stream = device_.stream();
  Reports &reports = device_.reports();
  atoms_.for_each(OutsideOp<Format>{{atoms_.state(), atoms_.anchor()}, box, &reports.outside}, "looking at the box");
  const bool outside = atoms_.reported(reports.outside);
  HaloExchange *const exchange = ghosts_.exchange();
  if (exchange ? !planner_.find_extents(box, !outside) : outside) return false;

  start_crossings();
  const ListBox part = exchange ? planner_.list_box(box) : box;
  atoms_.for_each(into_box(part), "putting atoms into the box");

  cells_ = cells_of(part, atoms_.n());
  if (exchange && !planner_.make(box, cells_.shifts(box))) return false;
  const CellGrid grid = {part, cells_, ImageNames<Position>::index_bits};
  if (terms_.has_main())
    cell_rows_.build(terms_.main_grid(grid, atoms_.n()), atoms_.n(), ghosts_.layout().n_all(), atoms_.anchor(),
                     peers_.connected(), stream, terms_.main_types());
  terms_.make_lists(grid, atoms_.n(), atoms_.anchor());
  crossed_ = std::exchange(reports.crossed, 0) != 0 || crossed_;
  own_rows_ = true;
  rows_.take(cell_rows_.rows(), cell_rows_.boundary());
  if (!exchange) set_box(box);
  keep_positions();
  drop_pruned_list();
  return true;
}

template <class Format>
bool EngineLists<Format>::prepare_on_demand(const ListRule &rule) {
  const int n = atoms_.n();
  const char *const maker = std::getenv("TRIAD_LISTS");
  const bool allowed = (!maker || std::strcmp(maker, "host") != 0) && !device_.shared_by_mps();
  on_demand_ = allowed && rule.box && rule.check && own_rows_ && cell_rows_.is_table() && ghosts_.none() &&
               terms_.none() && cells_of(*rule.box, n) == cells_;
  if (!on_demand_) return false;
  start_crossings();
  arrived_.reserve(1);
  check(cudaMemsetAsync(arrived_.data(), 0, sizeof(unsigned), device_.stream()), "making the neighbour list");
  job_.outside = {{atoms_.state(), atoms_.anchor()}, *rule.box, nullptr};
  job_.moved = {tersoff_.positions(), reference_.data(), tersoff_.scale(), rule.limit * rule.limit, nullptr};
  job_.into = into_box(*rule.box);
  job_.reference = reference_.data();
  job_.coarse_reference = {reference_.data(), coarse_reference_.data(), coarse_};
  job_.grid = {*rule.box, cells_, ImageNames<Position>::index_bits};
  job_.sort = cell_rows_.sort_for(job_.grid, device_.stream());
  job_.rows = cell_rows_.table();
  job_.own_until = rule.own_until;
  job_.arrived = arrived_.data();
  return true;
}

template <class Format>
void EngineLists<Format>::launch_on_demand(StepGuard *guard, const StopFlags &flags, bool chained) {
  job_.guard = guard;
  job_.stop = flags.stop;
  tersoff_.renew_pruned_list(rows(), tersoff_.positions(), guard, flags, [&](const Renewal<Position> &renewal) {
    job_.renewal = renewal;
    list_grid_.launch(job_, tersoff_.multiprocessors(), chained, device_.stream());
  });
}

template <class Format>
void EngineLists<Format>::give_crossings() {
  counts_crossings_ = false;
  int *const sum = atoms_.arrays().crossings;
  const bool any = crossed();
  crossed_ = false;
  device_.reports().crossed = 0;
  if (!any || !sum) return;
  std::vector<int> edges(3 * std::size_t(atoms_.n()));
  copy_to_host(edges.data(), crossings_.data(), edges.size(), device_.stream(), "counting crossings of the box");
  device_.wait("counting crossings of the box");
  for (std::size_t k = 0; k < edges.size(); ++k) sum[k] += edges[k];
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
const unsigned *EngineLists<Format>::coarse_references(double limit) {
  if (coarse_limit_ != limit) {
    coarse_ = CoarseReference::for_limit(limit, tersoff_.scale());
    atoms_.for_each(ReferenceOp<Format>{reference_.data(), coarse_reference_.data(), coarse_},
                    "keeping positions of the list");
    coarse_limit_ = limit;
  }
  return coarse_reference_.data();
}

template <class Format>
bool EngineLists<Format>::moved(double limit) {
  device_.select();
  Reports &reports = device_.reports();
  const MovedOp<Format> list = {tersoff_.positions(), reference_.data(), tersoff_.scale(), limit * limit,
                                &reports.moved};
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
  if (rule.check) return ghosts_.on_any_rank(moved(rule.limit));
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
