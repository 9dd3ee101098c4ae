// A list of all neighbours with skin, made on the device from the positions of atoms in a box.
#pragma once

#include <cstdint>

#include "loops/cuda/formats.cuh"
#include "loops/cuda/resources.cuh"
#include "loops/cuda/shortlist.cuh"
#include "md/list_box.h"

namespace triad {
namespace cuda {

/// Atoms of a list that is to be made.
struct ListedAtoms {
  int n;
  const double *x;     ///< [n][3] in the box
  const int *element;  ///< [n], -1 where the potential has no part in the atom
  const float *reach;  ///< [n_elements^2] of the potential
  int n_elements;
};

/// The box of a list as its kernels see it.
struct CellGrid {
  ListBox box;
  ListCells cells;
  int index_bits;  ///< of an entry; image numbers stand above
};

class CellRows {
 public:
  /// Rows of all atoms, in their order: the other atoms and images that are within the reach of the two elements and
  /// the skin, in an order that positions and atoms alone set. Waits for the stream. Throws LoopError.
  void build(const CellGrid &grid, const ListedAtoms &atoms, cudaStream_t stream);

  /// Of the last build; `reach` is left to the caller.
  DeviceRows rows() const { return rows_; }
  std::size_t bytes() const;

 private:
  void sort(const CellGrid &grid, const ListedAtoms &atoms, cudaStream_t stream);

  DeviceRows rows_ = {};
  DeviceBuffer<int> cell_{"cells"}, sorted_cell_{"cells"}, atom_{"cells"}, sorted_atom_{"cells"}, begin_{"cells"};
  DeviceBuffer<DoublePosition> sorted_{"cells"};
  DeviceBuffer<char> space_{"cells"};
  DeviceBuffer<int> length_{"the neighbour list"}, neighbour_{"the neighbour list"};
  DeviceBuffer<long long> offset_{"the neighbour list"};
  PinnedBuffer<long long> entries_{"the neighbour list"};
};

}  // namespace cuda
}  // namespace triad
