// The kernels of the pruned list: they count rows, write them to the tables, and renew them within steps.
#pragma once

#include <cooperative_groups/reduce.h>

#include <cub/block/block_radix_sort.cuh>

#include "neighbor/cuda/row_filter.cuh"

namespace triad {
namespace cuda {
namespace pruning {

/// count[row] is the number of entries, or no_element if the atom is not part of the potential.
constexpr int no_element = PrunedListView::no_element;
static __host__ __device__ bool is_general(int count) { return count == no_element || count > 4; }

/// Number of rows (0 or 1) and entries that a row adds to the general table.
struct GeneralPart {
  __host__ __device__ longlong2 operator()(int count) const {
    return is_general(count) ? longlong2{1, count == no_element ? 0 : count} : longlong2{0, 0};
  }
};
struct AddParts {
  __host__ __device__ longlong2 operator()(const longlong2 &a, const longlong2 &b) const {
    return {a.x + b.x, a.y + b.y};
  }
};

static __device__ void add(long long *sum, long long value) {
  atomicAdd(reinterpret_cast<unsigned long long *>(sum), static_cast<unsigned long long>(value));
}

/// Adds the rows of a block that are `general`, of n entries each, to a summary. One thread makes the atomic operations
/// of the block, since those of all rows on the same words would take several times as long as the rest of the kernel.
static __device__ void add_to_summary(bool general, int n, PrunedList::Summary *summary) {
  __shared__ int n_rows, n_longer, n_entries, longest;
  if (threadIdx.x == 0) n_rows = n_longer = n_entries = longest = 0;
  __syncthreads();
  if (general) {
    atomicAdd(&n_rows, 1);
    if (n > 4) atomicAdd(&n_longer, 1);
    atomicAdd(&n_entries, n);
    atomicMax(&longest, n);
  }
  __syncthreads();
  if (threadIdx.x != 0 || n_rows == 0) return;
  add(&summary->general_rows, n_rows);
  add(&summary->longer_rows, n_longer);
  add(&summary->general_entries, n_entries);
  atomicMax(reinterpret_cast<unsigned long long *>(&summary->longest), static_cast<unsigned long long>(longest));
}

/// Shared memory per tile for the entries of a row: an odd number, so that the tiles of a warp use different banks.
template <int Slots>
constexpr int entry_stride = Slots | 1;

/// Limit of an atom that no pair limits, and the amount by which limits are reduced for the rounding of distances.
constexpr float no_limit = 1e15f;
constexpr float rounding_of_limits = 1e-5f;

/// Updates guard->used with the squared displacement of an atom from its reference in the last list, divided by its
/// squared limit.
template <class Position>
__device__ void note_used(const DeviceAtoms<Position> &atoms, std::size_t row, StepGuard *guard) {
  const Position reference = load(atoms.reference + row);
  const auto moved = difference(reference, load(atoms.position + row), atoms.scale);
  const float limit = limit_of(reference), used = static_cast<float>(dot(moved, moved)) / (limit * limit);
  if (used > *const_cast<volatile float *>(&guard->used))
    atomicMax(reinterpret_cast<int *>(&guard->used), __float_as_int(used));
}

/// Stores references of the atoms from `first` on, without limits. `guard`: as of Renewal.
template <class Position>
__global__ void keep_references_kernel(DeviceAtoms<Position> atoms, int first, StepGuard *guard, StopFlags flags) {
  if (__syncthreads_or(threadIdx.x == 0 && flags.rests())) return;
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms.n_all) return;
  if (guard) note_used(atoms, i, guard);
  atoms.reference[i] = reference_at(atoms.listed(i).reference, no_limit);
}

/// The place of entry k of the n entries of a row if these are sorted by atom index.
template <class Position>
__device__ __forceinline__ int rank_of(const DeviceAtoms<Position> &atoms, const int *entry, int n, int k) {
  const int own = atoms.images.index(entry[k]);
  int rank = 0;
  for (int other = 0; other < n; ++other) {
    const int j = atoms.images.index(entry[other]);
    rank += j < own || (j == own && other < k);
  }
  return rank;
}

/// Writes the n entries of a row to its table, sorted by atom index, and fills rows of less than four with the centre.
/// Sorted entries put atoms that are near each other into the same slot of consecutive rows, so that a warp adds forces
/// to fewer memory sectors, and the order of the entries does not depend on that of the neighbour list, in which KOKKOS
/// fills bins in any order.
template <class Position>
__device__ void write_row(const Tile &tile, const DeviceAtoms<Position> &atoms, const int *entry, int n, int centre,
                          std::size_t row, int width, int n_rows, int *neighbour) {
  const std::size_t first = n > 4 ? long_entry(width, n_rows, row, 0) : short_entry(n_rows, row, 0);
  const std::size_t stride = n > 4 ? 1 : n_rows;
  for (int k = tile.thread_rank(); k < max(n, 4); k += tile_size) {
    if (k < n)
      neighbour[first + rank_of(atoms, entry, n, k) * stride] = entry[k];
    else
      neighbour[first + k * stride] = centre;
  }
}

/// Counts the entries of a row, writes the row if it has up to `width` <= Slots entries, and computes the limit of its
/// atom. Returns the number of entries, or no_element, or 0 for a row of the second list. Sets stop_path in *stop,
/// unless that is null, if the atom is beyond its limit already. All threads of a warp must call the function together,
/// with one row per tile; `entry`: shared memory of the tile.
template <class Position, int Slots>
__device__ __forceinline__ int count_row(const Tile &tile, const DeviceNeighborList &rows,
                                         const DeviceAtoms<Position> &atoms, std::size_t row, int width, int *entry,
                                         int *count, int *neighbour, unsigned char *within, StepGuard *guard,
                                         int *stop) {
  const bool exists = row < static_cast<std::size_t>(rows.n_rows);
  const bool elsewhere = exists && rows.elsewhere && rows.elsewhere[row];
  float limit = no_limit;
  const auto write = [&](int k, int j) {
    if (k < Slots) entry[k] = j;
  };
  const auto limit_both = [&](int entry, float own, float other) {
    const int j = atoms.images.index(entry);
    limit = fminf(limit, own - rounding_of_limits);
    if (rows.centre || j >= rows.n_rows) lower_limit(atoms.reference + j, other - rounding_of_limits);  // has no row
  };
  const Kept kept = filter_row(tile, rows, atoms, static_cast<int>(row), exists && !elsewhere, write, limit_both);
  limit = cg::reduce(tile, limit, cg::less<float>());
  tile.sync();
  if (!exists) return 0;
  const int centre = centre_of(rows, static_cast<int>(row));
  const Position position = load(atoms.position + centre);
  const bool has_element = position.element >= 0;
  const int n = elsewhere ? 0 : has_element ? kept.n : no_element;
  if (!elsewhere && kept.n <= width && (has_element || Slots > 4))
    write_row(tile, atoms, entry, kept.n, centre, row, width, rows.n_rows, neighbour);
  if (tile.thread_rank() != 0) return n;
  if (guard && !rows.centre) note_used(atoms, row, guard);
  const Position reference = reference_at(atoms.listed(centre).reference, limit);
  if (rows.centre)
    lower_limit(atoms.reference + centre, limit);
  else
    atoms.reference[row] = reference;
  if (stop && moved_from(reference, position, atoms.scale) == Moved::TooFar) atomicOr(stop, stop_path);
  if (elsewhere) neighbour[short_entry(rows.n_rows, row, 0)] = PrunedListView::no_row;
  count[row] = n;
  if (within) within[row] = n <= 0 ? 0 : n <= 4 ? 1 : min(kept.within + 2, 31);
  return n;
}

/// Makes a list with count_row(). With four slots, longer rows and those of atoms without an element are marked for the
/// general table. `within`, if not null, receives the number by which each row is ordered: longer rows by their entries
/// within the cutoff, then the other rows with entries.
template <class Position, int Slots>
__global__ void count_pruned_rows_kernel(DeviceNeighborList rows, DeviceAtoms<Position> atoms, int width, int *count,
                                         int *neighbour, unsigned char *within, PrunedList::Summary *summary) {
  const Tile tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  __shared__ int entries_of_tile[tuning::pruned_list_block / tile_size][entry_stride<Slots>];
  const std::size_t row = tile_index();
  const int n = count_row<Position, Slots>(tile, rows, atoms, row, width, entries_of_tile[threadIdx.x / tile_size],
                                           count, neighbour, within, nullptr, nullptr);
  const bool general = row < static_cast<std::size_t>(rows.n_rows) && tile.thread_rank() == 0 && is_general(n);
  if (general && Slots == 4) neighbour[short_entry(rows.n_rows, row, 0)] = PrunedListView::no_row;
  add_to_summary(general, max(n, 0), summary);
}

/// Rows are sorted in windows of neighbouring rows.
constexpr int order_each = tuning::order_rows_per_thread;
using WindowSort = cub::BlockRadixSort<unsigned char, tuning::pruned_list_block, order_each, int>;

/// Sorts the rows of a window by their number of entries within the cutoff, most first; rows without entries come last,
/// which bond_kernel requires. The threads of a warp then take about the same time. All threads of a block call the
/// function.
static __device__ __forceinline__ void order_rows_of(int window, int n_rows, const unsigned char *within, int *order,
                                                     WindowSort::TempStorage &space) {
  const int first = window * PrunedListView::window + order_each * static_cast<int>(threadIdx.x);
  unsigned char key[order_each];
  int row[order_each];
  for (int k = 0; k < order_each; ++k) {
    row[k] = first + k;
    key[k] = row[k] < n_rows ? *const_cast<const volatile unsigned char *>(within + row[k]) : 0;
  }
  WindowSort(space).SortDescending(key, row, 0, 5);
  for (int k = 0; k < order_each; ++k)
    if (first + k < n_rows) order[first + k] = row[k];
}

/// Renews a list as a part of steps, which a row of more than Renewal::width <= Slots entries stops, or a number of
/// longer rows that was not expected. Each block makes groups of rows; the last block in a window orders its rows, and
/// the last of these counts longer rows. All threads of all blocks must call the function.
template <class Position, int Slots>
__device__ __forceinline__ void renew_rows(const Renewal<Position> &job) {
  constexpr int group_rows = tuning::pruned_list_block / tile_size,
                groups_of_window = PrunedListView::window / group_rows;
  static_assert(PrunedListView::window % group_rows == 0, "a group must not extend over two windows");
  __shared__ union {
    int entries[group_rows][entry_stride<Slots>];
    typename WindowSort::TempStorage sort;
  } space;
  __shared__ int longer_rows, last;
  const Tile tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  const int in_group = static_cast<int>(threadIdx.x) / tile_size, n_rows = job.rows.n_rows;
  const int groups = (n_rows + group_rows - 1) / group_rows;
  const int windows = (n_rows + PrunedListView::window - 1) / PrunedListView::window;
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    if (Slots > 4) {
      if (threadIdx.x == 0) longer_rows = 0;
      __syncthreads();
    }
    const int n = count_row<Position, Slots>(
        tile, job.rows, job.atoms, static_cast<std::size_t>(group) * group_rows + in_group, job.width,
        space.entries[in_group], job.count, job.neighbour, job.within, job.guard, job.flags.stop);
    if (tile.thread_rank() == 0 && is_general(n)) {
      if (Slots == 4 || n > job.width) atomicOr(job.flags.stop, stop_row);
      if (Slots > 4 && n > 4) atomicAdd(&longer_rows, 1);
    }
    tile.sync();  // before the next row replaces the entries
    if (Slots == 4) continue;
    __threadfence();
    __syncthreads();
    const int window = group / groups_of_window;
    if (threadIdx.x == 0) {
      if (longer_rows > 0) add(&job.summary->renewed, longer_rows);
      __threadfence();
      const int of_window = min(groups_of_window, groups - window * groups_of_window);
      last = atomicAdd(job.finished + window, 1) + 1 == of_window;
      __threadfence();
    }
    __syncthreads();
    if (!last) continue;
    order_rows_of(window, n_rows, job.within, job.order, space.sort);
    if (threadIdx.x == 0) {
      job.finished[window] = 0;
      if (atomicAdd(job.finished + windows, 1) + 1 == windows) {
        job.finished[windows] = 0;
        const auto longer =
            static_cast<double>(atomicExch(reinterpret_cast<unsigned long long *>(&job.summary->renewed), 0ull));
        if (longer < job.suitable.least || longer > job.suitable.most) atomicOr(job.flags.stop, stop_skin);
      }
    }
    __syncthreads();
  }
}

template <class Position, int Slots>
__global__ void __launch_bounds__(tuning::pruned_list_block, sizeof(Position) == sizeof(WrappedPosition)
                                                                 ? tuning::renewal_blocks_per_sm
                                                                 : tuning::renewal_blocks_per_sm_double)
    renew_kernel(const Renewal<Position> job) {
  wait_for_previous_kernel();
  if (__syncthreads_or(threadIdx.x == 0 && job.flags.rests())) return;
  renew_rows<Position, Slots>(job);
}

/// Writes the rows of more than four entries to the general table, sorted by atom index. `neighbour`: [2][n_entries],
/// of which the second half is memory for the entries before they are sorted.
template <class Position>
__global__ void fill_general_rows_kernel(DeviceNeighborList rows, DeviceAtoms<Position> atoms, const int *count,
                                         const longlong2 *start, int *centre, long long *offset, int *neighbour,
                                         long long n_general, long long n_entries) {
  const Tile tile = cg::tiled_partition<tile_size>(cg::this_thread_block());
  const std::size_t row = tile_index();
  const bool leader = tile.thread_rank() == 0;
  if (leader && row == 0) offset[n_general] = n_entries;
  const bool general = row < static_cast<std::size_t>(rows.n_rows) && is_general(count[row]);
  const longlong2 first = general ? start[row] : longlong2{0, 0};
  if (general && leader) {
    centre[first.x] = centre_of(rows, static_cast<int>(row));
    offset[first.x] = first.y;
  }
  int *const sorted = neighbour + first.y, *const entry = sorted + n_entries;
  const int n = filter_row(
                    tile, rows, atoms, static_cast<int>(row), general, [&](int k, int j) { entry[k] = j; },
                    [](int, float, float) {})
                    .n;
  tile.sync();
  for (int k = tile.thread_rank(); k < n; k += tile_size) sorted[rank_of(atoms, entry, n, k)] = entry[k];
}

}  // namespace pruning
}  // namespace cuda
}  // namespace triad
