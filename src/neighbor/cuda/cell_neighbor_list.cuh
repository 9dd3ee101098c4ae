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

class CellNeighborList {
 public:
  /// `table`: from the second build on, rows() may be a table, which takes one pass over the pairs instead of two.
  explicit CellNeighborList(bool table = false) : table_(table) {}

  /// Builds the rows of the first n_rows of the n atoms at x [n][3], which must be inside the box; the others are
  /// ghosts of other ranks. A row holds the other atoms and images within the cutoff, in an order that depends only on
  /// positions and atom indices. `apart`: puts the rows that hold ghosts into boundary(), and the others into rows().
  /// Waits for the stream. Throws LoopError.
  void build(const CellGrid &grid, int n_rows, int n, const double *x, bool apart, cudaStream_t stream,
             const ListedTypes &types = {});

  /// Returns the rows of the last build.
  const DeviceNeighborList &rows() const { return rows_; }
  const DeviceNeighborList &boundary() const { return boundary_; }
  std::size_t bytes() const;

 private:
  void sort(const CellGrid &grid, int n, const double *x, cudaStream_t stream, const ListedTypes &types);
  void split(int n_rows, cudaStream_t stream);

  const bool table_;
  int capacity_ = 0;  // slots of a row of the next table; 0: the next list is not a table
  DeviceNeighborList rows_ = {}, boundary_ = {};
  DeviceBuffer<int> cell_{"cells"}, sorted_cell_{"cells"}, atom_{"cells"}, sorted_atom_{"cells"}, begin_{"cells"};
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
