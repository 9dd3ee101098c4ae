#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <limits>

#include "core/tuning.h"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {
namespace {

namespace cg = cooperative_groups;
constexpr unsigned threads = tuning::cell_rows_block;

/// Cell of a fractional coordinate along one edge. Rounding may give a fraction of 1, hence the limit.
__device__ int cell_along(double fraction, int n) { return min(max(static_cast<int>(fraction * n), 0), n - 1); }

__global__ void cell_kernel(const CellGrid grid, int n, const double *x, int *cell, int *atom) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double *const at = x + 3 * static_cast<std::size_t>(i);
  const Vec3<double> f = grid.box.fraction({at[0], at[1], at[2]});
  const int *const cells = grid.cells.n;
  cell[i] = (cell_along(f.z, cells[2]) * cells[1] + cell_along(f.y, cells[1])) * cells[0] + cell_along(f.x, cells[0]);
  atom[i] = i;
}

/// Bit of a type in the sets of types of the cells. The types from 31 on share a bit.
__device__ unsigned bit_of(int type) { return 1u << min(type, 31); }

/// Copies positions in the order of cells; the field of the element holds the index of the atom and, if there are
/// types, the type. Also collects the types in each cell.
__global__ void gather_kernel(int n, const double *x, const int *atom, const std::uint16_t *type, const int *cell,
                              DoublePosition *sorted, unsigned *types_in) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  const double *const at = x + 3 * static_cast<std::size_t>(atom[k]);
  const long long of_type = type ? type[atom[k]] : 0;
  sorted[k] = {at[0], at[1], at[2], atom[k] | of_type << 32};
  if (type) atomicOr(types_in + cell[k], bit_of(type[atom[k]]));
}
__device__ int atom_of(const DoublePosition &p) { return static_cast<int>(p.element); }
__device__ int type_of(const DoublePosition &p) { return static_cast<int>(p.element >> 32); }

struct SortedAtoms {
  int n;
  const int *cell;           ///< [n]
  const int *begin;          ///< [cells + 1]
  const DoublePosition *at;  ///< [n]
  const unsigned *types_in;  ///< [cells] sets of types, if there are types
};

/// The types with which an atom has pairs in the list.
struct Partners {
  const unsigned char *listed;
  unsigned bits = 0;

  __device__ Partners(const ListedTypes &types, int own) : listed(types.listed + own * (types.n_types + 1)) {
    for (int type = 1; type <= types.n_types; ++type)
      if (listed[type]) bits |= bit_of(type);
  }
};

/// The cell of the box that cell v along an edge of n cells is an image of, and the number of boxes between them. Cells
/// beyond the edge are few, and integer division takes as long as the checks of several atoms.
struct Division {
  int times, rest;
};
__device__ Division divide(int v, int n) {
  int times = 0;
  for (; v < 0; v += n) --times;
  for (; v >= n; v -= n) ++times;
  return {times, v};
}

/// True if one of the cells `from` to `to` has an atom of one of the types.
__device__ bool any_type_in(const SortedAtoms &atoms, int from, int to, unsigned bits) {
  unsigned found = 0;
  for (int cell = from; cell <= to; ++cell) found |= atoms.types_in[cell];
  return found & bits;
}

/// Calls found(entry) for the neighbours of an atom. `partners`: null for neighbours of all types.
template <class Found>
__device__ void for_neighbours(const CellGrid &grid, const SortedAtoms &atoms, const DoublePosition &own, int own_cell,
                               const Partners *partners, Found &&found) {
  const ListCells &cells = grid.cells;
  const int nx = cells.n[0], ny = cells.n[1], nz = cells.n[2];
  const int cx = own_cell % nx, cy = own_cell / nx % ny, cz = own_cell / nx / ny;
  const double cutoff_squared = grid.box.cutoff * grid.box.cutoff;
  const auto within = [&](int c, int images) { return c >= -images && c <= images; };
  for (int dz = -cells.around[2]; dz <= cells.around[2]; ++dz) {
    const Division z = divide(cz + dz, nz);
    if (!within(z.times, cells.images[2])) continue;
    for (int dy = -cells.around[1]; dy <= cells.around[1]; ++dy) {
      const Division y = divide(cy + dy, ny);
      if (!within(y.times, cells.images[1])) continue;
      const int first = cx - cells.around[0], last = cx + cells.around[0], row = (z.rest * ny + y.rest) * nx;
      const int first_image = max(divide(first, nx).times, -cells.images[0]);
      const int last_image = min(divide(last, nx).times, cells.images[0]);
      for (int image = first_image; image <= last_image; ++image) {
        const int from = max(first, image * nx) - image * nx, to = min(last, image * nx + nx - 1) - image * nx;
        const auto &edge = grid.box.edge;
        const double sx = image * edge[0][0] + y.times * edge[1][0] + z.times * edge[2][0];
        const double sy = y.times * edge[1][1] + z.times * edge[2][1], sz = z.times * edge[2][2];
        const int number = cells.image(image, y.times, z.times);
        const unsigned bits = static_cast<unsigned>(number) << grid.index_bits;
        if (partners && !any_type_in(atoms, row + from, row + to, partners->bits)) continue;
        const int begin = atoms.begin[row + from], end = atoms.begin[row + to + 1];
        DoublePosition ahead = {};  // the load of the next atom is in flight while an atom is checked
        if (begin < end) ahead = load(atoms.at + begin);
        for (int m = begin; m < end; ++m) {
          const DoublePosition other = ahead;
          if (m + 1 < end) ahead = load(atoms.at + m + 1);
          if (partners && !partners->listed[type_of(other)]) continue;
          const double dx = other.x + sx - own.x, dy = other.y + sy - own.y, dz = other.z + sz - own.z;
          if (!(dx * dx + dy * dy + dz * dz < cutoff_squared)) continue;
          if (number != 0 || atom_of(other) != atom_of(own))
            found(static_cast<int>(static_cast<unsigned>(atom_of(other)) | bits));
        }
      }
    }
  }
}

