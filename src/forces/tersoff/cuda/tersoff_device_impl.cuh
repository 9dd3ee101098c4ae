// TersoffDevice: construction, positions and pruned lists. The other members are in tersoff_device_launches_impl.cuh
// and tersoff_device_results_impl.cuh. One translation unit per precision includes the three.
#pragma once

#include <string>

#include "core/messages.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"
#include "forces/tersoff/cuda/transfer_kernels.cuh"

namespace triad {
namespace cuda {

template <class Format>
TersoffDevice<Format>::TersoffDevice(const TersoffTable &table, cudaStream_t stream)
    : table_(table),
      stream_(stream),
      scale_(PositionScale::for_cutoff(usual_pruned_cutoff(table.cutoff()))),
      reduction_(chosen_reduction()) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");

  const std::vector<std::max_align_t> params = pack_params<Real>(table);
  std::vector<float> cutoffs;
  for (int i = 0; i < table.nelements(); ++i)
    for (int j = 0; j < table.nelements(); ++j)  // symmetric, so that each entry has a reverse entry
      cutoffs.push_back(static_cast<float>(std::max(table.cutoff(i, j), table.cutoff(j, i))));
  params_.reserve(params.size());
  cutoff_.reserve(cutoffs.size());
  beside_.reserve(3);
  check(cudaMemsetAsync(beside_.data(), 0, beside_.bytes(), stream_), "clearing counts of blocks");
  copy_to_device(params_.data(), params.data(), params.size(), stream_, "copying parameters");
  copy_to_device(cutoff_.data(), cutoffs.data(), cutoffs.size(), stream_, "copying cutoffs");
  with_kernel_model([&](const auto &model) {
    using Lanes = LanesOf<std::decay_t<decltype(model)>>;
    few_lanes_ = Lanes::few;
    many_lanes_ = Lanes::many;
  });
  expired_.reserve(1);
  check(cudaMemsetAsync(expired_.data(), 0, expired_.bytes(), stream_), "clearing the number of a computation");
  flags_.reserve(1);
  flags_[0] = {};
  dependent_ = supports_dependent_launch();
  check(cudaStreamSynchronize(stream_), "copying parameters");
}

template <class Format>
void TersoffDevice<Format>::reserve(int n_all, const TallyRequest &request) {
  n_all_ = n_all;
  const std::size_t n = n_all;
  const char *const what = "clearing accumulators";
  position_.reserve(n);
  reserve_cleared(force_, ForceArray<Format>::elements(n_all), stream_, what);
  if (request.atom_energy) reserve_cleared(atom_energy_, n, stream_, what);
  if (request.atom_virial) reserve_cleared(atom_virial_, 6 * n, stream_, what);
  if (request.atom_centroid) reserve_cleared(atom_centroid_, 9 * n, stream_, what);
}

template <class Format>
typename TersoffDevice<Format>::Computed TersoffDevice<Format>::compute(const DeviceNeighborList &rows, bool new_rows,
                                                                        const double *x, const ElementsView &element,
                                                                        int n_all, const TallyRequest &request,
                                                                        const Destination &destination) {
  if (new_rows) {
    set_list_cutoff(rows.cutoff);
    counts_.reserve(2 * ForceProgress::counts);
    check(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), stream_), "clearing counts of blocks");
    combined_.start(counts_.data());  // a launch may have failed since the last list
  }
  ++age_;
  store_positions(x, element, n_all, !new_rows);
  Computed done = {new_rows || inner_skin_.outlives_liquid(age_) || (nearly_moved_ && wait_for_check().moved), false};
  const auto renew = [&] {
    if (!new_rows) inner_skin_.note_life(age_);
    age_ = 0;
    const bool gathered = gathers_;
    build_pruned_list(rows);
    if (gathered && !gathers_) clear_forces();  // collect() has left the sums of longer rows
  };
  const auto launch_kernels = [&] {
    done.collected = collects_with_forces(request, destination);
    if (done.collected)
      launch_and_collect(destination);
    else
      launch_forces(request);
  };
  if (done.renewed) renew();
  launch_kernels();
  if (!done.renewed && wait_for_check().moved) {  // this launch came too early
    done.renewed = true;
    discard();
    renew();
    launch_kernels();
  }
  const PositionFlags &flags = wait_for_check();
  nearly_moved_ = !done.renewed && flags.nearly_moved;
  if (flags.bad_position) {
    discard();
    throw LoopError(position_not_a_number(read_position(x, flags.bad_position).data()));
  }
  return done;
}

