// Rows of a pair list in the format of the kernels (sliced_rows.cuh). The possible pairs are in CSR format or a table
// in device memory, and are filtered on the device.
#pragma once

#include <vector>

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "forces/pairwise/cuda/sliced_rows.cuh"
#include "forces/pairwise/pair_list_csr.h"

namespace triad {
namespace cuda {

class ListedColumnsDevice {
 public:
  /// Copies constants to the device. The caller waits for the stream before `constants` changes.
  void upload(const std::vector<ListedConstants> &constants, cudaStream_t stream);
  /// Reserves n entries with the columns that `other` has.
  void reserve_as(const ListedColumnsDevice &other, std::size_t n);
  /// Removes all constants.
  void clear() { any_ = false; }
  ListedColumns view() const {
    return {any_ ? first_.data() : nullptr, any_ && has_rest_ ? rest_.data() : nullptr,
            any_ && mixed_ ? kind_.data() : nullptr, common_};
  }

 private:
  void reserve(std::size_t n);

  bool any_ = false, has_rest_ = false, mixed_ = false;
  ListedKind common_ = ListedKind::Harmonic;
  std::vector<double2> host_first_, host_rest_;
  std::vector<unsigned char> host_kind_;
  DeviceBuffer<double2> first_{"pair lists"}, rest_{"pair lists"};
  DeviceBuffer<unsigned char> kind_{"pair lists"};
};

/// Rows to filter: CSR, or a table as in NeighborListView if `offset` is null.
struct PossibleRows {
  int n_rows = 0;
  const int *centre = nullptr;        ///< [n_rows], null where centre[row] = row
  const long long *offset = nullptr;  ///< [n_rows + 1], CSR only
  const unsigned *entry = nullptr;    ///< [offset[n_rows]]
  const int *length = nullptr;        ///< [n_atoms], table only
  const int *table = nullptr;
  std::size_t row_stride = 0, entry_stride = 1;
  unsigned mask = ~0u;  ///< table only: bits of an entry that are valid

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

  /// Refers to a table in device memory. The table must stay unchanged until filter() has finished, and its centres as
  /// long as view() is used.
  void borrow(const PairListView &list);

  /// Keeps the fixed pairs and the pairs nearer than `cutoff`, or all if cutoff is 0. Waits for the stream.
  template <class Position>
  void filter(const Position *position, const PositionScale &scale, double cutoff, cudaStream_t stream);

  SlicedRows view() const { return view_; }
  bool both_sides() const { return both_sides_; }

 private:
  bool both_sides_ = false;
  PossibleRows rows_;
  SlicedRows view_ = {};
  DeviceBuffer<int> centre_{"pair lists"};
  DeviceBuffer<long long> offset_{"pair lists"};
  DeviceBuffer<unsigned> possible_{"pair lists"};
  ListedColumnsDevice possible_constants_;
  DeviceBuffer<int> length_{"pair lists"};
  DeviceBuffer<long long> width_{"pair lists"};
  DeviceBuffer<long long> slice_{"pair lists"};
  DeviceBuffer<char> scan_space_{"prefix sums"};
  DeviceBuffer<unsigned> entry_{"pair lists"};
  ListedColumnsDevice constants_;
};

}  // namespace cuda
}  // namespace triad
