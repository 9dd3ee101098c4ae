#include <cub/device/device_scan.cuh>

#include "core/cuda/work_space.cuh"
#include "core/tuning.h"
#include "forces/pairwise/cuda/pair_rows.cuh"

namespace triad {
namespace cuda {
namespace {

constexpr int threads = tuning::pair_list_block;

/// The possible pairs by row, and the filter criteria.
template <class Position>
struct FilterJob {
  PossibleRows rows;
  ListedColumns constants;  ///< [entries] in CSR order
  const Position *position;
  PositionScale scale;
  double cutoff_squared;
};

/// Calls keep(k, entry, s) for the k-th kept pair, which is the s-th possible pair of its row; returns the number of
/// kept pairs.
template <class Position, class Keep>
__device__ int filter_row(const FilterJob<Position> &job, int row, Keep &&keep) {
  const int centre = job.rows.centre_of(row), length = job.rows.length_of(row, centre);
  const Position pi = load(job.position + centre);
  int n = 0;
  for (int s = 0; s < length; ++s) {
    const unsigned entry = job.rows.at(row, centre, s);
    const bool fixed = job.constants.first && (entry & ListEntry::fixed_bit);
    if (job.cutoff_squared > 0 && !fixed) {
      const auto d = difference(pi, load(job.position + (entry & ListEntry::index_bits)), job.scale);
      if (!(dot(d, d) < job.cutoff_squared)) continue;
    }
    keep(n++, entry, s);
  }
  return n;
}

template <class Position>
__global__ void count_pair_rows_kernel(FilterJob<Position> job, int *length, long long *width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int n = row < job.rows.n_rows ? filter_row(job, row, [](int, unsigned, int) {}) : 0;
  if (row < job.rows.n_rows) length[row] = n;
  int longest = n;
  for (int step = 16; step > 0; step /= 2) longest = max(longest, __shfl_xor_sync(~0u, longest, step));
  if (threadIdx.x % 32 == 0 && row < job.rows.n_rows) width[row / 32] = 32ll * longest;
}

template <class Position>
__global__ void fill_kernel(FilterJob<Position> job, const long long *slice, unsigned *entry, ListedColumns constants) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= job.rows.n_rows) return;
  const long long first = slice[row / 32] + row % 32;
  filter_row(job, row, [&](int k, unsigned kept, int s) {
    entry[first + 32ll * k] = kept;
    if (constants.first) constants.copy(first + 32ll * k, job.constants, job.rows.offset[row] + s);
  });
}

}  // namespace

void ListedColumnsDevice::reserve(std::size_t n) {
  first_.reserve(n);
  if (has_rest_) rest_.reserve(n);
  if (mixed_) kind_.reserve(n);
}

void ListedColumnsDevice::reserve_as(const ListedColumnsDevice &other, std::size_t n) {
  any_ = other.any_;
  has_rest_ = other.has_rest_;
  mixed_ = other.mixed_;
  common_ = other.common_;
  if (any_) reserve(n);
}

void ListedColumnsDevice::upload(const std::vector<ListedConstants> &constants, cudaStream_t stream) {
  const std::size_t n = constants.size();
  any_ = n > 0;
  has_rest_ = mixed_ = false;
  host_first_.clear();
  host_rest_.clear();
  host_kind_.clear();
  if (!any_) return;
  common_ = constants[0].kind;
  for (const ListedConstants &c : constants) {
    has_rest_ = has_rest_ || c.p[2] != 0 || c.p[3] != 0;
    mixed_ = mixed_ || c.kind != common_;
    host_first_.push_back({c.p[0], c.p[1]});
    host_rest_.push_back({c.p[2], c.p[3]});
    host_kind_.push_back(static_cast<unsigned char>(c.kind));
  }
  reserve(n);
  copy_to_device(first_.data(), host_first_.data(), n, stream, "copying pair lists");
  if (has_rest_) copy_to_device(rest_.data(), host_rest_.data(), n, stream, "copying pair lists");
  if (mixed_) copy_to_device(kind_.data(), host_kind_.data(), n, stream, "copying pair lists");
}

