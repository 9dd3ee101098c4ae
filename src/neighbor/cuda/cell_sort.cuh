// The sorting of atoms into cells, and the rows of a list, as functions that kernels call for each atom. Between two
// calls of different functions all threads of the list must wait for each other.
#pragma once

#include "core/cuda/formats.cuh"
#include "core/cuda/warp.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {
namespace cells {

/// Index of a cell in CellSort::begin, where each row of cells along the first edge has one number more than cells.
__device__ __forceinline__ int begin_index(const ListCells &cells, int cell) { return cell + cell / cells.n[0]; }

/// Cell of a fractional coordinate along one edge. Rounding may give a fraction of 1, hence the limit.
__device__ __forceinline__ int cell_along(double fraction, int n) {
  return min(max(static_cast<int>(fraction * n), 0), n - 1);
}

/// Finds the cell of atom i at x, which must be inside the box, and counts it there.
__device__ __forceinline__ void count_atom(const CellGrid &grid, const CellSort &sort, int i, const double *x) {
  const Vec3<double> f = grid.box.fraction({x[0], x[1], x[2]});
  const int *const n = grid.cells.n;
  const int cell = (cell_along(f.z, n[2]) * n[1] + cell_along(f.y, n[1])) * n[0] + cell_along(f.x, n[0]);
  sort.cell[i] = cell;
  sort.slot[i] = atomicAdd(sort.count + cell, 1);
}

/// Gives each cell a range of CellSort::atom, and clears the counts; by all lanes of the warps [0, warps). The ranges
/// of a row of cells along the first edge follow each other; the order of these rows has no influence on a list.
__device__ __forceinline__ void assign_ranges(const CellGrid &grid, const CellSort &sort, int warp, int warps) {
  const int nx = grid.cells.n[0], rows = grid.cells.n[1] * grid.cells.n[2], lane = static_cast<int>(threadIdx.x % 32);
  for (int row = warp; row < rows; row += warps) {
    int *const count = sort.count + row * nx, *const begin = sort.begin + row * (nx + 1);
    int sum = 0;
    for (int c = lane; c < nx; c += 32) sum += count[c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(all_lanes, sum, step);
    int first = lane == 0 ? atomicAdd(sort.given, sum) : 0;
    first = __shfl_sync(all_lanes, first, 0);
    for (int start = 0; start < nx; start += 32) {
      const int c = start + lane, n = c < nx ? count[c] : 0;
      const int end = inclusive_sum_of_warp(n);
      if (c < nx) {
        begin[c] = first + end - n;
        count[c] = 0;
      }
      first += __shfl_sync(all_lanes, end, 31);
    }
    if (lane == 0) begin[nx] = first;
  }
}

/// Writes atom i to an element of its cell in CellSort::atom, in any order within the cell.
__device__ __forceinline__ void put_atom(const CellGrid &grid, const CellSort &sort, int i) {
  sort.atom[sort.begin[begin_index(grid.cells, sort.cell[i])] + sort.slot[i]] = i;
  if (i == 0) *sort.given = 0;
}

/// Bit of a type in the sets of types of the cells. The types from 31 on share a bit.
__device__ __forceinline__ unsigned bit_of(int type) { return 1u << min(type, 31); }

/// Copies the position of atom i in the order of cells, and of atom indices within a cell. The field of the element
/// holds the index of the atom and, if there are types, the type. Also collects the types in each cell.
__device__ __forceinline__ void order_atom(const CellGrid &grid, const CellSort &sort, int i, const double *x,
                                           const std::uint16_t *type) {
  const int cell = sort.cell[i], at = begin_index(grid.cells, cell), begin = sort.begin[at];
  const int end = sort.begin[at + 1];
  int to = begin;
  for (int k = begin; k < end; ++k) to += sort.atom[k] < i;
  const long long of_type = type ? type[i] : 0;
  sort.sorted[to] = {x[0], x[1], x[2], i | of_type << 32};
  sort.sorted_cell[to] = cell;
  if (type) atomicOr(sort.types_in + cell, bit_of(type[i]));
}
__device__ __forceinline__ int atom_of(const DoublePosition &p) { return static_cast<int>(p.element); }
__device__ __forceinline__ int type_of(const DoublePosition &p) { return static_cast<int>(p.element >> 32); }

/// The types with which an atom has pairs in the list.
struct Partners {
  const unsigned char *listed;
  unsigned bits = 0;

  __device__ __forceinline__ Partners(const ListedTypes &types, int own)
      : listed(types.listed + own * (types.n_types + 1)) {
    for (int type = 1; type <= types.n_types; ++type)
      if (listed[type]) bits |= bit_of(type);
  }
};

/// The cell of the box that cell v along an edge of n cells is an image of, and the number of boxes between them. Cells
/// beyond the edge are few, and integer division takes as long as the checks of several atoms.
struct Division {
  int times, rest;
};
__device__ __forceinline__ Division divide(int v, int n) {
  int times = 0;
  for (; v < 0; v += n) --times;
  for (; v >= n; v -= n) ++times;
  return {times, v};
}

/// True if one of the cells `from` to `to` has an atom of one of the types.
__device__ __forceinline__ bool any_type_in(const CellSort &atoms, int from, int to, unsigned bits) {
  unsigned found = 0;
  for (int cell = from; cell <= to; ++cell) found |= atoms.types_in[cell];
  return found & bits;
}

/// Cells that follow each other along the first edge near an atom, all in one image of the box.
struct CellRange {
  int begin = 0, length = 0;    ///< its atoms, in the order of cells
  int image = 0, y = 0, z = 0;  ///< boxes between the cells and the box of the atom, along the three edges
};

/// The ranges of cells around the cell of an atom, in the order of the list: one range per row of cells along the first
/// edge and per image.
class CellsAround {
 public:
  __device__ __forceinline__ CellsAround(const CellGrid &grid, const CellSort &atoms, int cell,
                                         const Partners *partners)
      : grid_(grid), atoms_(atoms), partners_(partners) {
    const ListCells &cells = grid.cells;
    const int nx = cells.n[0], ny = cells.n[1];
    cx_ = cell % nx;
    cy_ = cell / nx % ny;
    cz_ = cell / nx / ny;
    first_image_ = divide(first(cx_, 0), nx).times;
    images_ = divide(last(cx_, 0), nx).times - first_image_ + 1;
    first_row_ = first(cy_, 1);
    rows_ = last(cy_, 1) - first_row_ + 1;
    first_layer_ = first(cz_, 2);
    layers_ = last(cz_, 2) - first_layer_ + 1;
  }
  __device__ __forceinline__ int count() const { return layers_ * rows_ * images_; }

  __device__ __forceinline__ CellRange operator[](int number) const {
    const ListCells &cells = grid_.cells;
    const int nx = cells.n[0], ny = cells.n[1], row_number = number / images_;
    const Division z = divide(first_layer_ + row_number / rows_, cells.n[2]);
    const Division y = divide(first_row_ + row_number % rows_, ny);
    CellRange range = {0, 0, first_image_ + number % images_, y.times, z.times};
    const int start = range.image * nx, row = z.rest * ny + y.rest;
    const int from = max(cx_ - cells.around[0], start) - start;
    const int to = min(cx_ + cells.around[0], start + nx - 1) - start;
    if (partners_ && !any_type_in(atoms_, row * nx + from, row * nx + to, partners_->bits)) return range;
    const int *const starts = atoms_.begin + row * (nx + 1);
    range.begin = starts[from];
    range.length = starts[to + 1] - range.begin;
    return range;
  }

 private:
  /// The first and the last cell along an edge that are near cell c and in an image of the box.
  __device__ __forceinline__ int first(int c, int edge) const {
    return max(c - grid_.cells.around[edge], -grid_.cells.images[edge] * grid_.cells.n[edge]);
  }
  __device__ __forceinline__ int last(int c, int edge) const {
    return min(c + grid_.cells.around[edge], (grid_.cells.images[edge] + 1) * grid_.cells.n[edge] - 1);
  }

  const CellGrid &grid_;
  const CellSort &atoms_;
  const Partners *partners_;
  int cx_, cy_, cz_, first_image_, images_, first_row_, rows_, first_layer_, layers_;
};

/// Calls found(hit, entry) for the atoms near atom number k in the order of cells, whose position is `own`: `hit` if
/// they are its neighbours. `partners`: null for neighbours of all types. `Warp`: all lanes of a warp call this and
/// found() together for the same atom; otherwise each thread has an atom of its own.
template <bool Warp, class Found>
__device__ __forceinline__ void for_neighbours(const CellGrid &grid, const CellSort &atoms, const DoublePosition &own,
                                               int k, const Partners *partners, Found &&found) {
  const CellsAround around(grid, atoms, atoms.sorted_cell[k], partners);
  const double cutoff_squared = grid.box.cutoff * grid.box.cutoff;
  const auto &edge = grid.box.edge;
  // compares atom number m, which is in the image (image, y, z) of the box; exists: false if there is no such atom
  const auto look_at = [&](const DoublePosition &other, int m, bool exists, int image, int y, int z) {
    const double dx = other.x - (own.x - (image * edge[0][0] + y * edge[1][0] + z * edge[2][0]));
    const double dy = other.y - (own.y - (y * edge[1][1] + z * edge[2][1]));
    const double dz = other.z - (own.z - z * edge[2][2]);
    const int number = grid.cells.image(image, y, z);
    const bool near = dx * dx + dy * dy + dz * dz < cutoff_squared && !(number == 0 && m == k);
    const bool listed = !partners || partners->listed[type_of(other)];
    const unsigned bits = static_cast<unsigned>(number) << grid.index_bits;
    found(exists && near && listed, static_cast<int>(static_cast<unsigned>(atom_of(other)) | bits));
  };
  const int count = around.count();
  if constexpr (Warp) {
    constexpr int at_once = 2;  // atoms whose loads are in flight together
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int first = 0; first < count; first += 32) {
      const CellRange mine = first + lane < count ? around[first + lane] : CellRange();
      const int end = inclusive_sum_of_warp(mine.length);
      const int total = __shfl_sync(all_lanes, end, 31), to_atom = mine.begin - (end - mine.length);
      for (int turn = 0; turn < total; turn += 32 * at_once) {
        DoublePosition other[at_once];
        int range[at_once], m[at_once];
        TRIAD_UNROLL
        for (int n = 0; n < at_once; ++n) {
          const int t = min(turn + 32 * n + lane, total - 1);
          range[n] = 0;  // the first one that ends behind t
          TRIAD_UNROLL
          for (int half = 16; half > 0; half /= 2)
            if (__shfl_sync(all_lanes, end, range[n] + half - 1) <= t) range[n] += half;
          m[n] = __shfl_sync(all_lanes, to_atom, range[n]) + t;
          other[n] = load(atoms.sorted + m[n]);
        }
        TRIAD_UNROLL
        for (int n = 0; n < at_once; ++n) {
          const int image = __shfl_sync(all_lanes, mine.image, range[n]), y = __shfl_sync(all_lanes, mine.y, range[n]);
          const int z = __shfl_sync(all_lanes, mine.z, range[n]);
          look_at(other[n], m[n], turn + 32 * n + lane < total, image, y, z);
        }
      }
    }
  } else {
    constexpr int at_once = 4;
    for (int number = 0; number < count; ++number) {
      const CellRange range = around[number];
      const int end = range.begin + range.length;
      for (int turn = range.begin; turn < end; turn += at_once) {
        DoublePosition other[at_once];
        TRIAD_UNROLL
        for (int n = 0; n < at_once; ++n) other[n] = load(atoms.sorted + min(turn + n, end - 1));
        TRIAD_UNROLL
        for (int n = 0; n < at_once; ++n) look_at(other[n], turn + n, turn + n < end, range.image, range.y, range.z);
      }
    }
  }
}

/// Counts the entries of the row of atom number k in the order of cells, and writes those that fit, unless
/// NewRows::neighbour is null and NewRows::capacity 0. Returns their number; 0 for an atom without a row. `Warp`: all
/// lanes of a warp call the function together for the same atom; otherwise each thread has an atom of its own.
template <bool Warp>
__device__ __forceinline__ int make_row(const CellGrid &grid, const CellSort &sort, const ListedTypes &types,
                                        const NewRows &rows, int k) {
  const DoublePosition own = load(sort.sorted + k);
  const int i = atom_of(own);
  if (i >= rows.n) return 0;
  int n = 0;
  bool ghosts = false;
  int *const row = rows.neighbour
                       ? rows.neighbour + (rows.offset ? rows.offset[i] : static_cast<long long>(i) * rows.capacity)
                       : nullptr;
  const int index = (1 << grid.index_bits) - 1;
  const bool leads = !Warp || threadIdx.x % 32 == 0;
  const unsigned before = (1u << threadIdx.x % 32) - 1;
  const auto found = [&](bool hit, int entry) {
    const unsigned hits = Warp ? __ballot_sync(all_lanes, hit) : static_cast<unsigned>(hit);
    const int to = Warp ? n + __popc(hits & before) : n;
    if (hit && to < rows.capacity) row[to] = entry;
    if (hit && rows.names_ghosts) ghosts = ghosts || (entry & index) >= rows.n;
    n += Warp ? __popc(hits) : hits;
  };
  if (types.type) {
    const Partners partners(types, type_of(own));
    for_neighbours<Warp>(grid, sort, own, k, &partners, found);
  } else {
    for_neighbours<Warp>(grid, sort, own, k, nullptr, found);
  }
  if (leads) rows.length[i] = n;
  if (rows.names_ghosts) {
    const bool any = Warp ? __any_sync(all_lanes, ghosts) : ghosts;
    if (leads) rows.names_ghosts[i] = any;
  }
  return n;
}

}  // namespace cells
}  // namespace cuda
}  // namespace triad
