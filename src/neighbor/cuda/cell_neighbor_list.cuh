// A full neighbour list with skin, built on the device from the positions of atoms in a box.
#pragma once

#include <cstdint>

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "neighbor/cuda/pruned_list.cuh"
#include "neighbor/list_box.h"

namespace triad {
namespace cuda {

/// The box of a list as seen by its kernels.
struct CellGrid {
  ListBox box;
  ListCells cells;
  int index_bits;  ///< bits of an entry that hold the index; the image number is in the bits above
};

/// Limits a list to pairs of certain types. By default all pairs belong to the list.
struct ListedTypes {
  const std::uint16_t *type = nullptr;    ///< [n] types of the atoms, or null: no limit
  const unsigned char *listed = nullptr;  ///< [(n_types + 1)^2] 1 for two types whose pairs belong to the list
  int n_types = 0;
};

/// Arrays of the sorting of n atoms into cells; see cell_sort.cuh.
struct CellSort {
  int n;
  int *given;        ///< length of all ranges of `atom` that cells have; 0 before and after the sorting
  int *count;        ///< [cells] atoms in each cell, while cells have no ranges; 0 before and after the sorting
  int *cell, *slot;  ///< [n] the cell of each atom, and the number of atoms that were counted there before
  int *begin;        ///< [rows of cells][cells of a row + 1] start of the range of each cell, and the end of the row
  int *atom;         ///< [n] atoms by cells
  DoublePosition *sorted;  ///< [n] positions by cells, and by atom indices within a cell
  int *sorted_cell;        ///< [n] cells of these
  unsigned *types_in;      ///< [cells] sets of types, if there are types
};

/// The rows of a list that is being built.
struct NewRows {
  int n;                        ///< rows, of the first n atoms
  int *length;                  ///< [n] output
  const long long *offset;      ///< [n + 1], or null for a table
  int *neighbour;               ///< [offset[n]] or [n][capacity] output, or null
  int capacity;                 ///< largest number of entries that are written
  unsigned char *names_ghosts;  ///< [n] output: 1 if the row holds an atom without a row; or null
};

class CellNeighborList {
 public:
  /// `table`: from the second build on, rows() may be a table, which takes one pass over the pairs instead of two.
  /// `most_by_warps`: with more atoms, a thread makes a row, otherwise a warp.
  explicit CellNeighborList(bool table = false, int most_by_warps = tuning::most_atoms_for_rows_by_warps)
      : table_(table), most_by_warps_(most_by_warps) {}

  /// Builds the rows of the first n_rows of the n atoms at x [n][3], which must be inside the box; the others are
  /// ghosts of other ranks. A row holds the other atoms and images within the cutoff, in an order that depends only on
  /// positions and atom indices. `splits_boundary`: puts the rows that hold ghosts into boundary(), and the others into
  /// rows(). Waits for the stream. Throws LoopError.
  void build(const CellGrid &grid, int n_rows, int n, const double *x, bool splits_boundary, cudaStream_t stream,
             const ListedTypes &types = {});

  /// Returns the rows of the last build.
  const DeviceNeighborList &rows() const { return rows_; }
  const DeviceNeighborList &boundary() const { return boundary_; }
  std::size_t bytes() const;

  // For callers that make the same rows anew with kernels of their own, see cell_sort.cuh.

  /// True if rows() is a table that such kernels can fill for other positions of the same atoms.
  bool is_table() const { return rows_.length && rows_.row_stride == static_cast<std::size_t>(capacity_); }
  /// Arguments of these kernels. Allocates. `grid`: without types.
  CellSort sort_for(const CellGrid &grid, cudaStream_t stream) {
    reserve(grid, rows_.n_rows, stream);
    return sort_of(rows_.n_rows);
  }
  /// True if a warp makes a row of a list of n atoms; otherwise a thread does.
  bool makes_rows_by_warps(int n) const { return n <= most_by_warps_; }
  NewRows table() const { return {rows_.n_rows, length_.data(), nullptr, neighbour_.data(), capacity_, nullptr}; }

 private:
  void reserve(const CellGrid &grid, int n, cudaStream_t stream);
  CellSort sort_of(int n) const;
  CellSort sort(const CellGrid &grid, int n, const double *x, cudaStream_t stream, const ListedTypes &types);
  void split(int n_rows, cudaStream_t stream);

  const bool table_;
  const int most_by_warps_;
  int capacity_ = 0;  // slots of a row of the next table; 0: the next list is not a table
  DeviceNeighborList rows_ = {}, boundary_ = {};
  DeviceBuffer<int> count_{"cells"};  // CellSort::given, then CellSort::count
  DeviceBuffer<int> cell_{"cells"}, slot_{"cells"}, atom_{"cells"}, sorted_cell_{"cells"}, begin_{"cells"};
  DeviceBuffer<unsigned> types_in_{"cells"};
  DeviceBuffer<DoublePosition> sorted_{"cells"};
  DeviceBuffer<char> space_{"cells"};
  DeviceBuffer<int> length_{"the neighbour list"}, neighbour_{"the neighbour list"};
  DeviceBuffer<long long> offset_{"the neighbour list"};
  PinnedBuffer<long long> entries_{"the neighbour list"};
  DeviceBuffer<unsigned char> names_ghosts_{"the rows at the boundary"};  // [n_rows] 1 if the row holds a ghost
  DeviceBuffer<int> longest_{"the neighbour list"};
  PinnedBuffer<int> longest_host_{"the neighbour list"};
  DeviceBuffer<int> boundary_centre_{"the rows at the boundary"}, n_boundary_{"the rows at the boundary"};
};

}  // namespace cuda
}  // namespace triad