void PairRowsDevice::upload(const PairListCsr &rows, cudaStream_t stream) {
  const int n_rows = rows.n_rows();
  both_sides_ = rows.both_sides();
  bool identity = true;
  for (int r = 0; r < n_rows; ++r) identity = identity && rows.centre(r) == r;
  centre_.reserve(n_rows);
  offset_.reserve(rows.offsets().size());
  possible_.reserve(rows.entries().size());
  copy_to_device(centre_.data(), rows.centres().data(), n_rows, stream, "copying pair lists");
  copy_to_device(offset_.data(), rows.offsets().data(), rows.offsets().size(), stream, "copying pair lists");
  copy_to_device(possible_.data(), rows.entries().data(), rows.entries().size(), stream, "copying pair lists");
  possible_constants_.upload(rows.constants(), stream);
  check(cudaStreamSynchronize(stream), "copying pair lists");
  rows_ = {};
  rows_.n_rows = n_rows;
  rows_.centre = identity ? nullptr : centre_.data();
  rows_.offset = offset_.data();
  rows_.entry = possible_.data();
}

void PairRowsDevice::borrow(const PairListView &list) {
  const NeighborListView &rows = list.rows;
  both_sides_ = list.full;
  possible_constants_.clear();
  rows_ = {};
  rows_.n_rows = rows.n_rows;
  rows_.centre = rows.centre;
  rows_.length = rows.length;
  rows_.table = rows.table;
  rows_.row_stride = rows.row_stride;
  rows_.entry_stride = rows.entry_stride;
  rows_.mask = ListEntry::special_bits | (static_cast<unsigned>(rows.mask) & ListEntry::index_bits);
}

template <class Position>
void PairRowsDevice::filter(const Position *position, const PositionScale &scale, double cutoff, cudaStream_t stream) {
  view_ = {};
  const int n_rows = rows_.n_rows;
  if (n_rows == 0) return;
  const std::size_t slices = (static_cast<std::size_t>(n_rows) + 31) / 32;
  length_.reserve(n_rows);
  width_.reserve(slices + 1);
  slice_.reserve(slices + 1);
  const FilterJob<Position> job = {rows_, possible_constants_.view(), position, scale, cutoff * cutoff};
  const unsigned blocks = blocks_for(n_rows, threads);
  check(cudaMemsetAsync(width_.data() + slices, 0, sizeof(long long), stream), "clearing the widths of a pair list");
  count_pair_rows_kernel<<<blocks, threads, 0, stream>>>(job, length_.data(), width_.data());
  check(cudaGetLastError(), "counting a pair list");
  with_work_space(scan_space_, [&](void *space, std::size_t &bytes) {
    check(cub::DeviceScan::ExclusiveSum(space, bytes, width_.data(), slice_.data(), slices + 1, stream),
          "summing the widths of a pair list");
  });
  long long entries = 0;
  copy_to_host(&entries, slice_.data() + slices, 1, stream, "reading the size of a pair list");
  check(cudaStreamSynchronize(stream), "counting a pair list");
  entry_.reserve(entries);
  constants_.reserve_as(possible_constants_, entries);
  fill_kernel<<<blocks, threads, 0, stream>>>(job, slice_.data(), entry_.data(), constants_.view());
  check(cudaGetLastError(), "filling a pair list");
  view_ = {n_rows, rows_.centre, length_.data(), slice_.data(), entry_.data(), constants_.view()};
}

template void PairRowsDevice::filter(const WrappedPosition *, const PositionScale &, double, cudaStream_t);
template void PairRowsDevice::filter(const DoublePosition *, const PositionScale &, double, cudaStream_t);

}  // namespace cuda
}  // namespace triad
