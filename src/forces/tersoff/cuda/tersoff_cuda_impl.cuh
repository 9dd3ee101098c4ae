// The CUDA backend for host arrays: copies positions to the device in each step, the list when it is new, and forces
// back. One translation unit per precision includes this.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "forces/tersoff/cuda/tally_copies.cuh"
#include "forces/tersoff/cuda/tersoff_device_impl.cuh"
#include "forces/tersoff/cuda/tersoff_device_results_impl.cuh"

namespace triad {
namespace cuda {

template <class Format>
class TersoffCuda final : public TersoffBackend {
 public:
  TersoffCuda(const TersoffSetup &setup, int device, int n_threads)
      : setup_(setup),
        device_(select_device(device)),
        n_threads_(std::max(1, n_threads)),
        tersoff_(setup.table, stream_),
        tallies_(n_threads_) {}

  void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) override {
    select_device(device_);
    upload_rows(rows);
    element_.reserve(atoms.n_all);
    store_elements(atoms);
    upload_elements(atoms.n_all);
    check(cudaStreamSynchronize(stream_), "copying the neighbour list");
    stale_ = true;
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    select_device(device_);
    const std::size_t n = atoms.n_all;
    upload_positions(atoms);
    if (store_elements(atoms)) {
      upload_elements(atoms.n_all);
      stale_ = true;
    }
    const bool new_rows = std::exchange(stale_, true);  // stays stale if the computation fails
    tersoff_.compute(rows_, new_rows, x_device_.data(), element_device_.data(), atoms.n_all, request);
    stale_ = false;
    force_device_.reserve(3 * n);
    force_.reserve(3 * n);
    download(atoms, request, results);
  }

  std::string description() const override { return describe_device(device_); }

  double memory_usage() const override {
    return double(x_.bytes() + element_.bytes() + offset_.bytes() + centre_.bytes() + neighbour_.bytes() +
                  force_.bytes() + tallies_.bytes());
  }

 private:
  /// Copies the list to the device as one array, by way of page-locked memory.
  void upload_rows(const NeighborListView &rows) {
    const int n = rows.n_rows;
    offset_.reserve(static_cast<std::size_t>(n) + 1);
    centre_.reserve(n);
    bool identity = true;
    offset_[0] = 0;
    for (int r = 0; r < n; ++r) {
      centre_[r] = rows.centre[r];
      identity = identity && rows.centre[r] == r;
      offset_[r + 1] = offset_[r] + rows.length[rows.centre[r]];
    }
    const std::size_t entries = offset_[n];
    neighbour_.reserve(entries);
#pragma omp parallel for num_threads(n_threads_) schedule(static)
    for (int r = 0; r < n; ++r) {
      const int i = rows.centre[r];
      int *target = neighbour_.data() + offset_[r];
      const int *source = rows.first(i);
      for (int k = 0; k < rows.length[i]; ++k) target[k] = source[k * rows.entry_stride] & rows.mask;
    }
    offset_device_.reserve(static_cast<std::size_t>(n) + 1);
    centre_device_.reserve(n);
    neighbour_device_.reserve(entries);
    copy_to_device(offset_device_.data(), offset_.data(), static_cast<std::size_t>(n) + 1, stream_,
                   "copying the neighbour list");
    if (!identity) copy_to_device(centre_device_.data(), centre_.data(), n, stream_, "copying the neighbour list");
    copy_to_device(neighbour_device_.data(), neighbour_.data(), entries, stream_, "copying the neighbour list");
    rows_ = {n, identity ? nullptr : centre_device_.data(), offset_device_.data(), neighbour_device_.data(),
             rows.cutoff};
  }

  /// Stores the elements of all atoms in page-locked memory. Returns true if one has changed: fix atom/swap changes
  /// types while LAMMPS keeps its list.
  bool store_elements(const AtomsView &atoms) {
    int changes = 0;
#pragma omp parallel for num_threads(n_threads_) schedule(static) reduction(+ : changes)
    for (int i = 0; i < atoms.n_all; ++i) {
      const int element = setup_.type_to_element[atoms.type[i]];
      changes += element != element_[i];
      element_[i] = element;
    }
    return changes > 0;
  }

  void upload_elements(int n_all) {
    element_device_.reserve(n_all);
    copy_to_device(element_device_.data(), element_.data(), n_all, stream_, "copying atom types");
  }

  /// Calls work(begin, end) for chunks of [0, n).
  template <class Work>
  static void by_chunks(std::size_t n, Work &&work) {
    for (std::size_t begin = 0; begin < n; begin += tuning::copy_chunk)
      work(begin, std::min(n, begin + tuning::copy_chunk));
  }

  /// Fills page-locked memory in chunks, while the previous chunk is copied to the device.
  void upload_positions(const AtomsView &atoms) {
    const std::size_t n = 3 * static_cast<std::size_t>(atoms.n_all);
    x_.reserve(n);
    x_device_.reserve(n);
    by_chunks(n, [&](std::size_t begin, std::size_t end) {
#pragma omp parallel for num_threads(n_threads_) schedule(static)
      for (std::size_t k = begin; k < end; ++k) x_[k] = atoms.x[k];
      copy_to_device(x_device_.data() + begin, x_.data() + begin, end - begin, stream_, "copying positions");
    });
  }

  void download(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) {
    const std::size_t n = atoms.n_all;
    tersoff_.collect(force_device_.data());
    std::vector<Event> &events = chunk_events((3 * n + tuning::copy_chunk - 1) / tuning::copy_chunk + 1);
    events[0].record(stream_);
    std::size_t chunk = 1;
    by_chunks(3 * n, [&](std::size_t begin, std::size_t end) {
      copy_to_host(force_.data() + begin, force_device_.data() + begin, end - begin, stream_, "copying forces");
      events[chunk++].record(stream_);
    });
    tallies_.queue(tersoff_, request, n, stream_);

    events[0].wait("computing forces");
    tersoff_.check_forces(x_device_.data());
    chunk = 1;
    by_chunks(3 * n, [&](std::size_t begin, std::size_t end) {
      events[chunk++].wait("copying forces");
#pragma omp parallel for num_threads(n_threads_) schedule(static)
      for (std::size_t k = begin; k < end; ++k) results.force[k] += force_[k];
    });
    stream_.wait("copying results");
    tallies_.deliver(request, results);
  }

  std::vector<Event> &chunk_events(std::size_t n) {
    if (events_.size() < n) events_ = std::vector<Event>(n);
    return events_;
  }

  TersoffSetup setup_;
  int device_, n_threads_;
  Stream stream_;
  TersoffDevice<Format> tersoff_;
  TallyCopies tallies_;
  bool stale_ = true;
  DeviceNeighborList rows_ = {};
  std::vector<Event> events_;

  PinnedBuffer<double> x_{"positions"}, force_{"forces"};
  PinnedBuffer<int> element_{"elements"}, centre_{"the neighbour list"}, neighbour_{"the neighbour list"};
  PinnedBuffer<long long> offset_{"the neighbour list"};
  DeviceBuffer<double> x_device_{"positions"}, force_device_{"forces"};
  DeviceBuffer<int> element_device_{"elements"}, centre_device_{"the neighbour list"},
      neighbour_device_{"the neighbour list"};
  DeviceBuffer<long long> offset_device_{"the neighbour list"};
};

template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_cuda_format(const TersoffSetup &setup, int device, int n_threads) {
  return std::make_unique<TersoffCuda<Format>>(setup, device, n_threads);
}

}  // namespace cuda
}  // namespace triad
