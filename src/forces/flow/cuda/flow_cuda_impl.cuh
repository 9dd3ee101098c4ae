// The CUDA backend of shallow water. Mesh and state are on the device. Sub-steps of a rank alone are queued in batches
// ahead of the host, which learns from copies of the control whether the interval has ended; sub-steps of several ranks
// wait for the host once each, which exchanges ghosts through page-locked memory. Included by one translation unit per
// precision.
#pragma once

#include <cub/device/device_reduce.cuh>
#include <limits>
#include <utility>

#include "core/cuda/host_arrays.cuh"
#include "forces/flow/cuda/flow_cuda.cuh"
#include "forces/flow/cuda/flow_kernels.cuh"
#include "forces/flow/cuda/flow_mesh.cuh"
#include "forces/flow/tuning.h"

namespace triad {
namespace cuda {

template <class Format>
class FlowCuda final : public FlowBackend {
  using Real = typename Format::Real;
  using State = typename Format::Sum;

 public:
  FlowCuda(const FlowSetup &setup, int device, int n_threads)
      : setup_(setup),
        reduction_(setup.reduction == FlowReduction::Auto ? tuning::flow_reduction : setup.reduction),
        device_(select_device(device)),
        n_threads_(std::max(1, n_threads)),
        chained_(chains_kernels()) {
    control_.reserve(1);
    seen_.reserve(2);
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
    n_boundary_ = int(mesh.boundary.size());
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
    expected_ = 1;
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
    SubSteps steps;
    steps.start = time;
    start(FlowControl::begin(steps, false));
    queue_rates();
    const FlowControl result = read_control();
    if (result.not_finite) throw_bad_flow_state();
    return result.limit;
  }

  void update(double dt) override {
    if (!n_) return;
    select_device(device_);
    FlowControl control = FlowControl::begin({}, false);
    control.step = dt;
    control.active = 1;
    write(control);
    queue_update();
  }

