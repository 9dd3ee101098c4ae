#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <limits>

#include "core/cuda/work_space.cuh"
#include "core/tuning.h"
#include "neighbor/cuda/cell_neighbor_list.cuh"
#include "neighbor/cuda/cell_sort.cuh"

namespace triad {
namespace cuda {
namespace {

namespace cg = cooperative_groups;
constexpr unsigned threads = tuning::cell_rows_block;

__global__ void __launch_bounds__(threads)
    count_atoms_in_cells_kernel(const CellGrid grid, const CellSort sort, const double *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < sort.n) cells::count_atom(grid, sort, i, x + 3 * static_cast<std::size_t>(i));
}

__global__ void __launch_bounds__(threads) places_kernel(const CellGrid grid, const CellSort sort) {
  constexpr int warps = threads / 32;
  cells::assign_ranges(grid, sort, static_cast<int>(blockIdx.x * warps + threadIdx.x / 32), gridDim.x * warps);
}

__global__ void __launch_bounds__(threads) put_kernel(const CellGrid grid, const CellSort sort) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < sort.n) cells::put_atom(grid, sort, i);
}

__global__ void __launch_bounds__(threads)
    order_atoms_kernel(const CellGrid grid, const CellSort sort, const double *x, const std::uint16_t *type) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < sort.n) cells::order_atom(grid, sort, i, x + 3 * static_cast<std::size_t>(i), type);
}

/// Makes all rows, by a thread or a warp for each. `longest`: output, the largest of the lengths that exceed
/// NewRows::capacity; or null.
template <bool Warp>
__global__ void __launch_bounds__(threads)
    rows_kernel(const CellGrid grid, const CellSort sort, const ListedTypes types, const NewRows rows, int *longest) {
  const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const int k = static_cast<int>(Warp ? thread / 32 : thread);
  if (k >= sort.n) return;
  const int n = cells::make_row<Warp>(grid, sort, types, rows, k);
  if (!longest) return;
  const auto warp = cg::coalesced_threads();
  const int most = cg::reduce(warp, n > rows.capacity ? n : 0, cg::greater<int>());
  if (most > 0 && warp.thread_rank() == 0) atomicMax(longest, most);
}

struct Widen {
  __host__ __device__ long long operator()(int length) const { return length; }
};

}  // namespace

void CellNeighborList::reserve(const CellGrid &grid, int n, cudaStream_t stream) {
  const int n_cells = grid.cells.count();
  for (auto *buffer : {&cell_, &slot_, &atom_, &sorted_cell_}) buffer->reserve(n);
  sorted_.reserve(n);
  // every sort leaves the counts cleared
  reserve_cleared(count_, std::size_t(n_cells) + 1, stream, "sorting atoms into cells");
  begin_.reserve(std::size_t(n_cells) + grid.cells.n[1] * std::size_t(grid.cells.n[2]));
}

CellSort CellNeighborList::sort_of(int n) const {
  return {n,
          count_.data(),
          count_.data() + 1,
          cell_.data(),
          slot_.data(),
          begin_.data(),
          atom_.data(),
          sorted_.data(),
          sorted_cell_.data(),
          types_in_.data()};
}

CellSort CellNeighborList::sort(const CellGrid &grid, int n, const double *x, cudaStream_t stream,
                                const ListedTypes &types) {
  const char *const what = "sorting atoms into cells";
  reserve(grid, n, stream);
  if (types.type) {
    types_in_.reserve(grid.cells.count());
    check(cudaMemsetAsync(types_in_.data(), 0, grid.cells.count() * sizeof(unsigned), stream), what);
  }
  const CellSort sort = sort_of(n);
  const unsigned blocks = blocks_for(n, threads);
  const std::size_t lanes = 32 * std::size_t(grid.cells.n[1]) * grid.cells.n[2];
  launch(false, blocks, threads, stream, what, count_atoms_in_cells_kernel, grid, sort, x);
  launch(false, std::min(blocks_for(lanes, threads), 1024u), threads, stream, what, places_kernel, grid, sort);
  launch(false, blocks, threads, stream, what, put_kernel, grid, sort);
  launch(false, blocks, threads, stream, what, order_atoms_kernel, grid, sort, x, types.type);
  return sort;
}

