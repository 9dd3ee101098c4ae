// The CUDA backend of shallow water: mesh and state on the device, copies to and from the host, also those of ghosts,
// which pass through page-locked memory. Included by one translation unit per precision.
#pragma once

#include <cub/device/device_reduce.cuh>
#include <limits>
#include <utility>

#include "core/cuda/host_arrays.cuh"
#include "forces/flow/cuda/flow_cuda.cuh"
#include "forces/flow/cuda/flow_mesh.cuh"
#include "forces/flow/cuda/flow_steps.cuh"
#include "forces/flow/tuning.h"

namespace triad {
namespace cuda {

template <class Format>
class FlowCuda final : public FlowBackend {
  using State = typename Format::Sum;

 public:
  FlowCuda(const FlowSetup &setup, int device, int n_threads)
      : setup_(setup),
        reduction_(setup.reduction == FlowReduction::Auto ? tuning::flow_reduction(setup.precision, setup.flux)
                                                          : setup.reduction),
        device_(select_device(device)),
        n_threads_(std::max(1, n_threads)),
        steps_(setup, reduction_, stream_) {
    rain_total_.reserve(1);
    rain_sum_.reserve(1);
  }

  void set_mesh(const RankMesh &mesh) override {
    select_device(device_);
    n_ = mesh.n_owned;
    n_all_ = mesh.n_all;
    std::vector<int> slot_of_boundary;
    edges_.set(mesh, reduction_, slot_of_boundary, stream_);
    boundary_.set(mesh, slot_of_boundary, stream_);
    upload(area_, std::vector<State>(mesh.area.begin(), mesh.area.end()), stream_);
    state_.reserve(n_all_);
    rates_.reserve(n_);
    fallen_.reserve(n_);
    clear(fallen_.data(), n_);
    FlowRow<State> *const rows = stage(n_all_);
    for (int c = 0; c < n_all_; ++c) rows[c] = {{State(0), State(0), State(0), State(mesh.bed[c])}};
    bed_.resize(n_);
    for (int c = 0; c < n_; ++c) bed_[c] = State(mesh.bed[c]);
    copy_to_device(state_.data(), rows, n_all_, stream_, "copying a mesh");
    has_manning_ = has_rain_ = has_fallen_ = false;
    sent_.clear();
    wait("copying a mesh");
  }

  void set_state(const double *rows) override {
    select_device(device_);
    FlowRow<State> *const staged = stage(n_);
    by_cells([&](int c) {
      const double *const row = rows + 4 * std::size_t(c);
      staged[c] = {{State(row[0]), State(row[1]), State(row[2]), bed_[c]}};
    });
    copy_to_device(state_.data(), staged, n_, stream_, "copying a state");
  }

  void get_state(double *rows) override {
    select_device(device_);
    const FlowRow<State> *const staged = stage(n_);
    copy_to_host(staging_.data(), state_.data(), n_, stream_, "copying a state");
    wait("copying a state");
    by_cells([&](int c) {
      for (int v = 0; v < 4; ++v) rows[4 * std::size_t(c) + v] = double(staged[c].value[v]);
    });
  }

  void set_sent(const std::vector<int> &cells) override {
    select_device(device_);
    sent_ = cells;
    upload(sent_cells_, cells, stream_);
    const std::size_t ghosts = n_all_ - n_;
    packed_.reserve(3 * std::max(cells.size(), ghosts));
    exchanged_.reserve(3 * std::max(cells.size(), ghosts));
  }
  void get_sent(double *values) override {
    const int n = int(sent_.size());
    if (!n) return;
    select_device(device_);
    launch(false, blocks_for(n, tuning::flow_block), tuning::flow_block, stream_, "packing ghosts", pack_kernel<State>,
           sent_cells_.data(), n, state_.data(), packed_.data());
    copy_to_host(exchanged_.data(), packed_.data(), 3 * std::size_t(n), stream_, "copying ghosts");
    wait("copying ghosts");
    std::copy_n(exchanged_.data(), 3 * std::size_t(n), values);
  }
  void set_ghosts(const double *values) override {
    const int n = n_all_ - n_;
    if (!n) return;
    select_device(device_);
    wait("copying ghosts");  // the last copy may still read the page-locked memory
    std::copy_n(values, 3 * std::size_t(n), exchanged_.data());
    copy_to_device(packed_.data(), exchanged_.data(), 3 * std::size_t(n), stream_, "copying ghosts");
    launch(false, blocks_for(n, tuning::flow_block), tuning::flow_block, stream_, "unpacking ghosts",
           unpack_kernel<State>, packed_.data(), n, state_.data() + n_);
  }

