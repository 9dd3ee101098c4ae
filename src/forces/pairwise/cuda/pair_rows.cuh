// Rows of a pair list as the kernels read them: in slices of 32 rows, slot k of a slice's rows contiguous, so that a
// warp reads one line per slot; each slice is as long as its longest row. The possible pairs come row by row (CSR) or
// are a table in device memory, and are filtered on the device.
#pragma once

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "forces/pairwise/pair_list_csr.h"

namespace triad {
namespace cuda {

using Spring = PairListCsr::Spring;

/// Read by the kernels.
struct SlicedRows {
  int n_rows;
  const int *centre;       ///< [n_rows], null where centre[row] = row
  const int *length;       ///< [n_rows]
  const long long *slice;  ///< [slices + 1] first entry
  const unsigned *entry;   ///< index, and the two upper bits of PairListCsr
  const Spring *spring;    ///< of each entry, null without
};

/// Rows to filter: in CSR, or without offsets a table as that of NeighborListView.
struct PossibleRows {
  int n_rows = 0;
  const int *centre = nullptr;        ///< [n_rows], null where centre[row] = row
  const long long *offset = nullptr;  ///< [n_rows + 1], of CSR
  const unsigned *entry = nullptr;    ///< [offset[n_rows]]
  const int *length = nullptr;        ///< [n_atoms], of a table
  const int *table = nullptr;
  std::size_t row_stride = 0, entry_stride = 1;
  unsigned mask = ~0u;  ///< bits of an entry of a table that count

  __device__ int centre_of(int row) const { return centre ? centre[row] : row; }
  __device__ int length_of(int row, int centre) const {
    return offset ? static_cast<int>(offset[row + 1] - offset[row]) : length[centre];
  }
  __device__ unsigned at(int row, int centre, int k) const {
    return offset ? entry[offset[row] + k]
                  : static_cast<unsigned>(table[centre * row_stride + k * entry_stride]) & mask;
  }
};

class PairRowsDevice {
 public:
  /// Copies rows to the device. Waits for the stream.
  void upload(const PairListCsr &rows, cudaStream_t stream);

  /// Takes a table in device memory, which must stay as it is until filter() is done with it, its centres as long as
  /// view() is read.
  void borrow(const PairListView &list);

  /// Keeps the pairs nearer than `cutoff`, all if it is 0. Waits for the stream.
  template <class Position>
  void filter(const Position *position, const PositionScale &scale, double cutoff, cudaStream_t stream);

  SlicedRows view() const { return view_; }
  bool both_sides() const { return both_sides_; }

 private:
  bool both_sides_ = false, springs_ = false;
  PossibleRows rows_;
  SlicedRows view_ = {};
  DeviceBuffer<int> centre_{"pair lists"};
  DeviceBuffer<long long> offset_{"pair lists"};
  DeviceBuffer<unsigned> possible_{"pair lists"};
  DeviceBuffer<Spring> possible_spring_{"pair lists"};
  DeviceBuffer<int> length_{"pair lists"};
  DeviceBuffer<long long> width_{"pair lists"};
  DeviceBuffer<long long> slice_{"pair lists"};
  DeviceBuffer<char> scan_space_{"prefix sums"};
  DeviceBuffer<unsigned> entry_{"pair lists"};
  DeviceBuffer<Spring> spring_{"pair lists"};
};

}  // namespace cuda
}  // namespace triad