/// The rows of a list that is being built.
struct NewRows {
  int n;                        ///< rows, of the first n atoms
  int *length;                  ///< [n] output
  const long long *offset;      ///< [n + 1], or null for a table
  int *neighbour;               ///< [offset[n]] or [n][capacity] output, or null
  int capacity;                 ///< largest number of entries that are written
  int *longest;                 ///< output: the largest of the lengths that exceed `capacity`; or null
  unsigned char *names_ghosts;  ///< [n] output: 1 if the row holds an atom without a row; or null
};

/// Counts the entries of every row, and writes them unless NewRows::neighbour is null.
__global__ void __launch_bounds__(threads)
    rows_kernel(const CellGrid grid, const SortedAtoms atoms, const ListedTypes types, const NewRows rows) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= atoms.n) return;
  const DoublePosition own = load(atoms.at + k);
  const int i = atom_of(own);
  if (i >= rows.n) return;
  int n = 0;
  bool ghosts = false;
  int *const row = rows.neighbour
                       ? rows.neighbour + (rows.offset ? rows.offset[i] : static_cast<long long>(i) * rows.capacity)
                       : nullptr;
  const int index = (1 << grid.index_bits) - 1;
  const auto found = [&](int entry) {
    if (row && n < rows.capacity) row[n] = entry;
    ghosts = ghosts || (entry & index) >= rows.n;
    ++n;
  };
  if (types.type) {
    const Partners partners(types, type_of(own));
    for_neighbours(grid, atoms, own, atoms.cell[k], &partners, found);
  } else {
    for_neighbours(grid, atoms, own, atoms.cell[k], nullptr, found);
  }
  rows.length[i] = n;
  if (rows.names_ghosts) rows.names_ghosts[i] = ghosts;
  if (!rows.longest) return;
  const auto warp = cg::coalesced_threads();
  const int longest = cg::reduce(warp, n > rows.capacity ? n : 0, cg::greater<int>());
  if (longest > 0 && warp.thread_rank() == 0) atomicMax(rows.longest, longest);
}

struct Widen {
  __host__ __device__ long long operator()(int length) const { return length; }
};

}  // namespace

void CellNeighborList::sort(const CellGrid &grid, int n, const double *x, cudaStream_t stream,
                            const ListedTypes &types) {
  const int n_cells = grid.cells.count();
  for (auto *buffer : {&cell_, &sorted_cell_, &atom_, &sorted_atom_}) buffer->reserve(n);
  sorted_.reserve(n);
  begin_.reserve(std::size_t(n_cells) + 1);
  cell_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(grid, n, x, cell_.data(), atom_.data());
  check(cudaGetLastError(), "sorting atoms into cells");
  int bits = 1;
  while (bits < 31 && (1 << bits) < n_cells) ++bits;
  const auto sort_pairs = [&](void *space, std::size_t &bytes) {
    check(cub::DeviceRadixSort::SortPairs(space, bytes, cell_.data(), sorted_cell_.data(), atom_.data(),
                                          sorted_atom_.data(), n, 0, bits, stream),
          "sorting atoms into cells");
  };
  std::size_t bytes = 0;
  sort_pairs(nullptr, bytes);
  space_.reserve(bytes);
  sort_pairs(space_.data(), bytes);
  if (types.type) {
    types_in_.reserve(n_cells);
    check(cudaMemsetAsync(types_in_.data(), 0, n_cells * sizeof(unsigned), stream), "sorting atoms into cells");
  }
  gather_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(n, x, sorted_atom_.data(), types.type,
                                                                sorted_cell_.data(), sorted_.data(), types_in_.data());
  check(cudaGetLastError(), "sorting atoms into cells");
  const thrust::counting_iterator<int> cells(0);
  thrust::lower_bound(thrust::cuda::par_nosync.on(stream), sorted_cell_.data(), sorted_cell_.data() + n, cells,
                      cells + n_cells + 1, begin_.data());
  check(cudaGetLastError(), "sorting atoms into cells");
}

