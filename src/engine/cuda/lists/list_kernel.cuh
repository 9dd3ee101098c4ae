// Makes the neighbour list within a step, if it has expired in this step, without the host. One launch makes all
// passes, so that a step whose list is good for longer pays for one kernel that does nothing.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/cuda/block_progress.cuh"
#include "engine/cuda/lists/box_of_steps.cuh"
#include "engine/cuda/lists/list_ops.cuh"
#include "engine/cuda/lists/marked_regions.cuh"
#include "neighbor/cuda/cell_sort.cuh"
#include "neighbor/cuda/pruned_list_kernels.cuh"
#include "neighbor/cuda/reverse_entries.cuh"

namespace triad {
namespace cuda {

/// Argument of list_kernel().
template <class Format>
struct ListJob {
  using Position = typename PositionOf<Format>::type;
  OutsideOp<Format> outside;  ///< its `outside` is not used
  MovedOp<Format> moved;      ///< the check against the positions at the last list; its `moved` is not used
  MarkCheck marks;
  IntoBoxOp<Format> into;
  Position *reference;                   ///< [n] output: positions at this list
  ReferenceOp<Format> coarse_reference;  ///< of these
  CellGrid grid;
  CellSort sort;
  NewRows rows;
  bool rows_by_warps;   ///< a warp makes a row; otherwise a thread
  long long own_until;  ///< see ListRule
  unsigned *arrived;    ///< see wait_for_grid(); 0 before the first launch
  StepGuard *guard;
  int *stop;                  ///< the word of StepGuard::stop that this step sets
  Renewal<Position> renewal;  ///< of the pruned list