template <class Format>
const PositionFlags &TersoffDevice<Format>::wait_for_check() {
  positions_stored_.wait("checking positions");
  return flags_[0].positions;
}

template <class Format>
std::array<double, 3> TersoffDevice<Format>::read_position(const double *x, int one_based) {
  std::array<double, 3> position;
  copy_to_host(position.data(), x + 3 * (static_cast<std::size_t>(one_based) - 1), 3, stream_, "reading a position");
  check(cudaStreamSynchronize(stream_), "reading a position");
  return position;
}

template <class Format>
void TersoffDevice<Format>::store_positions(const double *x, const ElementsView &element, int n_all, bool check_moved) {
  reserve(n_all, TallyRequest());
  flags_[0].positions = {};  // the kernel that wrote them last is done: compute() waited for it
  if (n_all)
    store_positions_kernel<Format><<<blocks_for(n_all, tuning::store_block), tuning::store_block, 0, stream_>>>(
        n_all, x, element, scale_, check_moved ? reference_.data() : nullptr, position_.data(),
        &flags_.data()->positions, ListExpiry{expired_.data(), ++computations_});
  check(cudaGetLastError(), "storing positions");
  positions_stored_.record(stream_);
}

template <class Format>
void TersoffDevice<Format>::set_list_cutoff(double cutoff) {
  scale_ = PositionScale::for_cutoff(std::max(cutoff, usual_pruned_cutoff(table_.cutoff())));
}

template <class Format>
void TersoffDevice<Format>::build_pruned_list(const DeviceNeighborList &interior, const DeviceNeighborList &boundary) {
  reference_.reserve(n_all_);
  two_lists_ = boundary.second_to > 0;
  const double rows = std::max(1, interior.n_rows);
  const tuning::Reduction reduced = reduction();
  inner_skin_.build_list({rows, rows / multiprocessors_, reduced}, [&] { return build_lists(interior, boundary); });
  list_.expect_longer_rows(two_lists_ ? LongerRows() : inner_skin_.suitable());
  refiltered_ = true;  // the kernel that orders the rows may still run when the forces are launched
  incomplete_ = false;
  const bool may_gather = reduced != tuning::Reduction::Atomic;
  gathers_ = two_lists_
                 ? may_gather && can_refilter() && longer_rows() <= inner_skin_.most_longer_rows(interior.n_rows) &&
                       PrunedList::link(list_, boundary_, listed_atoms(), stream_)
                 : list_.reversed();
  reach_ = -1;
  if (gathers_ && !two_lists_) find_reach(interior);
  const long long longest = longest_row();
  if (std::is_same<typename Format::Sum, fixed_point::Word>::value && longest >= fixed_point::neighbour_limit)
    throw LoopError("an atom has " + std::to_string(longest) +
                    " neighbors in the pruned list (cutoff plus inner skin), precision mixed allows " +
                    std::to_string(fixed_point::neighbour_limit - 1) + "; check the density or use precision double");
  if (longest > tuning::general_shared_bonds) overflow_.reserve(overflow_of(list_) + overflow_of(boundary_));
  if (!gathers_) return;
  // steps that are stopped may still read both arrays
  reserve_cleared(gradient_, GradientArray<Real>::elements(gradients()), stream_, "clearing gradients");
  if (list_.view().length || boundary_.view().length)
    reserve_cleared(within_, list_.view().n_rows, stream_, "clearing entries within the cutoff");
}

