// The heat current of the atoms of an engine, at present and in steps of a batch.
#pragma once

#include <algorithm>
#include <type_traits>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/heat_current_kernel.cuh"
#include "engine/step_batch.h"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class HeatCurrentSum {
 public:
  HeatCurrentSum(DeviceContext &device, TersoffDevice<Format> &tersoff) : device_(device), tersoff_(tersoff) {}

  /// This rank's part of MdEngine::heat_flow(), from a pruned list and positions of ghosts that are current.
  /// `ghost_velocity`: of EngineGhosts::forward_velocities(). Waits for the device.
  HeatFlow compute(const DeviceState<Format> &state, int group_bit, double kinetic_factor,
                   const double *ghost_velocity) {
    const std::size_t n_lists = tersoff_.bonds().size();
    reserve(n_lists);
    HeatJob<Format> job = {state, {}, true, device_bit(group_bit), kinetic_factor, ghost_velocity};
    launch(job, 0);
    copy(n_lists);
    device_.wait("summing the heat current");
    HeatFlow sum;
    for (std::size_t k = 0; k < n_lists; ++k) sum += sums_host_[k];
    return sum;
  }

  /// Prepares the samples of a batch. compute() must not be called until finish().
  void start(const StepBatch &batch) {
    samples_ = 0;
    for (const HeatSampling *one : batch.heat_samplings) samples_ += one->steps.size();
    if (samples_ == 0) return;
    reserve(samples_);
    check(cudaMemsetAsync(sums_.data(), 0, samples_ * sizeof(HeatFlow), device_.stream()), "summing the heat current");
  }
  /// Launches the samples at the end of a step, of the atoms in the state `state`, with the pruned list of that step.
  void launch_samples(const StepBatch &batch, std::int64_t step, const DeviceState<Format> &state,
                      const StepGuard *guard) {
    std::size_t before = 0;
    for (const HeatSampling *one : batch.heat_samplings) {
      const int index = one->index_of(step);
      HeatJob<Format> job = {state, {}, true, device_bit(one->group_bit), one->kinetic_factor, nullptr, guard};
      if (index >= 0) launch(job, before + index);
      before += one->steps.size();
    }
  }
  /// Copies the samples to the host. Asynchronous.
  void copy_samples() {
    if (samples_) copy(samples_);
  }
  /// Reads the samples of the completed steps. The device must be idle.
  void finish(const StepBatch &batch, long long completed) const {
    const HeatFlow *sum = sums_host_.data();
    for (HeatSampling *one : batch.heat_samplings) {
      one->sums.clear();
      for (const std::int64_t step : one->steps) {
        if (step < batch.first_step + completed) one->sums.push_back(*sum);
        ++sum;
      }
    }
  }

  std::size_t host_bytes() const { return sums_host_.bytes(); }
  std::size_t device_bytes() const { return blocks_.bytes() + sums_.bytes() + arrived_.bytes(); }

 private:
  unsigned most_blocks() const { return unsigned(tersoff_.multiprocessors()) * tuning::general_blocks_per_sm; }
  void reserve(std::size_t n_sums) {
    blocks_.reserve(most_blocks());
    sums_.reserve(n_sums);
    sums_host_.reserve(n_sums);
    if (arrived_.reserve(1))
      check(cudaMemsetAsync(arrived_.data(), 0, arrived_.bytes(), device_.stream()), "summing the heat current");
  }
  void copy(std::size_t n_sums) {
    copy_to_host(sums_host_.data(), sums_.data(), n_sums, device_.stream(), "summing the heat current");
  }
  /// Launches the sums of each list, from sum number `first` on. `job`: without bonds and output.
  void launch(HeatJob<Format> job, std::size_t first) {
    job.blocks = blocks_.data();
    job.sum = sums_.data() + first;
    job.arrived = arrived_.data();
    for (const ForceJob<Format> &bonds : tersoff_.bonds()) {
      job.bonds = bonds;
      job.bonds.position = job.state.at.position;
      const std::size_t lanes = std::size_t(tuning::heat_lanes) * bonds.list.n_rows;
      const unsigned blocks = std::clamp(blocks_for(lanes, tuning::general_block), 1u, most_blocks());
      tersoff_.with_model([&](const auto &model) {
        cuda::launch(false, blocks, tuning::general_block, device_.stream(), "summing the heat current",
                     heat_current_kernel<Format, std::decay_t<decltype(model)>>, model, job);
      });
      job.counts_atoms = false;
      ++job.sum;
    }
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  DeviceBuffer<HeatFlow> blocks_{"the heat current"}, sums_{"the heat current"};
  PinnedBuffer<HeatFlow> sums_host_{"the heat current"};
  DeviceBuffer<unsigned> arrived_{"the heat current"};
  std::size_t samples_ = 0;  // of start()
};

}  // namespace cuda
}  // namespace triad