void CellNeighborList::build(const CellGrid &grid, int n_rows, int n, const double *x, bool splits_boundary,
                             cudaStream_t stream, const ListedTypes &types) {
  const CellSort sorted = sort(grid, n, x, stream, types);
  length_.reserve(std::size_t(n_rows) + 1);
  longest_.reserve(1);
  longest_host_.reserve(1);
  if (splits_boundary) names_ghosts_.reserve(n_rows);
  const char *const what = "building the neighbour list";
  NewRows rows = {n_rows, length_.data(), nullptr, nullptr, 0, splits_boundary ? names_ghosts_.data() : nullptr};
  const auto launch_rows = [&](int *longest) {
    if (longest) check(cudaMemsetAsync(longest, 0, sizeof(int), stream), what);
    const bool by_warps = makes_rows_by_warps(n);
    launch(false, blocks_for(by_warps ? 32 * std::size_t(n) : n, threads), threads, stream, what,
           by_warps ? rows_kernel<true> : rows_kernel<false>, grid, sorted, types, rows, longest);
    if (longest) copy_to_host(longest_host_.data(), longest, 1, stream, what);
  };
  rows_ = boundary_ = DeviceNeighborList();
  rows_.n_rows = n_rows;
  rows_.cutoff = grid.box.cutoff;
  if (capacity_ > 0) {  // a single pass, unless a row has become too long
    neighbour_.reserve(static_cast<std::size_t>(n_rows) * capacity_);
    rows.neighbour = neighbour_.data();
    rows.capacity = capacity_;
    launch_rows(longest_.data());
    check(cudaStreamSynchronize(stream), what);
    if (longest_host_[0] == 0) {
      rows_.neighbour = neighbour_.data();
      rows_.length = length_.data();
      rows_.row_stride = capacity_;
      if (splits_boundary) split(n_rows, stream);
      return;
    }
    rows.neighbour = nullptr;
    rows.capacity = 0;
  }

  offset_.reserve(std::size_t(n_rows) + 1);
  entries_.reserve(1);
  check(cudaMemsetAsync(length_.data() + n_rows, 0, sizeof(int), stream), what);
  launch_rows(longest_.data());
  const auto lengths = thrust::make_transform_iterator(static_cast<const int *>(length_.data()), Widen());
  with_work_space(space_, [&](void *space, std::size_t &bytes) {
    check(cub::DeviceScan::ExclusiveSum(space, bytes, lengths, offset_.data(), n_rows + 1, stream), what);
  });
  copy_to_host(entries_.data(), offset_.data() + n_rows, 1, stream, what);
  check(cudaStreamSynchronize(stream), what);
  neighbour_.reserve(entries_[0]);
  rows.offset = offset_.data();
  rows.neighbour = neighbour_.data();
  rows.capacity = std::numeric_limits<int>::max();
  rows.names_ghosts = nullptr;
  launch_rows(nullptr);
  const int longest = longest_host_[0];
  capacity_ = longest + longest / tuning::table_margin + 1;
  if (!table_ || capacity_ * double(n_rows) > tuning::most_table_entries * double(entries_[0])) capacity_ = 0;
  rows_.offset = offset_.data();
  rows_.neighbour = neighbour_.data();
  if (splits_boundary) split(n_rows, stream);
}

/// Splits the rows into those without ghosts and those with ghosts. Waits for the stream.
void CellNeighborList::split(int n_rows, cudaStream_t stream) {
  const char *const what = "finding the rows at the boundary";
  boundary_centre_.reserve(n_rows);
  n_boundary_.reserve(1);
  const thrust::counting_iterator<int> row(0);
  with_work_space(space_, [&](void *space, std::size_t &bytes) {
    check(cub::DeviceSelect::Flagged(space, bytes, row, names_ghosts_.data(), boundary_centre_.data(),
                                     n_boundary_.data(), n_rows, stream),
          what);
  });
  int n_boundary = 0;
  copy_to_host(&n_boundary, n_boundary_.data(), 1, stream, what);
  check(cudaStreamSynchronize(stream), what);
  boundary_ = rows_;
  boundary_.n_rows = n_boundary;
  boundary_.centre = boundary_centre_.data();
  boundary_.second_to = n_rows;
  rows_.elsewhere = names_ghosts_.data();
}

std::size_t CellNeighborList::bytes() const {
  return count_.bytes() + cell_.bytes() + slot_.bytes() + atom_.bytes() + sorted_cell_.bytes() + begin_.bytes() +
         sorted_.bytes() + types_in_.bytes() + space_.bytes() + length_.bytes() + neighbour_.bytes() + offset_.bytes() +
         names_ghosts_.bytes() + boundary_centre_.bytes() + n_boundary_.bytes() + longest_.bytes();
}

}  // namespace cuda
}  // namespace triad