template <class Format>
void TersoffDevice<Format>::find_reach(const DeviceNeighborList &rows) {
  const char *const what = "finding the reach of rows";
  largest_.reserve(1);
  check(cudaMemsetAsync(largest_.data(), 0, sizeof(int), stream_), what);
  if (rows.n_rows)
    reach_kernel<<<blocks_for(rows.n_rows, tuning::store_block), tuning::store_block, 0, stream_>>>(
        rows, images_.mask, ghosts_, largest_.data());
  check(cudaGetLastError(), what);
  copy_to_host(&reach_, largest_.data(), 1, stream_, what);
  check(cudaStreamSynchronize(stream_), what);
}

/// Builds the lists as InnerSkinChoice::Build asks for.
template <class Format>
InnerSkinChoice::List TersoffDevice<Format>::build_lists(const DeviceNeighborList &interior,
                                                         const DeviceNeighborList &boundary) {
  list_.build(interior, listed_atoms(), inner_skin_.most_longer_rows(interior.n_rows), stream_);
  if (two_lists_)
    boundary_.build(boundary, listed_atoms(), inner_skin_.most_longer_rows(boundary.n_rows), stream_);
  else
    boundary_.clear();
  return {longer_rows(), can_refilter()};
}

/// Number of bond records that the longer rows of a list may need. A tile has at most one row at a time, so tiles
/// beyond the number of longer rows need no records. In the slot-major table that number can change without the host,
/// so all rows count.
template <class Format>
std::size_t TersoffDevice<Format>::overflow_of(const PrunedList &list) const {
  constexpr int tiles_per_block = tuning::general_block / std::min(tuning::general_lanes, tuning::heat_lanes);
  const long long tiles = static_cast<long long>(multiprocessors_) * tuning::general_blocks_per_sm * tiles_per_block;
  const long long rows = list.view().length ? list.view().n_rows : list.summary().general_rows;
  return std::min(tiles, rows) * longest_row();
}

template <class Format>
DeviceAtoms<typename TersoffDevice<Format>::Position> TersoffDevice<Format>::listed_atoms() const {
  return {n_all_,
          position_.data(),
          scale_,
          cutoff_.data(),
          float(inner_skin_.skin() * table_.cutoff()),
          table_.nelements(),
          reference_.data(),
          images_,
          expected_,
          image_reserve_,
          ghosts_};
}

template <class Format>
DeviceAtoms<typename TersoffDevice<Format>::Position> TersoffDevice<Format>::start_renewal(const Position *position,
                                                                                           StepGuard *guard,
                                                                                           const StopFlags &flags) {
  complete_forces(guard);  // the gradients are stored by entries of the present list
  refiltered_ = true;
  met_ = flags.on_demand ? stop_pruned_list : 0;
  DeviceAtoms<Position> atoms = listed_atoms();
  atoms.position = position;
  return atoms;
}

template <class Format>
void TersoffDevice<Format>::refilter_pruned_list(const DeviceNeighborList &rows, const Position *position,
                                                 StepGuard *guard, const StopFlags &flags) {
  list_.refilter(rows, start_renewal(position, guard, flags), guard, flags, dependent_, stream_);
}

template <class Format>
void TersoffDevice<Format>::refilter_boundary(const DeviceNeighborList &boundary, StepGuard *guard,
                                              const StopFlags &flags) {
  boundary_.refilter(boundary, listed_atoms(), guard, flags, false, stream_);
  if (gathers_) PrunedList::renew_links(list_, boundary_, listed_atoms(), flags, stream_);
}

template <class Format>
std::size_t TersoffDevice<Format>::bytes() const {
  return params_.bytes() + position_.bytes() + reference_.bytes() + force_.bytes() + atom_energy_.bytes() +
         gradient_.bytes() + within_.bytes() + atom_virial_.bytes() + atom_centroid_.bytes() + overflow_.bytes() +
         block_totals_.bytes() + list_.bytes() + boundary_.bytes() + counts_.bytes() + expired_.bytes();
}

}  // namespace cuda
}  // namespace triad