  void set_manning(const double *manning) override {
    has_manning_ = set_field(gn2_, [&](int c) { return State(setup_.gravity * manning[c] * manning[c]); });
  }
  void set_rain(const double *rain) override {
    has_rain_ = set_field(rain_, [&](int c) { return State(rain[c]); });
    has_fallen_ = has_fallen_ || has_rain_;
  }

  double rates(double time) override {
    if (!n_) return std::numeric_limits<double>::infinity();
    select_device(device_);
    return steps_.rates(arrays(), time);
  }
  void update(double dt) override {
    if (!n_) return;
    select_device(device_);
    steps_.update(arrays(), dt);
  }
  bool advance(SubSteps &steps, FlowRanks *ranks) override {
    if (ranks || !n_) return FlowBackend::advance(steps, ranks);
    select_device(device_);
    return steps_.advance(arrays(), steps);
  }

  FlowVolumes take_volumes() override {
    select_device(device_);
    FlowVolumes volumes = boundary_.take_volumes(stream_);
    if (std::exchange(has_fallen_, has_rain_) && n_) {
      std::size_t bytes = 0;
      check(cub::DeviceReduce::Sum(nullptr, bytes, fallen_.data(), rain_total_.data(), n_, stream_), "summing rain");
      scratch_.reserve(bytes);
      check(cub::DeviceReduce::Sum(scratch_.data(), bytes, fallen_.data(), rain_total_.data(), n_, stream_),
            "summing rain");
      copy_to_host(rain_sum_.data(), rain_total_.data(), 1, stream_, "summing rain");
      clear(fallen_.data(), n_);
      wait("summing rain");
      volumes.rain = rain_sum_[0];
    }
    return volumes;
  }

  std::string description() const override { return describe_device(device_) + ", " + name_of(reduction_); }

  double memory_usage() const override {
    return double(staging_.bytes()) + double(exchanged_.bytes()) + double(bed_.size()) * sizeof(State);
  }

 private:
  void wait(const char *what) const { stream_.wait(what); }

  template <class T>
  void clear(T *data, std::size_t n) {
    if (n) check(cudaMemsetAsync(data, 0, n * sizeof(T), stream_), "clearing an array");
  }

  /// Page-locked memory for n cells, after the copies that may still use it.
  FlowRow<State> *stage(std::size_t n) {
    wait("copying a state");
    staging_.reserve(n);
    return staging_.data();
  }
  template <class Work>
  void by_cells(Work &&work) const {
#pragma omp parallel for num_threads(n_threads_) schedule(static) if (n_ > tuning::threads_pay)
    for (int c = 0; c < n_; ++c) work(c);
  }

  /// Copies a number of each owned cell; returns whether any differs from 0.
  template <class Value>
  bool set_field(DeviceBuffer<State> &target, Value &&value) {
    select_device(device_);
    std::vector<State> values(n_);
    for (int c = 0; c < n_; ++c) values[c] = value(c);
    const bool any = std::any_of(values.begin(), values.end(), [](State v) { return v != 0; });
    if (any) upload(target, values, stream_);
    return any;
  }

  FlowArrays<Format> arrays() const {
    return {{state_.data(), rates_.data(), area_.data(), has_manning_ ? gn2_.data() : nullptr,
             has_rain_ ? rain_.data() : nullptr, fallen_.data(), n_, State(setup_.cfl), State(setup_.dry)},
            edges_.gathered(),
            edges_.edges(),
            edges_.colored(),
            boundary_.arrays()};
  }

  const FlowSetup setup_;
  const FlowReduction reduction_;
  const int device_, n_threads_;
  Stream stream_;
  FlowSteps<Format> steps_;

  int n_ = 0, n_all_ = 0;
  bool has_manning_ = false, has_rain_ = false;
  bool has_fallen_ = false;  // `fallen_` may differ from zeros
  std::vector<int> sent_;
  std::vector<State> bed_;  // [n_]
  FlowEdges<Format> edges_;
  FlowBoundary<Format> boundary_;
  DeviceBuffer<FlowRow<State>> state_{"states of cells"}, rates_{"rates of cells"};
  DeviceBuffer<State> area_{"areas"}, gn2_{"friction"}, rain_{"rain"};
  DeviceBuffer<double> fallen_{"rain"}, rain_total_{"rain"}, packed_{"ghosts"};
  DeviceBuffer<int> sent_cells_{"ghosts"};
  DeviceBuffer<char> scratch_{"a sum"};
  PinnedBuffer<FlowRow<State>> staging_{"states of cells"};
  PinnedBuffer<double> exchanged_{"ghosts"}, rain_sum_{"rain"};
};

template <class Format>
std::unique_ptr<FlowBackend> make_flow_cuda_format(const FlowSetup &setup, int device, int n_threads) {
  return std::make_unique<FlowCuda<Format>>(setup, device, n_threads);
}

}  // namespace cuda
}  // namespace triad
