// PrunedList: the reverse entries that gathering of forces needs.

#include <algorithm>
#include <limits>

#include "core/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"
#include "neighbor/cuda/reverse_entries.cuh"

namespace triad {
namespace cuda {
namespace {

template <class Position>
__global__ void __launch_bounds__(tuning::reverse_block)
    reverse_kernel(ReverseEntries output, DeviceAtoms<Position> atoms, bool stops, StopFlags flags) {
  wait_for_previous_kernel();
  if (__syncthreads_or(threadIdx.x == 0 && flags.rests())) return;
  pruning::find_reverse_entries<1>(output, atoms, stops ? flags.stop : nullptr);
}

/// Notes in the first list which of its rows are rows of the second.
__global__ void __launch_bounds__(tuning::reverse_block)
    mark_second_kernel(PrunedListView first, PrunedListView second, int *reverse) {
  const int b = blockIdx.x * tuning::reverse_block + threadIdx.x;
  if (b < second.n_rows) reverse[short_entry(first.n_rows, second.centre[b], 0)] = PrunedListView::in_second - b;
}

/// A row of one of two linked lists.
struct LinkedRow {
  const PrunedListView &list;
  int row;
  int before;  ///< 0, or in the second list the number of entries of the first

  __device__ __forceinline__ int number(int k) const { return static_cast<int>(list.number(row, k)); }
  __device__ __forceinline__ int entry(int k) const { return list.neighbour[number(k)]; }
  /// The number of entry k among those of both lists.
  __device__ __forceinline__ int of_both(int k) const { return before + number(k); }
  __device__ __forceinline__ int slots() const { return list.slots_of(row); }
};

/// Finds the reverse of each entry of two lists, one thread per row. `reverse`: of the first list, after
/// mark_second_kernel(). Entries of atoms that have rows, but no reverse entry, are counted if `summary` is not null.
template <class Position>
__global__ void __launch_bounds__(tuning::reverse_block)
    link_kernel(PrunedListView first, PrunedListView second, ImageNames<Position> images, int *reverse,
                int *second_reverse, PrunedList::Summary *summary, StopFlags flags) {
  if (__syncthreads_or(threadIdx.x == 0 && flags.rests())) return;
  const int r = blockIdx.x * tuning::reverse_block + threadIdx.x;
  if (r >= first.n_rows + second.n_rows) return;
  const int from_second = static_cast<int>(first.entries());
  const auto is_elsewhere = [&](int atom) {  // a longer row does not use the first slot of short ones
    return !first.is_longer(atom) && first.neighbour[short_entry(first.n_rows, atom, 0)] == PrunedListView::no_row;
  };
  const auto row_of = [&](int atom) {
    if (!is_elsewhere(atom)) return LinkedRow{first, atom, 0};
    return LinkedRow{second, PrunedListView::in_second - reverse[short_entry(first.n_rows, atom, 0)], from_second};
  };
  const bool in_first = r < first.n_rows;
  if (in_first && is_elsewhere(r)) return;
  const LinkedRow own = in_first ? LinkedRow{first, r, 0} : LinkedRow{second, r - first.n_rows, from_second};
  const int i = in_first ? r : second.centre[own.row], slots = own.slots();
  for (int k = 0; k < slots; ++k) {
    const int entry = own.entry(k), j = images.index(entry);
    int found = PrunedListView::no_entry;
    if (entry != i) {
      found = PrunedListView::one_way;
      if (j < first.n_rows) {
        const LinkedRow other = row_of(j);
        const int others = other.slots();
        for (int m = 0; m < others; ++m) {
          const int back = other.entry(m);
          if (images.index(back) == i && back != j && images.opposite(entry, back)) found = other.of_both(m);
        }
        if (found == PrunedListView::one_way && summary)
          atomicAdd(reinterpret_cast<unsigned long long *>(&summary->one_way), 1ull);
      }
    }
    (in_first ? reverse : second_reverse)[own.number(k)] = found;
  }
}

template <class Position>
void launch_links(const PrunedListView &first, const PrunedListView &second, const ImageNames<Position> &images,
                  int *reverse, int *second_reverse, PrunedList::Summary *summary, const StopFlags &flags,
                  cudaStream_t stream) {
  link_kernel<<<blocks_for(std::size_t(first.n_rows) + second.n_rows, tuning::reverse_block), tuning::reverse_block, 0,
                stream>>>(first, second, images, reverse, second_reverse, summary, flags);
  check(cudaGetLastError(), "finding reverse entries");
}

}  // namespace

template <class Position>
bool PrunedList::link(PrunedList &first, PrunedList &second, const DeviceAtoms<Position> &atoms, cudaStream_t stream) {
  if (first.entries() + second.entries() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  for (PrunedList *list : {&first, &second}) list->clear_reverse(stream);
  DeviceBuffer<unsigned> &in_short_rows = first.in_short_rows_;
  if (first.view_.length || second.view_.length) {
    in_short_rows.reserve(first.n_rows_);
    check(cudaMemsetAsync(in_short_rows.data(), 0xff, in_short_rows.bytes(), stream), "clearing reverse entries");
  }
  Summary *const summary = first.summary_device_.data();
  check(cudaMemsetAsync(summary, 0, sizeof(Summary), stream), "clearing the sizes of the pruned list");
  if (second.n_rows_)
    mark_second_kernel<<<blocks_for(second.n_rows_, tuning::reverse_block), tuning::reverse_block, 0, stream>>>(
        first.view_, second.view_, first.reverse_.data());
  check(cudaGetLastError(), "finding reverse entries");
  launch_links(first.view_, second.view_, atoms.images, first.reverse_.data(), second.reverse_.data(), summary,
               StopFlags(), stream);
  Summary found;
  copy_to_host(&found, summary, 1, stream, "reading the sizes of the pruned list");
  check(cudaStreamSynchronize(stream), "finding reverse entries");
  if (found.one_way) return false;
  for (PrunedList *list : {&first, &second}) {
    list->view_.reverse = list->reverse_.data();
    list->view_.in_short_rows = in_short_rows.data();
    list->linked_ = true;
  }
  return true;
}

template <class Position>
void PrunedList::renew_links(PrunedList &first, PrunedList &second, const DeviceAtoms<Position> &atoms,
                             const StopFlags &flags, cudaStream_t stream) {
  launch_links<Position>(first.view_, second.view_, atoms.images, first.reverse_.data(), second.reverse_.data(),
                         nullptr, flags, stream);
}

/// Kernels of stopped steps may read entries that are not written, or that were those of a list with more slots.
void PrunedList::clear_reverse(cudaStream_t stream) {
  reverse_.reserve(entries());
  check(cudaMemsetAsync(reverse_.data(), 0xff, reverse_.bytes(), stream), "clearing reverse entries");
}

/// Finds the reverse entries of a table that holds all rows, unless an entry has none.
template <class Position>
void PrunedList::build_reverse(const DeviceAtoms<Position> &atoms, cudaStream_t stream) {
  if (view_.length) {
    in_short_rows_.reserve(n_rows_);
    view_.in_short_rows = in_short_rows_.data();
  }
  clear_reverse(stream);
  find_reverse(atoms, false, StopFlags(), false, stream);
  copy_to_host(summary_.data(), summary_device_.data(), 1, stream, "reading the sizes of the pruned list");
  check(cudaStreamSynchronize(stream), "finding reverse entries");
  if (summary_[0].general_rows < n_rows_) summary_[0].longest = std::max(summary_[0].longest, 4ll);
  if (summary_[0].one_way == 0)
    view_.reverse = reverse_.data();
  else
    view_.in_short_rows = nullptr;
}

template <class Position>
void PrunedList::find_reverse(const DeviceAtoms<Position> &atoms, bool stops, const StopFlags &flags, bool dependent,
                              cudaStream_t stream) {
  constexpr unsigned block = tuning::reverse_block;
  launch(dependent, blocks_for(n_rows_, block), block, stream, "finding reverse entries", reverse_kernel<Position>,
         reverse_entries(), atoms, stops, flags);
}

template bool PrunedList::link(PrunedList &, PrunedList &, const DeviceAtoms<WrappedPosition> &, cudaStream_t);
template bool PrunedList::link(PrunedList &, PrunedList &, const DeviceAtoms<DoublePosition> &, cudaStream_t);
template void PrunedList::renew_links(PrunedList &, PrunedList &, const DeviceAtoms<WrappedPosition> &,
                                      const StopFlags &, cudaStream_t);
template void PrunedList::renew_links(PrunedList &, PrunedList &, const DeviceAtoms<DoublePosition> &,
                                      const StopFlags &, cudaStream_t);
template void PrunedList::build_reverse(const DeviceAtoms<WrappedPosition> &, cudaStream_t);
template void PrunedList::build_reverse(const DeviceAtoms<DoublePosition> &, cudaStream_t);
template void PrunedList::find_reverse(const DeviceAtoms<WrappedPosition> &, bool, const StopFlags &, bool,
                                       cudaStream_t);
template void PrunedList::find_reverse(const DeviceAtoms<DoublePosition> &, bool, const StopFlags &, bool,
                                       cudaStream_t);

}  // namespace cuda
}  // namespace triad
