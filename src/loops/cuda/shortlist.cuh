// The short list: for every centre the neighbours within the reach of the potential plus a small inner skin, filtered
// on the device from LAMMPS's list and used until an atom has moved half of that skin.
//
// Centres with exactly four entries go to a table of their own, slot-major (slot k of all centres contiguous), so that
// a warp of the unrolled kernel reads one line per slot. All others lie row by row (CSR), of any length.
#pragma once

#include "loops/cuda/resources.cuh"
#include "loops/views.h"

namespace triad {
namespace cuda {

/// A neighbour list with skin on the device, row by row.
struct DeviceRows {
  int n_rows;
  const int *centre;        ///< [n_rows], null where centre[row] = row
  const long long *offset;  ///< [n_rows + 1]
  const int *neighbour;     ///< [offset[n_rows]]
};

/// What a filter needs besides the list.
struct DeviceAtoms {
  int n_all;
  const double *x;              ///< [n_all][3]
  const int *element;           ///< [n_all], -1 where the potential has no part in the atom
  const double *reach_squared;  ///< [nelements^2], inner skin included
  int nelements;
};

/// Read by the force kernels.
struct ShortListView {
  int n_four, n_general;
  const int *four_centre;     ///< [n_four], null where the centre of entry t is t
  const int *four_neighbour;  ///< [4][four_stride]
  std::size_t four_stride;
  const int *general_centre;        ///< [n_general]
  const long long *general_offset;  ///< [n_general + 1]
  const int *general_neighbour;
};

class ShortList {
 public:
  /// Sizes of the two tables, read back by the host.
  struct Summary {
    long long four, general_entries, longest;
  };

  /// Filters `rows`; order of centres and neighbours is that of `rows`. Waits for the stream.
  void build(const DeviceRows &rows, const DeviceAtoms &atoms, cudaStream_t stream);

  ShortListView view() const { return view_; }
  int longest() const { return longest_; }
  long long general_entries() const { return general_entries_; }
  std::size_t bytes() const;

 private:
  DeviceBuffer<int> count_{"short-list counts"};
  DeviceBuffer<longlong2> start_{"short-list offsets"};
  DeviceBuffer<char> scan_space_{"prefix sums"};
  DeviceBuffer<Summary> summary_device_{"short-list sizes"};
  PinnedBuffer<Summary> summary_{"short-list sizes"};
  DeviceBuffer<int> four_centre_{"centres with four neighbours"};
  DeviceBuffer<int> four_neighbour_{"lists of four neighbours"};
  DeviceBuffer<int> general_centre_{"centres of the general path"};
  DeviceBuffer<long long> general_offset_{"offsets of the general path"};
  DeviceBuffer<int> general_neighbour_{"neighbours of the general path"};
  ShortListView view_ = {};
  int longest_ = 0;
  long long general_entries_ = 0;
};

}  // namespace cuda
}  // namespace triad
