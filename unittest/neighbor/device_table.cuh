// A neighbour list in device memory as a table in which the entries of an atom are not contiguous, as in KOKKOS's
// layout on a GPU.
#pragma once

#include <algorithm>
#include <vector>

#include "core/cuda/resources.cuh"
#include "core/views.h"

namespace triad {

/// An array of a test in device memory.
template <class T>
class UploadedCopy {
 public:
  const T *fill(const T *source, std::size_t n, cudaStream_t stream) {
    if (!source) return nullptr;
    memory_.reserve(std::max<std::size_t>(n, 1));
    cuda::copy_to_device(memory_.data(), source, n, stream, "filling");
    cuda::check(cudaStreamSynchronize(stream), "filling");
    return memory_.data();
  }
  T *data() const { return memory_.data(); }

 private:
  cuda::DeviceBuffer<T> memory_{"a test"};
};

class DeviceTable {
 public:
  /// Copies the list `rows` of n atoms.
  NeighborListView fill(const NeighborListView &rows, std::size_t n, cudaStream_t stream) {
    std::vector<int> length(n, 0);
    int longest = 0;
    for (int r = 0; r < rows.n_rows; ++r) {
      length[rows.centre[r]] = rows.length[rows.centre[r]];
      longest = std::max(longest, rows.length[rows.centre[r]]);
    }
    std::vector<int> table(n * longest);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < length[i]; ++k) table[i + k * n] = rows.first(int(i))[k * rows.entry_stride];
    NeighborListView on_device;
    on_device.n_rows = rows.n_rows;
    on_device.centre = centre_.fill(rows.centre, rows.n_rows, stream);
    on_device.length = length_.fill(length.data(), n, stream);
    on_device.table = table_.fill(table.data(), table.size(), stream);
    on_device.row_stride = 1;
    on_device.entry_stride = n;
    on_device.mask = rows.mask;
    on_device.cutoff = rows.cutoff;
    return on_device;
  }

 private:
  UploadedCopy<int> centre_, length_, table_;
};

}  // namespace triad