  bool advance(SubSteps &steps, FlowRanks *ranks) override {
    if (ranks || !n_) return FlowBackend::advance(steps, ranks);
    if (steps.finished()) return true;
    select_device(device_);
    start(FlowControl::begin(steps, true));
    const FlowControl result = run_batches();
    if (result.not_finite) throw_bad_flow_state();
    expected_ = std::max(1LL, result.steps.count - steps.count);
    steps = result.steps;
    return !result.stuck;
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

  CellArrays<Format> cells() const {
    return {state_.data(),
            rates_.data(),
            area_.data(),
            has_manning_ ? gn2_.data() : nullptr,
            has_rain_ ? rain_.data() : nullptr,
            fallen_.data(),
            n_,
            State(setup_.cfl),
            State(setup_.dry)};
  }

  // ---- the control of sub-steps

  void write(const FlowControl &control) {
    wait("queueing sub-steps");  // the page-locked copy may be in use
    seen_[0] = control;
    copy_to_device(control_.data(), seen_.data(), 1, stream_, "queueing sub-steps");
  }
  /// Writes the control, and clears the sums that atomic operations add to.
  void start(const FlowControl &control) {
    write(control);
    if (reduction_ == FlowReduction::Atomic) clear(rates_.data(), n_);
  }
  FlowControl read_control() {
    copy_to_host(seen_.data(), control_.data(), 1, stream_, "computing fluxes");
    wait("computing fluxes");
    return seen_[0];
  }

  /// Queues sub-steps until the interval has ended: first as many as the last interval had, then half as many as were
  /// queued before. The host waits for the batch before the last while more sub-steps are expected.
  FlowControl run_batches() {
    long long queued = 0;
    for (int batch = 0;; ++batch) {
      const long long ahead = std::clamp(std::max(expected_ - queued, queued / 2), 1LL, tuning::most_flow_batch);
      for (long long k = 0; k < ahead; ++k) {
        queue_rates();
        queue_update();
      }
      queued += ahead;
      const int current = batch % 2;
      copy_to_host(&seen_[current], control_.data(), 1, stream_, "advancing cells");
      copied_[current].record(stream_);
      const bool may_have_ended = queued >= expected_;
      if (!may_have_ended && batch == 0) continue;
      const int waited = may_have_ended ? current : 1 - current;
      copied_[waited].wait("advancing cells");
      if (seen_[waited].finished) return seen_[waited];
    }
  }

  template <class Kernel, class... Arguments>
  void launch_over(std::size_t n, const char *what, Kernel kernel, const Arguments &...arguments) {
    launch(chained_, blocks_for(n, tuning::flow_block), tuning::flow_block, stream_, what, kernel, arguments...);
  }

  void queue_rates() {
    if (setup_.flux == FlowFlux::Roe)
      queue_rates_of<FlowFlux::Roe>();
    else
      queue_rates_of<FlowFlux::Hll>();
  }
  template <FlowFlux flux>
  void queue_rates_of() {
    if (reduction_ == FlowReduction::Gather) {
      queue_boundary<flux, FlowReduction::Gather>();
      const FlowConstants<Real> constants = {Real(setup_.gravity), Real(setup_.dry)};
      launch_over(n_, "computing fluxes", gather_kernel<Format, flux>, edges_.gathered(), cells(),
                  boundary_.arrays().rows, constants, control_.data());
    } else if (reduction_ == FlowReduction::Atomic) {
      queue_edges<flux, FlowReduction::Atomic>();
    } else {
      queue_edges<flux, FlowReduction::Colored>();
    }
  }
  template <FlowFlux flux, FlowReduction reduction>
  void queue_edges() {
    queue_boundary<flux, reduction>();
    const FlowConstants<Real> constants = {Real(setup_.gravity), Real(setup_.dry)};
    const EdgeArrays<Real> edges = edges_.edges();
    if (edges.n)
      launch_over(edges.n, "computing fluxes", edge_kernel<Format, flux, reduction>, edges, cells(), edges_.colored(),
                  constants, control_.data());
    launch_over(n_, "summing fluxes", sum_kernel<Format, reduction>, edges_.colored(), cells(), control_.data());
  }
  template <FlowFlux flux, FlowReduction reduction>
  void queue_boundary() {
    const FlowConstants<State> constants = {State(setup_.gravity), State(setup_.dry)};
    if (n_boundary_)
      launch_over(n_boundary_, "computing fluxes of the boundary", boundary_kernel<Format, flux, reduction>,
                  boundary_.arrays(), cells(), edges_.colored(), constants, control_.data());
  }
  void queue_update() {
    const std::size_t n = std::max(n_, n_boundary_);
    if (reduction_ == FlowReduction::Atomic)
      launch_over(n, "advancing cells", update_kernel<Format, true>, cells(), boundary_.arrays(), control_.data());
    else
      launch_over(n, "advancing cells", update_kernel<Format, false>, cells(), boundary_.arrays(), control_.data());
  }

  const FlowSetup setup_;
  const FlowReduction reduction_;
  const int device_, n_threads_;
  const bool chained_;
  Stream stream_;

  int n_ = 0, n_all_ = 0, n_boundary_ = 0;
  bool has_manning_ = false, has_rain_ = false;
  bool has_fallen_ = false;  // `fallen_` may differ from zeros
  long long expected_ = 1;   // sub-steps of the last interval
  std::vector<int> sent_;
  std::vector<State> bed_;  // [n_]
  FlowEdges<Format> edges_;
  FlowBoundary<Format> boundary_;
  DeviceBuffer<FlowRow<State>> state_{"states of cells"}, rates_{"rates of cells"};
  DeviceBuffer<State> area_{"areas"}, gn2_{"friction"}, rain_{"rain"};
  DeviceBuffer<double> fallen_{"rain"}, rain_total_{"rain"}, packed_{"ghosts"};
  DeviceBuffer<int> sent_cells_{"ghosts"};
  DeviceBuffer<char> scratch_{"a sum"};
  DeviceBuffer<FlowControl> control_{"the control of sub-steps"};
  PinnedBuffer<FlowControl> seen_{"the control of sub-steps"};
  PinnedBuffer<FlowRow<State>> staging_{"states of cells"};
  PinnedBuffer<double> exchanged_{"ghosts"}, rain_sum_{"rain"};
  Event copied_[2];  // batches of even and of odd number
};

template <class Format>
std::unique_ptr<FlowBackend> make_flow_cuda_format(const FlowSetup &setup, int device, int n_threads) {
  return std::make_unique<FlowCuda<Format>>(setup, device, n_threads);
}

}  // namespace cuda
}  // namespace triad
