#include <cooperative_groups.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "loops/cuda/shortlist.cuh"
#include "loops/tuning.h"
#include "physics/portable.h"

namespace triad {
namespace cuda {
namespace {

namespace cg = cooperative_groups;
constexpr int tile_size = tuning::shortlist_lanes;
using Tile = cg::thread_block_tile<tile_size>;

/// Number of entries of the two tables that a row, or the rows before it, fill.
struct Start {
  __host__ __device__ longlong2 operator()(int count) const {
    return count == 4 ? longlong2{1, 0} : longlong2{0, count};
  }
};
struct AddStarts {
  __host__ __device__ longlong2 operator()(const longlong2 &a, const longlong2 &b) const {
    return {a.x + b.x, a.y + b.y};
  }
};

__device__ bool within_reach(const DeviceAtoms &atoms, const double *xi, const double *reach2, int j) {
  const int ej = atoms.element[j];
  if (ej < 0) return false;
  const double *xj = atoms.x + 3 * static_cast<std::size_t>(j);
  const double dx = xj[0] - xi[0], dy = xj[1] - xi[1], dz = xj[2] - xi[2];
  return dx * dx + dy * dy + dz * dz < reach2[ej];
}

/// Calls keep(position, j) in list order for every neighbour of `row` within reach; returns their number.
template <class Keep>
__device__ int filter_row(const Tile &tile, const DeviceRows &rows, const DeviceAtoms &atoms, int row, Keep &&keep) {
  const int i = rows.centre ? rows.centre[row] : row;
  const int ei = atoms.element[i];
  if (ei < 0) return 0;
  const double *xi = atoms.x + 3 * static_cast<std::size_t>(i);
  const double *reach2 = atoms.reach_squared + ei * atoms.nelements;
  const long long end = rows.offset[row + 1];
  int n = 0;
  for (long long s = rows.offset[row]; s < end; s += tile_size) {
    const bool in_row = s + tile.thread_rank() < end;
    const int j = in_row ? rows.neighbour[s + tile.thread_rank()] : 0;
    const bool hit = in_row && within_reach(atoms, xi, reach2, j);
    const unsigned hits = tile.ballot(hit);
    if (hit) keep(n + __popc(hits & ((1u << tile.thread_rank()) - 1)), j);
    n += __popc(hits);
  }
  return n;
}

__device__ int row_of_tile() {
  return static_cast<int>((blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) / tile_size);
}

__global__ void count_kernel(DeviceRows rows, DeviceAtoms atoms, int *count) {
  const Tile tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  const int row = row_of_tile();
  if (row >= rows.n_rows) return;
  const int n = filter_row(tile, rows, atoms, row, [](int, int) {});
  if (tile.thread_rank() == 0) count[row] = n;
}

__global__ void summary_kernel(int n_rows, const int *count, const longlong2 *start, ShortList::Summary *summary) {
  using Reduce = cub::BlockReduce<int, tuning::shortlist_block>;
  __shared__ typename Reduce::TempStorage space;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int longest = Reduce(space).Reduce(row < n_rows ? count[row] : 0, ::cuda::maximum<int>());
  if (threadIdx.x == 0)
    atomicMax(reinterpret_cast<unsigned long long *>(&summary->longest), static_cast<unsigned long long>(longest));
  if (row == n_rows - 1) {
    const longlong2 own = Start()(count[row]);
    summary->four = start[row].x + own.x;
    summary->general_entries = start[row].y + own.y;
  }
}

struct Target {
  int *four_centre, *four_neighbour;
  std::size_t four_stride;
  int *general_centre;
  long long *general_offset;
  int *general_neighbour;
};

__global__ void fill_kernel(DeviceRows rows, DeviceAtoms atoms, const int *count, const longlong2 *start, Target t) {
  const Tile tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  const int row = row_of_tile();
  if (row >= rows.n_rows) return;
  const int centre = rows.centre ? rows.centre[row] : row;
  const longlong2 first = start[row];
  const int n = count[row];
  const bool leader = tile.thread_rank() == 0;
  if (n == 4) {
    if (leader) t.four_centre[first.x] = centre;
    filter_row(tile, rows, atoms, row, [&](int k, int j) { t.four_neighbour[k * t.four_stride + first.x] = j; });
  } else {
    const long long g = row - first.x;
    if (leader) {
      t.general_centre[g] = centre;
      t.general_offset[g] = first.y;
    }
    filter_row(tile, rows, atoms, row, [&](int k, int j) { t.general_neighbour[first.y + k] = j; });
  }
  if (leader && row == rows.n_rows - 1) {
    const longlong2 own = Start()(n);
    t.general_offset[rows.n_rows - first.x - own.x] = first.y + own.y;
  }
}

}  // namespace

void ShortList::build(const DeviceRows &rows, const DeviceAtoms &atoms, cudaStream_t stream) {
  view_ = ShortListView{};
  longest_ = 0;
  general_entries_ = 0;
  const int n = rows.n_rows;
  if (n == 0) return;

  constexpr unsigned threads = tuning::shortlist_block;
  const unsigned tile_blocks = blocks_for(static_cast<std::size_t>(n) * tile_size, threads);
  count_.reserve(n);
  start_.reserve(n);
  summary_device_.reserve(1);
  summary_.reserve(1);

  count_kernel<<<tile_blocks, threads, 0, stream>>>(rows, atoms, count_.data());
  check(cudaGetLastError(), "counting the short list");
  const auto starts = thrust::make_transform_iterator(static_cast<const int *>(count_.data()), Start());
  std::size_t space = 0;
  check(cub::DeviceScan::ExclusiveScan(nullptr, space, starts, start_.data(), AddStarts(), longlong2{0, 0}, n, stream),
        "sizing a prefix sum");
  scan_space_.reserve(space);
  check(cub::DeviceScan::ExclusiveScan(scan_space_.data(), space, starts, start_.data(), AddStarts(), longlong2{0, 0},
                                       n, stream),
        "summing short-list counts");
  check(cudaMemsetAsync(summary_device_.data(), 0, sizeof(Summary), stream), "clearing short-list sizes");
  summary_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(n, count_.data(), start_.data(),
                                                                 summary_device_.data());
  copy_to_host(summary_.data(), summary_device_.data(), 1, stream, "reading short-list sizes");
  check(cudaStreamSynchronize(stream), "counting the short list");

  const int n_four = static_cast<int>(summary_[0].four), n_general = n - n_four;
  general_entries_ = summary_[0].general_entries;
  longest_ = static_cast<int>(summary_[0].longest);
  four_centre_.reserve(n_four);
  four_neighbour_.reserve(4 * static_cast<std::size_t>(n_four));
  general_centre_.reserve(n_general);
  general_offset_.reserve(n_general + 1);
  general_neighbour_.reserve(general_entries_);
  const Target target = {four_centre_.data(),    four_neighbour_.data(), static_cast<std::size_t>(n_four),
                         general_centre_.data(), general_offset_.data(), general_neighbour_.data()};
  fill_kernel<<<tile_blocks, threads, 0, stream>>>(rows, atoms, count_.data(), start_.data(), target);
  check(cudaGetLastError(), "filling the short list");

  view_.n_four = n_four;
  view_.n_general = n_general;
  view_.four_centre = n_general == 0 && !rows.centre ? nullptr : four_centre_.data();
  view_.four_neighbour = four_neighbour_.data();
  view_.four_stride = target.four_stride;
  view_.general_centre = general_centre_.data();
  view_.general_offset = general_offset_.data();
  view_.general_neighbour = general_neighbour_.data();
}

std::size_t ShortList::bytes() const {
  return count_.bytes() + start_.bytes() + scan_space_.bytes() + four_centre_.bytes() + four_neighbour_.bytes() +
         general_centre_.bytes() + general_offset_.bytes() + general_neighbour_.bytes();
}

}  // namespace cuda
}  // namespace triad