  /// Sets the box, and the largest allowed displacement in this box. Returns false if the cells do not fit the box.
  __device__ __forceinline__ bool set_box(const Box &box, double limit) {
    grid.box.set_box(box);
    outside.box = grid.box;
    into.set_box(grid.box, moved.scale);
    moved.limit_squared = limit * limit;
    return grid.cells.fit(grid.box);
  }
  /// True if neither list has expired, or the steps have stopped. The answer is the same for all threads.
  __device__ __forceinline__ bool nothing_expired() const {
    const int stopped = *const_cast<volatile int *>(&guard->stopped), reasons = *const_cast<volatile int *>(stop);
    return stopped || !(reasons & (stop_list | stop_pruned_list));
  }
  /// True if the list may have expired in step `step`, and is to be made here, unless the steps stop for another
  /// reason.
  __device__ __forceinline__ bool may_be_due(int step) const {
    const volatile StepGuard &now = *guard;
    const int reasons = *const_cast<volatile int *>(stop);
    return !now.stopped && (reasons & stop_list) && !(reasons & ~(stop_list | stop_pruned_list)) && step <= own_until &&
           now.lists_to_choice > 0;
  }
};

/// The atoms of a block: a part of n atoms that follow each other.
struct AtomsOfBlock {
  int begin, end;
  __device__ __forceinline__ explicit AtomsOfBlock(int n) {
    const int each = (n + gridDim.x - 1) / gridDim.x;
    begin = min(n, static_cast<int>(blockIdx.x) * each);
    end = min(n, begin + each);
  }
  template <class Call>
  __device__ __forceinline__ void for_each(Call &&call) const {
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) call(i);
  }
};

/// Makes the neighbour list if it has expired. Returns true if the pruned list must be renewed. A row that does not fit
/// the table stops the steps (stop_long_row). `for_host`: the host must make the list. All threads call the function,
/// and all return the same.
template <class Format>
__device__ __forceinline__ bool make_list_if_due(const ListJob<Format> &job, int step, bool for_host) {
  StepGuard &guard = *job.guard;
  const AtomsOfBlock atoms(job.sort.n);
  const double *const x = job.into.decode.anchor;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  if (first) guard.enter(phase_lists);

  int far = 0, outside = 0;
  OutsideOp<Format> look_outside = job.outside;
  MovedOp<Format> look_moved = job.moved;
  look_outside.outside = &outside;
  look_moved.moved = &far;
  atoms.for_each([&](int i) {
    look_outside(i);
    look_moved(i);
    if (job.marks.regions) {
      double at[3];
      job.into.wrap(i, at);
      if (job.marks.misses(i, at, job.into.decode.state.mask)) outside = 1;
    }
  });
  if (far) *const_cast<volatile int *>(&guard.moved_step) = step;
  if (outside) *const_cast<volatile int *>(&guard.outside_step) = step;
  const bool pruned = *const_cast<volatile int *>(job.stop) & stop_pruned_list;
  wait_for_grid(job.arrived);
  if (*const_cast<volatile int *>(&guard.moved_step) != step) {  // the check with coarse positions came too early
    if (first) {
      atomicAnd(job.stop, ~stop_list);
      guard.far = 0;
    }
    return pruned;
  }
  if (for_host || *const_cast<volatile int *>(&guard.outside_step) == step) return false;

  atoms.for_each([&](int i) {
    job.into(i);
    cells::count_atom(job.grid, job.sort, i, x + 3 * static_cast<std::size_t>(i));
    job.reference[i] = job.moved.position[i];
    job.coarse_reference(i);
  });
  wait_for_grid(job.arrived);
  if (first) {
    *job.stop = stop_pruned_list;
    guard.made_step = step;
  }
  const unsigned warps = blockDim.x / 32;
  cells::assign_ranges(job.grid, job.sort, blockIdx.x * warps + threadIdx.x / 32, gridDim.x * warps);
  wait_for_grid(job.arrived);
  atoms.for_each([&](int i) { cells::put_atom(job.grid, job.sort, i); });
  wait_for_grid(job.arrived);
  atoms.for_each(
      [&](int i) { cells::order_atom(job.grid, job.sort, i, x + 3 * static_cast<std::size_t>(i), nullptr); });
  wait_for_grid(job.arrived);
  const auto make_row = [&](auto by_warp, int k) {
    if (cells::make_row<decltype(by_warp)::value>(job.grid, job.sort, ListedTypes(), job.rows, k) > job.rows.capacity)
      atomicOr(job.stop, stop_long_row);
  };
  if (job.rows_by_warps) {
    for (int k = atoms.begin + static_cast<int>(threadIdx.x) / 32; k < atoms.end; k += static_cast<int>(warps))
      make_row(std::true_type(), k);
  } else {
    atoms.for_each([&](int k) { make_row(std::false_type(), k); });
  }
  wait_for_grid(job.arrived);
  return !(*const_cast<volatile int *>(job.stop) & stop_long_row);
}

/// make_list_if_due() with the box of the present step.
template <class Format>
__device__ __forceinline__ bool make_list_in_present_box(const ListJob<Format> &job, const BoxOfSteps &boxes,
                                                         int step) {
  __shared__ cub::Uninitialized<ListJob<Format>> memory;
  __shared__ bool fits;
  ListJob<Format> &present = memory.Alias();
  if (threadIdx.x == 0) {
    present = job;
    const Box &box = boxes.after(step - 1);
    fits = present.set_box(box, boxes.limit_in(box));
  }
  __syncthreads();
  return make_list_if_due(present, step, !fits);
}

/// All blocks must be resident. `Slots`: of renew_rows(). `ChangesBox`: `boxes` has the box of each step.
template <class Format, int Slots, bool ChangesBox>
__global__ void __launch_bounds__(tuning::pruned_list_block, tuning::list_blocks_per_sm)
    list_kernel(const ListJob<Format> job, const BoxOfSteps boxes) {
  wait_for_previous_kernel();
  if (__syncthreads_or(threadIdx.x == 0 && job.nothing_expired())) return;
  const int step = job.guard->completed + 1;
  bool renews;
  if (!job.may_be_due(step))
    renews = !job.renewal.flags.rests();
  else if constexpr (ChangesBox)
    renews = make_list_in_present_box(job, boxes, step);
  else
    renews = make_list_if_due(job, step, false);
  if (!renews) return;
  pruning::renew_rows<typename PositionOf<Format>::type, Slots>(job.renewal);
  if (!job.renewal.reverse.number) return;
  wait_for_grid(job.arrived);
  pruning::find_reverse_entries<tuning::reverse_lanes>(job.renewal.reverse, job.renewal.atoms, job.stop);
}

/// Launches list_kernel() with as many blocks as can be resident. The next kernel, if its launch depends on this one,
/// starts when all blocks of this one have started, so it takes no place that they need.
template <class Format>
class ListGrid {
 public:
  void launch(const ListJob<Format> &job, const BoxOfSteps &boxes, int multiprocessors, bool dependent,
              cudaStream_t stream) {
    if (boxes.changes())
      launch<true>(job, boxes, multiprocessors, dependent, stream);
    else
      launch<false>(job, boxes, multiprocessors, dependent, stream);
  }

 private:
  template <bool ChangesBox>
  void launch(const ListJob<Format> &job, const BoxOfSteps &boxes, int multiprocessors, bool dependent,
              cudaStream_t stream) {
    const bool wide = job.renewal.order;
    const auto kernel =
        wide ? list_kernel<Format, PrunedListView::most_slots, ChangesBox> : list_kernel<Format, 4, ChangesBox>;
    constexpr int threads = tuning::pruned_list_block;
    int &resident = resident_[ChangesBox][wide];
    if (resident == 0)
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0),
            "querying the occupancy of a kernel");
    const unsigned most = unsigned(std::max(1, resident)) * unsigned(multiprocessors);
    const unsigned wanted = blocks_for(std::size_t(job.sort.n) * tuning::list_threads_per_atom, threads);
    cuda::launch(dependent, std::min(wanted, most), threads, stream, "making the lists", kernel, job, boxes);
  }

  int resident_[2][2] = {};  // blocks per multiprocessor: in a box that changes or not; with longer rows or without
};

}  // namespace cuda
}  // namespace triad
