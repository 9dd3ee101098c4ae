// The CUDA backend for arrays in device memory; only tallies are copied to the host. One translation unit per precision
// includes this.
#pragma once

#include <utility>
#include <vector>

#include "core/tuning.h"
#include "forces/tersoff/cuda/tally_copies.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

static __global__ void find_renumbered_kernel(int n_rows, const int *centre, int *found) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n_rows && centre[row] != row) *found = 1;
}

template <class Format>
class TersoffDeviceBackend final : public TersoffBackend {
 public:
  TersoffDeviceBackend(const TersoffSetup &setup, int device, cudaStream_t stream)
      : device_(select_device(device)), stream_(stream), tersoff_(setup.table, stream) {
    const std::vector<int> &element = setup.type_to_element;
    for (std::size_t type = 2; type < element.size(); ++type) several_elements_ |= element[type] != element[1];
    element_of_type_.reserve(element.size());
    copy_to_device(element_of_type_.data(), element.data(), element.size(), stream_, "copying elements");
    check(cudaStreamSynchronize(stream_), "copying elements");
  }

  void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) override {
    select_device(device_);
    rows_ = {rows.n_rows, nullptr,         nullptr,           rows.table, rows.cutoff,
             rows.length, rows.row_stride, rows.entry_stride, rows.mask};
    if (any_renumbered(rows)) rows_.centre = rows.centre;
    tersoff_.set_ghosts({atoms.n_owned, atoms.owner});
    n_with_forces_ = atoms.owner ? atoms.n_owned : atoms.n_all;
    stale_ = true;
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    select_device(device_);
    const bool new_rows = std::exchange(stale_, true);    // stays stale if the computation fails
    tersoff_.check_forces(new_rows ? nullptr : atoms.x);  // of the step before, for which nobody may have waited
    constexpr auto add = TersoffDevice<Format>::Target::Add;
    const auto done =
        tersoff_.compute(rows_, new_rows, atoms.x, {atoms.type, element_of_type_.data(), several_elements_},
                         atoms.n_all, request, {results.force, add, n_with_forces_});
    if (!done.collected) tersoff_.collect(results.force, add, n_with_forces_);
    tallies_.queue(tersoff_, request, atoms.n_all, stream_);
    if (request.any()) {
      check(cudaStreamSynchronize(stream_), "computing forces");
      tersoff_.check_forces(atoms.x);
      tallies_.deliver(request, results);
    }
    stale_ = false;
  }

  std::string description() const override { return describe_device(device_); }

  double memory_usage() const override { return double(tallies_.bytes()); }

 private:
  /// True if centre[row] differs from row anywhere; the kernels are faster if not. Waits for the stream.
  bool any_renumbered(const NeighborListView &rows) {
    renumbered_.reserve(1);
    renumbered_[0] = 0;
    if (rows.n_rows)
      find_renumbered_kernel<<<blocks_for(rows.n_rows, tuning::elementwise_block), tuning::elementwise_block, 0,
                               stream_>>>(rows.n_rows, rows.centre, renumbered_.data());
    check(cudaGetLastError(), "looking at the neighbour list");
    check(cudaStreamSynchronize(stream_), "looking at the neighbour list");
    return renumbered_[0] != 0;
  }

  int device_;
  cudaStream_t stream_;
  TersoffDevice<Format> tersoff_;
  TallyCopies tallies_{1};
  bool stale_ = true;
  bool several_elements_ = false;  // a change of an atom's type can change its element
  DeviceNeighborList rows_ = {};
  int n_with_forces_ = 0;  // atoms that receive forces
  DeviceBuffer<int> element_of_type_{"elements"};
  PinnedBuffer<int> renumbered_{"flags"};
};

template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_device_format(const TersoffSetup &setup, int device, cudaStream_t stream) {
  return std::make_unique<TersoffDeviceBackend<Format>>(setup, device, stream);
}

}  // namespace cuda
}  // namespace triad
