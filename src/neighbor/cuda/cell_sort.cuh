// The sorting of atoms into cells, and the rows of a list, as functions that kernels call for each atom. Between two
// calls of different functions all threads of the list must wait for each other.
#pragma once

#include "core/cuda/formats.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {
namespace cells {

constexpr unsigned all_lanes = 0xffffffffu;

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
      int end = n;
      for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(all_lanes, end, step);
        if (lane >= step) end += other;
      }
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

/// Calls found(hit, entry) for the atoms near atom number k in the order of cells, whose position is `own`: `hit` if
/// they are its neighbours. `partners`: null for neighbours of all types. Lanes: threads that share the work on an
/// atom, and call found() together.
template <int Lanes, class Found>
__device__ __forceinline__ void for_neighbours(const CellGrid &grid, const CellSort &atoms, const DoublePosition &own,
                                               int k, const Partners *partners, Found &&found) {
  constexpr int at_once = Lanes > 1 ? 2 : 4;  // atoms whose loads are in flight together
  const int own_cell = atoms.sorted_cell[k];
  const int lane = static_cast<int>(threadIdx.x % Lanes);
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
      const int first = cx - cells.around[0], last = cx + cells.around[0], row = z.rest * ny + y.rest;
      const int first_image = max(divide(first, nx).times, -cells.images[0]);
      const int last_image = min(divide(last, nx).times, cells.images[0]);
      for (int image = first_image; image <= last_image; ++image) {
        const int from = max(first, image * nx) - image * nx, to = min(last, image * nx + nx - 1) - image * nx;
        const auto &edge = grid.box.edge;
        const double x0 = own.x - (image * edge[0][0] + y.times * edge[1][0] + z.times * edge[2][0]);
        const double y0 = own.y - (y.times * edge[1][1] + z.times * edge[2][1]), z0 = own.z - z.times * edge[2][2];
        const int number = cells.image(image, y.times, z.times), itself = number == 0 ? k : -1;
        const unsigned bits = static_cast<unsigned>(number) << grid.index_bits;
        if (partners && !any_type_in(atoms, row * nx + from, row * nx + to, partners->bits)) continue;
        const int *const starts = atoms.begin + row * (nx + 1);
        const int begin = starts[from], end = starts[to + 1];
        for (int first_of_turn = begin; first_of_turn < end; first_of_turn += at_once * Lanes) {
          DoublePosition other[at_once];
          TRIAD_UNROLL
          for (int n = 0; n < at_once; ++n)
            other[n] = load(atoms.sorted + min(first_of_turn + n * Lanes + lane, end - 1));
          TRIAD_UNROLL
          for (int n = 0; n < at_once; ++n) {
            const int m = first_of_turn + n * Lanes + lane;
            const double dx = other[n].x - x0, dy = other[n].y - y0, dz = other[n].z - z0;
            const bool near = dx * dx + dy * dy + dz * dz < cutoff_squared && m != itself;
            const bool listed = !partners || partners->listed[type_of(other[n])];
            found(m < end && near && listed, static_cast<int>(static_cast<unsigned>(atom_of(other[n])) | bits));
          }
        }
      }
    }
  }
}

/// Counts the entries of the row of atom number k in the order of cells, and writes those that fit, unless
/// NewRows::neighbour is null and NewRows::capacity 0. Returns their number; 0 for an atom without a row. `Lanes`
/// threads that follow each other in a warp, from a multiple of Lanes on, call the function together for each atom.
template <int Lanes>
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
  const int first_lane = static_cast<int>(threadIdx.x % 32 / Lanes * Lanes);
  const unsigned before = (1u << threadIdx.x % Lanes) - 1;
  const unsigned together = static_cast<unsigned>((1ull << Lanes) - 1) << first_lane;
  const auto vote = [&](bool value) {
    return Lanes > 1 ? (__ballot_sync(together, value) & together) >> first_lane : static_cast<unsigned>(value);
  };
  const auto found = [&](bool hit, int entry) {
    const unsigned hits = vote(hit);
    const int to = Lanes > 1 ? n + __popc(hits & before) : n;
    if (hit && to < rows.capacity) row[to] = entry;
    if (hit && rows.names_ghosts) ghosts = ghosts || (entry & index) >= rows.n;
    n += Lanes > 1 ? __popc(hits) : hits;
  };
  if (types.type) {
    const Partners partners(types, type_of(own));
    for_neighbours<Lanes>(grid, sort, own, k, &partners, found);
  } else {
    for_neighbours<Lanes>(grid, sort, own, k, nullptr, found);
  }
  const bool leads = threadIdx.x % Lanes == 0;
  if (leads) rows.length[i] = n;
  if (rows.names_ghosts) {
    const bool any = vote(ghosts) != 0;
    if (leads) rows.names_ghosts[i] = any;
  }
  return n;
}

}  // namespace cells
}  // namespace cuda
}  // namespace triad
