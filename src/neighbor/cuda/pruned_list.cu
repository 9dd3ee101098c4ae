#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <utility>

#include "core/cuda/work_space.cuh"
#include "core/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"
#include "neighbor/cuda/pruned_list_kernels.cuh"

namespace triad {
namespace cuda {
namespace {

using namespace pruning;

constexpr unsigned threads = tuning::pruned_list_block;

unsigned tile_blocks(int n_rows) { return blocks_for(static_cast<std::size_t>(n_rows) * tile_size, threads); }

/// Orders the rows of a list that the host makes, one block per window.
__global__ void __launch_bounds__(tuning::pruned_list_block)
    order_rows_kernel(int n_rows, const unsigned char *within, int *order) {
  __shared__ WindowSort::TempStorage space;
  order_rows_of(static_cast<int>(blockIdx.x), n_rows, within, order, space);
}

}  // namespace

template <class Position>
void PrunedList::build(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, double reversed,
                       cudaStream_t stream) {
  clear();
  n_rows_ = rows.n_rows;
  second_ = rows.second_to > 0;
  const int first =
      rows.centre ? 0 : n_rows_;  // count_pruned_rows_kernel stores the references of atoms that have rows
  if (!second_ && first < atoms.n_all)
    keep_references_kernel<<<blocks_for(atoms.n_all - first, threads), threads, 0, stream>>>(atoms, first, nullptr,
                                                                                             StopFlags());
  check(cudaGetLastError(), "keeping reference positions");
  if (n_rows_ == 0) return;

  count_.reserve(n_rows_);
  summary_device_.reserve(1);
  summary_.reserve(1);
  view_.n_rows = n_rows_;
  view_.centre = rows.centre;
  if (fill_table(rows, atoms, stream)) {
    const bool wanted = static_cast<double>(summary_[0].longer_rows) <= reversed;
    const int with_rows = atoms.ghosts.owner ? atoms.ghosts.from : atoms.n_all;
    if (wanted && !rows.centre && !second_ && !rows.elsewhere && n_rows_ == with_rows) build_reverse(atoms, stream);
    return;
  }
  count(rows, atoms, 4, stream);
  if (summary_[0].general_rows > 0) build_general(rows, atoms, stream);
}

/// Fills a table of as many slots as all rows need, or as rows of an earlier list of the same inner skin needed.
/// Returns false if a row is too long.
template <class Position>
bool PrunedList::fill_table(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, cudaStream_t stream) {
  if (std::exchange(slots_skin_, atoms.inner_skin) != atoms.inner_skin) slots_ = 4;
  count(rows, atoms, slots_, stream);
  const bool longer = summary_[0].general_rows > 0;
  if (longer && (slots_ == 4 || summary_[0].longest > slots_)) {
    if (summary_[0].longest > PrunedListView::most_slots) return false;
    slots_ = std::min<int>(PrunedListView::most_slots, std::max(8, static_cast<int>(summary_[0].longest) + 3) / 4 * 4);
  } else if (!longer) {
    slots_ = 4;
  }
  if (slots_ != (view_.width ? view_.width : 4)) count(rows, atoms, slots_, stream);
  if (entries() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  if (slots_ > 4) {
    order_.reserve(n_rows_);
    view_.length = count_.data();
    view_.order = order_.data();
    order_rows(stream);
  }
  return true;
}

/// Counts the rows and fills the tables for rows of up to `width` entries.
template <class Position>
void PrunedList::count(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, int width,
                       cudaStream_t stream) {
  view_.width = width > 4 ? width : 0;
  // kernels load the four slots of each row, also where a row is longer
  reserve_cleared(neighbour_, entries(), stream, "clearing the pruned list");
  unsigned char *within = nullptr;
  if (width > 4) {
    within_.reserve(n_rows_);
    within = within_.data();
  }
  check(cudaMemsetAsync(summary_device_.data(), 0, sizeof(Summary), stream), "clearing the sizes of the pruned list");
  const auto kernel = width > 4 ? count_pruned_rows_kernel<Position, PrunedListView::most_slots>
                                : count_pruned_rows_kernel<Position, 4>;
  kernel<<<tile_blocks(n_rows_), threads, 0, stream>>>(rows, atoms, width, count_.data(), neighbour_.data(), within,
                                                       summary_device_.data());
  check(cudaGetLastError(), "counting the pruned list");
  copy_to_host(summary_.data(), summary_device_.data(), 1, stream, "reading the sizes of the pruned list");
  check(cudaStreamSynchronize(stream), "counting the pruned list");
  view_.neighbour = neighbour_.data();
  if (summary_[0].general_rows < n_rows_) summary_[0].longest = std::max(summary_[0].longest, 4ll);
}

template <class Position>
void PrunedList::refilter(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, StepGuard *guard,
                          const StopFlags &flags, bool dependent, cudaStream_t stream) {
  const int first_ghost = second_ ? rows.second_to : n_rows_, ghosts = atoms.n_all - first_ghost;
  if (ghosts > 0 && !rows.elsewhere) {  // with two lists, ghosts have not arrived yet
    keep_references_kernel<<<blocks_for(ghosts, threads), threads, 0, stream>>>(
        atoms, first_ghost, flags.on_demand ? nullptr : guard, flags);
    check(cudaGetLastError(), "keeping reference positions");
  }
  if (n_rows_ == 0) return;
  const auto kernel = view_.length ? renew_kernel<Position, PrunedListView::most_slots> : renew_kernel<Position, 4>;
  launch(dependent, std::min(tile_blocks(n_rows_), tuning::renewal_blocks), threads, stream, "renewing the pruned list",
         kernel, renewal(rows, atoms, guard, flags));
  if (reversed() && !linked_) find_reverse(atoms, true, flags, dependent, stream);
}

template <class Position>
Renewal<Position> PrunedList::renewal(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms,
                                      StepGuard *guard, const StopFlags &flags) {
  Renewal<Position> job = {};
  job.rows = rows;
  job.atoms = atoms;
  job.width = view_.length ? view_.width : 4;
  job.count = count_.data();
  job.neighbour = neighbour_.data();
  if (view_.length) {
    job.within = within_.data();
    job.order = order_.data();
    job.finished = finished_.data();
  }
  job.summary = summary_device_.data();
  job.suitable = suitable_;
  job.guard = flags.on_demand ? nullptr : guard;
  job.flags = flags;
  if (reversed() && !linked_) job.reverse = reverse_entries();
  return job;
}

/// Sorts the rows by length.
void PrunedList::order_rows(cudaStream_t stream) {
  const unsigned windows = blocks_for(n_rows_, PrunedListView::window);
  finished_.reserve(std::size_t(windows) + 1);
  check(cudaMemsetAsync(finished_.data(), 0, finished_.bytes(), stream), "ordering rows");
  launch(false, windows, threads, stream, "ordering rows", order_rows_kernel, n_rows_,
         static_cast<const unsigned char *>(within_.data()), order_.data());
}

template <class Position>
void PrunedList::build_general(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms,
                               cudaStream_t stream) {
  const long long n_general = summary_[0].general_rows, n_entries = summary_[0].general_entries;
  start_.reserve(n_rows_);
  general_centre_.reserve(n_general);
  general_offset_.reserve(n_general + 1);
  general_neighbour_.reserve(2 * n_entries);

  const auto parts = thrust::make_transform_iterator(static_cast<const int *>(count_.data()), GeneralPart());
  with_work_space(scan_space_, [&](void *space, std::size_t &bytes) {
    check(cub::DeviceScan::ExclusiveScan(space, bytes, parts, start_.data(), AddParts(), longlong2{0, 0}, n_rows_,
                                         stream),
          "summing the lengths of pruned rows");
  });
  fill_general_rows_kernel<<<tile_blocks(n_rows_), threads, 0, stream>>>(
      rows, atoms, count_.data(), start_.data(), general_centre_.data(), general_offset_.data(),
      general_neighbour_.data(), n_general, n_entries);
  check(cudaGetLastError(), "filling the pruned list");

  view_.n_general = static_cast<int>(n_general);
  view_.general_centre = general_centre_.data();
  view_.general_offset = general_offset_.data();
  view_.general_neighbour = general_neighbour_.data();
}

template void PrunedList::build(const DeviceNeighborList &, const DeviceAtoms<WrappedPosition> &, double, cudaStream_t);
template void PrunedList::build(const DeviceNeighborList &, const DeviceAtoms<DoublePosition> &, double, cudaStream_t);
template void PrunedList::refilter(const DeviceNeighborList &, const DeviceAtoms<WrappedPosition> &, StepGuard *,
                                   const StopFlags &, bool, cudaStream_t);
template void PrunedList::refilter(const DeviceNeighborList &, const DeviceAtoms<DoublePosition> &, StepGuard *,
                                   const StopFlags &, bool, cudaStream_t);

template Renewal<WrappedPosition> PrunedList::renewal(const DeviceNeighborList &, const DeviceAtoms<WrappedPosition> &,
                                                      StepGuard *, const StopFlags &);
template Renewal<DoublePosition> PrunedList::renewal(const DeviceNeighborList &, const DeviceAtoms<DoublePosition> &,
                                                     StepGuard *, const StopFlags &);
template void PrunedList::count(const DeviceNeighborList &, const DeviceAtoms<WrappedPosition> &, int, cudaStream_t);
template void PrunedList::count(const DeviceNeighborList &, const DeviceAtoms<DoublePosition> &, int, cudaStream_t);

std::size_t PrunedList::bytes() const {
  return count_.bytes() + start_.bytes() + scan_space_.bytes() + neighbour_.bytes() + general_centre_.bytes() +
         general_offset_.bytes() + general_neighbour_.bytes() + reverse_.bytes() + order_.bytes() + finished_.bytes() +
         within_.bytes() + in_short_rows_.bytes();
}

}  // namespace cuda
}  // namespace triad