void CellNeighborList::build(const CellGrid &grid, int n_rows, int n, const double *x, bool apart, cudaStream_t stream,
                             const ListedTypes &types) {
  sort(grid, n, x, stream, types);
  const SortedAtoms sorted = {n, sorted_cell_.data(), begin_.data(), sorted_.data(), types_in_.data()};
  length_.reserve(std::size_t(n_rows) + 1);
  longest_.reserve(1);
  longest_host_.reserve(1);
  if (apart) names_ghosts_.reserve(n_rows);
  const char *const what = "building the neighbour list";
  NewRows rows = {n_rows, length_.data(), nullptr, nullptr, 0, longest_.data(), apart ? names_ghosts_.data() : nullptr};
  const auto launch_rows = [&] {
    if (rows.longest) check(cudaMemsetAsync(rows.longest, 0, sizeof(int), stream), what);
    rows_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(grid, sorted, types, rows);
    check(cudaGetLastError(), what);
    if (rows.longest) copy_to_host(longest_host_.data(), rows.longest, 1, stream, what);
  };
  rows_ = boundary_ = DeviceNeighborList();
  rows_.n_rows = n_rows;
  rows_.cutoff = grid.box.cutoff;
  if (capacity_ > 0) {  // a single pass, unless a row has become too long
    neighbour_.reserve(static_cast<std::size_t>(n_rows) * capacity_);
    rows.neighbour = neighbour_.data();
    rows.capacity = capacity_;
    launch_rows();
    check(cudaStreamSynchronize(stream), what);
    if (longest_host_[0] == 0) {
      rows_.neighbour = neighbour_.data();
      rows_.length = length_.data();
      rows_.row_stride = capacity_;
      if (apart) split(n_rows, stream);
      return;
    }
    rows.neighbour = nullptr;
    rows.capacity = 0;
  }

  offset_.reserve(std::size_t(n_rows) + 1);
  entries_.reserve(1);
  check(cudaMemsetAsync(length_.data() + n_rows, 0, sizeof(int), stream), what);
  launch_rows();
  const auto lengths = thrust::make_transform_iterator(static_cast<const int *>(length_.data()), Widen());
  const auto scan = [&](void *space, std::size_t &bytes) {
    check(cub::DeviceScan::ExclusiveSum(space, bytes, lengths, offset_.data(), n_rows + 1, stream), what);
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  space_.reserve(bytes);
  scan(space_.data(), bytes);
  copy_to_host(entries_.data(), offset_.data() + n_rows, 1, stream, what);
  check(cudaStreamSynchronize(stream), what);
  neighbour_.reserve(entries_[0]);
  rows.offset = offset_.data();
  rows.neighbour = neighbour_.data();
  rows.capacity = std::numeric_limits<int>::max();
  rows.longest = nullptr;
  rows.names_ghosts = nullptr;
  launch_rows();
  const int longest = longest_host_[0];
  capacity_ = longest + longest / tuning::table_margin + 1;
  if (!table_ || capacity_ * double(n_rows) > tuning::most_table_entries * double(entries_[0])) capacity_ = 0;
  rows_.offset = offset_.data();
  rows_.neighbour = neighbour_.data();
  if (apart) split(n_rows, stream);
}

/// Splits the rows into those without ghosts and those with ghosts. Waits for the stream.
void CellNeighborList::split(int n_rows, cudaStream_t stream) {
  const char *const what = "finding the rows at the boundary";
  boundary_centre_.reserve(n_rows);
  n_boundary_.reserve(1);
  const thrust::counting_iterator<int> row(0);
  const auto select = [&](void *space, std::size_t &bytes) {
    check(cub::DeviceSelect::Flagged(space, bytes, row, names_ghosts_.data(), boundary_centre_.data(),
                                     n_boundary_.data(), n_rows, stream),
          what);
  };
  std::size_t bytes = 0;
  select(nullptr, bytes);
  space_.reserve(bytes);
  select(space_.data(), bytes);
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
  return cell_.bytes() + sorted_cell_.bytes() + atom_.bytes() + sorted_atom_.bytes() + begin_.bytes() +
         sorted_.bytes() + types_in_.bytes() + space_.bytes() + length_.bytes() + neighbour_.bytes() + offset_.bytes() +
         names_ghosts_.bytes() + boundary_centre_.bytes() + n_boundary_.bytes() + longest_.bytes();
}

}  // namespace cuda
}  // namespace triad
