// Rows of a pair list as the kernels read them: in slices of 32 rows, slot k of a slice's rows contiguous, so that a
// warp reads one line per slot; each slice is as long as its longest row. The possible pairs come row by row (CSR) and
// are filtered on the device.
#pragma once

#include "loops/cuda/formats.cuh"
#include "loops/cuda/resources.cuh"
#include "loops/pair_list_rows.h"

namespace triad {
namespace cuda {

using Spring = PairListRows::Spring;

/// Read by the kernels.
struct SlicedRows {
  int n_rows;
  const int *centre;       ///< [n_rows], null where centre[row] = row
  const int *length;       ///< [n_rows]
  const long long *slice;  ///< [slices + 1] first entry
  const unsigned *entry;   ///< index, and the two upper bits of PairListRows
  const Spring *spring;    ///< of each entry, null without
};

class PairRowsDevice {
 public:
  /// Copies rows to the device. Waits for the stream.
  void upload(const PairListRows &rows, cudaStream_t stream);

  /// Keeps the pairs nearer than `reach`, all if it is 0. Waits for the stream.
  template <class Position>
  void filter(const Position *position, const PositionScale &scale, double reach, cudaStream_t stream);

  SlicedRows view() const { return view_; }
  bool both_sides() const { return both_sides_; }

 private:
  int n_rows_ = 0;
  bool both_sides_ = false, identity_ = false, springs_ = false;
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
