// Rows of a pair list in the format of the kernels: slices of 32 rows, with slot k of all rows of a slice contiguous,
// so that a warp reads one cache line per slot. The length of a slice is that of its longest row (sliced ELLPACK). The
// possible pairs are in CSR format or a table in device memory, and are filtered on the device.
#pragma once

#include <vector>

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "forces/pairwise/pair_list_csr.h"

namespace triad {
namespace cuda {

/// Parameters of listed pairs, one array for each two parameters, so that a list of one law with two parameters reads
/// 16 bytes per pair.
struct ListedColumns {
  double2 *first;       ///< parameters 0 and 1; null for a neighbour list
  double2 *rest;        ///< parameters 2 and 3, or null if no pair has them
  unsigned char *kind;  ///< ListedKind, or null if all pairs have the kind `common`
  ListedKind common;

  __device__ ListedConstants at(long long k) const {
    const double2 a = first[k], b = rest ? rest[k] : double2{0, 0};
    return {{a.x, a.y, b.x, b.y}, kind ? static_cast<ListedKind>(kind[k]) : common, false};
  }
  __device__ void copy(long long to, const ListedColumns &from, long long k) const {
    first[to] = from.first[k];
    if (rest) rest[to] = from.rest[k];
    if (kind) kind[to] = from.kind[k];
  }
};

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

/// Input of the kernels.
struct SlicedRows {
  int n_rows;
  const int *centre;        ///< [n_rows], null where centre[row] = row
  const int *length;        ///< [n_rows]
  const long long *slice;   ///< [slices + 1] first entry
  const unsigned *entry;    ///< index, and the two upper bits of PairListCsr
  ListedColumns constants;  ///< of each entry of listed pairs
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
