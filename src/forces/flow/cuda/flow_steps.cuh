// The sub-steps of shallow water on a device: queued in batches ahead of the host, which learns from copies of the
// control whether the interval has ended, or one at a time for several ranks.
#pragma once

#include <algorithm>

#include "forces/flow/cuda/flow_kernels.cuh"
#include "forces/flow/flow_backend.h"
#include "forces/flow/tuning.h"

namespace triad {
namespace cuda {

/// What the kernels work on; the reduction uses the slots, the edges, or the edges and the accumulators.
template <class Format>
struct FlowArrays {
  CellArrays<Format> cells;
  GatherSlots<typename Format::Real> gathered;
  EdgeArrays<typename Format::Real> edges;
  ColoredSlots<typename Format::Real> colored;
  BoundaryArrays<Format> boundary;
};

template <class Format>
class FlowSteps {
  using Real = typename Format::Real;
  using State = typename Format::Sum;
  using Arrays = FlowArrays<Format>;

 public:
  /// All work is queued on `stream` of the current device. Throws LoopError, as do the other functions.
  FlowSteps(const FlowSetup &setup, FlowReduction reduction, cudaStream_t stream)
      : setup_(setup), reduction_(reduction), stream_(stream), dependent_(supports_dependent_launch()) {
    control_.reserve(1);
    seen_.reserve(2);
  }

  /// As FlowBackend::rates(), for at least one cell.
  double rates(const Arrays &a, double time) {
    SubSteps steps;
    steps.start = time;
    start(FlowControl::begin(steps, false), a.cells);
    queue_rates(a);
    const FlowControl result = read_control();
    if (result.not_finite) throw_bad_flow_state();
    return result.limit;
  }

  /// Queues FlowBackend::update().
  void update(const Arrays &a, double dt) {
    FlowControl control = FlowControl::begin({}, false);
    control.step = dt;
    control.active = 1;
    write(control);
    queue_update(a);
  }

  /// As FlowBackend::advance() of a rank alone.
  bool advance(const Arrays &a, SubSteps &steps) {
    if (steps.finished()) return true;
    start(FlowControl::begin(steps, true), a.cells);
    const FlowControl result = run_batches(a);
    if (result.not_finite) throw_bad_flow_state();
    expected_ = std::max(1LL, result.steps.count - steps.count);
    steps = result.steps;
    return !result.stuck;
  }

 private:
  void write(const FlowControl &control) {
    check(cudaStreamSynchronize(stream_), "queueing sub-steps");  // the page-locked copy may be in use
    seen_[0] = control;
    copy_to_device(control_.data(), seen_.data(), 1, stream_, "queueing sub-steps");
  }
  /// Writes the control, and clears the sums that atomic operations add to.
  void start(const FlowControl &control, const CellArrays<Format> &cells) {
    write(control);
    if (reduction_ == FlowReduction::Atomic)
      check(cudaMemsetAsync(cells.rates, 0, cells.n * sizeof(*cells.rates), stream_), "clearing fluxes");
  }
  FlowControl read_control() {
    copy_to_host(seen_.data(), control_.data(), 1, stream_, "computing fluxes");
    check(cudaStreamSynchronize(stream_), "computing fluxes");
    return seen_[0];
  }

  /// Queues sub-steps until the interval has ended: first as many as the last interval had, then half as many as were
  /// queued before. The host waits for the batch before the last while more sub-steps are expected.
  FlowControl run_batches(const Arrays &a) {
    long long queued = 0;
    for (int batch = 0;; ++batch) {
      const long long ahead = std::clamp(std::max(expected_ - queued, queued / 2), 1LL, tuning::most_flow_batch);
      for (long long k = 0; k < ahead; ++k) {
        queue_rates(a);
        queue_update(a);
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
    launch(dependent_, blocks_for(n, tuning::flow_block), tuning::flow_block, stream_, what, kernel, arguments...);
  }

  void queue_rates(const Arrays &a) {
    if (setup_.flux == FlowFlux::Roe)
      queue_rates_of<FlowFlux::Roe>(a);
    else
      queue_rates_of<FlowFlux::Hll>(a);
  }
  template <FlowFlux flux>
  void queue_rates_of(const Arrays &a) {
    if (reduction_ == FlowReduction::Gather) {
      queue_boundary<flux, FlowReduction::Gather>(a);
      const FlowConstants<Real> constants = {Real(setup_.gravity), Real(setup_.dry)};
      launch_over(a.cells.n, "computing fluxes", gather_kernel<Format, flux>, a.gathered, a.cells, a.boundary.rows,
                  constants, control_.data());
    } else if (reduction_ == FlowReduction::Atomic) {
      queue_edges<flux, FlowReduction::Atomic>(a);
    } else {
      queue_edges<flux, FlowReduction::Colored>(a);
    }
  }
  template <FlowFlux flux, FlowReduction reduction>
  void queue_edges(const Arrays &a) {
    queue_boundary<flux, reduction>(a);
    const FlowConstants<Real> constants = {Real(setup_.gravity), Real(setup_.dry)};
    if (a.edges.n)
      launch_over(a.edges.n, "computing fluxes", edge_kernel<Format, flux, reduction>, a.edges, a.cells, a.colored,
                  constants, control_.data());
    launch_over(a.cells.n, "summing fluxes", sum_kernel<Format, reduction>, a.colored, a.cells, control_.data());
  }
  template <FlowFlux flux, FlowReduction reduction>
  void queue_boundary(const Arrays &a) {
    const FlowConstants<State> constants = {State(setup_.gravity), State(setup_.dry)};
    if (a.boundary.n)
      launch_over(a.boundary.n, "computing fluxes of the boundary", boundary_kernel<Format, flux, reduction>,
                  a.boundary, a.cells, a.colored, constants, control_.data());
  }
  void queue_update(const Arrays &a) {
    const std::size_t n = std::max(a.cells.n, a.boundary.n);
    if (reduction_ == FlowReduction::Atomic)
      launch_over(n, "advancing cells", update_kernel<Format, true>, a.cells, a.boundary, control_.data());
    else
      launch_over(n, "advancing cells", update_kernel<Format, false>, a.cells, a.boundary, control_.data());
  }

  const FlowSetup setup_;
  const FlowReduction reduction_;
  const cudaStream_t stream_;
  const bool dependent_;
  long long expected_ = 1;  // sub-steps of the last interval
  DeviceBuffer<FlowControl> control_{"the control of sub-steps"};
  PinnedBuffer<FlowControl> seen_{"the control of sub-steps"};
  Event copied_[2];  // batches of even and of odd number
};

}  // namespace cuda
}  // namespace triad
