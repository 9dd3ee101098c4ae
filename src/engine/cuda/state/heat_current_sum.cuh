// The heat current of the atoms of an engine, at present and in steps of a batch.
#pragma once

#include <algorithm>
#include <type_traits>

#include "engine/cuda/ghosts/peer_exchange.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/heat_current_kernel.cuh"
#include "engine/step_batch.h"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class HeatCurrentSum {
 public:
  HeatCurrentSum(DeviceContext &device, TersoffDevice<Format> &tersoff, PeerExchange<Format> &peers)
      : device_(device), tersoff_(tersoff), peers_(peers) {}

  /// This rank's part of MdEngine::heat_flow(), from a pruned list and positions of ghosts that are current.
  /// `ghost_velocity`: of EngineGhosts::forward_velocities(). Waits for the device.
  HeatFlow compute(const DeviceState<Format> &state, int group_bit, double kinetic_factor, AtomVirial kind,
                   const double *ghost_velocity) {
    reserve(1);
    launch({state, {}, true, device_bit(group_bit), kinetic_factor, ghost_velocity}, kind, 0);
    copy(1);
    device_.wait("summing the heat current");
    return sum(0);
  }

  /// Prepares the samples of a batch. compute() must not be called until finish().
  void start(const StepBatch &batch) {
    samples_ = 0;
    for (const HeatSampling *one : batch.heat_samplings) samples_ += one->steps.size();
    if (samples_ == 0) return;
    reserve(samples_);
  }
  /// Launches the samples at the end of a step, of the atoms in the state `state`, with the pruned list of that step.
  /// Writes the positions of ghosts of other ranks into state.at.position, after those of the owned atoms.
  void launch_samples(const StepBatch &batch, std::int64_t step, const DeviceState<Format> &state, StepGuard *guard) {
    std::size_t before = 0;
    for (const HeatSampling *one : batch.heat_samplings) {
      const int index = one->index_of(step), bit = device_bit(one->group_bit);
      if (index >= 0) {
        const double *const ghosts = peers_.exchange_velocities(state.at.position, {state, bit}, guard);
        launch({state, {}, true, bit, one->kinetic_factor, ghosts, guard}, one->kind, before + index);
      }
      before += one->steps.size();
    }
  }
  /// Copies the samples to the host. Asynchronous.
  void copy_samples() {
    if (samples_) copy(samples_);
  }
  /// Reads the samples of the completed steps. The device must be idle.
  void finish(const StepBatch &batch, long long completed) const {
    std::size_t number = 0;
    for (HeatSampling *one : batch.heat_samplings) {
      one->sums.clear();
      for (const std::int64_t step : one->steps) {
        if (step < batch.first_step + completed) one->sums.push_back(sum(number));
        ++number;
      }
    }
  }

  std::size_t host_bytes() const { return sums_host_.bytes(); }
  std::size_t device_bytes() const { return blocks_.bytes() + sums_.bytes() + arrived_.bytes(); }

 private:
  unsigned most_blocks() const { return unsigned(tersoff_.multiprocessors()) * tuning::general_blocks_per_sm; }
  /// Reserves and clears sums.
  void reserve(std::size_t n_sums) {
    blocks_.reserve(most_blocks());
    sums_.reserve(most_lists * n_sums);
    sums_host_.reserve(most_lists * n_sums);
    check(cudaMemsetAsync(sums_.data(), 0, most_lists * n_sums * sizeof(HeatFlow), device_.stream()),
          "summing the heat current");
    reserve_cleared(arrived_, 1, device_.stream(), "summing the heat current");
  }
  void copy(std::size_t n_sums) {
    copy_to_host(sums_host_.data(), sums_.data(), most_lists * n_sums, device_.stream(), "summing the heat current");
  }
  /// Sum number `number` on the host.
  HeatFlow sum(std::size_t number) const {
    HeatFlow all;
    for (std::size_t k = 0; k < most_lists; ++k) all += sums_host_[most_lists * number + k];
    return all;
  }
  /// Launches sum number `number`, one part of it per list. `job`: without bonds and output.
  void launch(HeatJob<Format> job, AtomVirial kind, std::size_t number) {
    job.blocks = blocks_.data();
    job.sum = sums_.data() + most_lists * number;
    job.arrived = arrived_.data();
    for (const ForceJob<Format> &bonds : tersoff_.bonds()) {
      job.bonds = bonds;
      job.bonds.position = job.state.at.position;
      const std::size_t lanes = std::size_t(tuning::heat_lanes) * bonds.list.n_rows;
      const unsigned blocks = std::clamp(blocks_for(lanes, tuning::general_block), 1u, most_blocks());
      tersoff_.with_model([&](const auto &model) {
        using Model = std::decay_t<decltype(model)>;
        const auto kernel = kind == AtomVirial::Centroid ? heat_current_kernel<Format, Model, AtomVirial::Centroid>
                                                         : heat_current_kernel<Format, Model, AtomVirial::Thirds>;
        cuda::launch(false, blocks, tuning::general_block, device_.stream(), "summing the heat current", kernel, model,
                     job);
      });
      job.counts_atoms = false;
      ++job.sum;
    }
  }

  static constexpr std::size_t most_lists = 2;  // of TersoffDevice::bonds()

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  PeerExchange<Format> &peers_;
  DeviceBuffer<HeatFlow> blocks_{"the heat current"}, sums_{"the heat current"};
  PinnedBuffer<HeatFlow> sums_host_{"the heat current"};
  DeviceBuffer<unsigned> arrived_{"the heat current"};
  std::size_t samples_ = 0;  // of start()
};

}  // namespace cuda
}  // namespace triad
