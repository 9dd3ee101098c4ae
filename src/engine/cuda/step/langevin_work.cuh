// The work of the Langevin thermostats of a batch whose forces are tallied.
#pragma once

#include <algorithm>

#include "core/cuda/resources.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/step_batch.h"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// Bits of the groups of the Langevin thermostats of a batch; those of all atoms if one acts on all.
inline int noisy_bits(const StepBatch &batch) {
  int bits = 0;
  for (const LangevinThermostat &one : batch.langevin) {
    if (device_bit(one.force.group_bit) == 0) return one.force.group_bit;
    bits |= one.force.group_bit;
  }
  return bits;
}

/// Sums of each thermostat and each block of the kernel that adds the noise. All functions throw LoopError.
class LangevinWorkSums {
 public:
  explicit LangevinWorkSums(DeviceContext &device) : device_(device) {}

  /// Clears the sums for a batch, whose thermostats act on n atoms.
  void start(const StepBatch &batch, int n) {
    thermostats_ = static_cast<int>(batch.langevin.size());
    tallied_ = std::any_of(batch.langevin.begin(), batch.langevin.end(), [](const auto &one) { return one.work; });
    blocks_ = tallied_ ? blocks_for(n, tuning::step_block) : 0;
    if (size() == 0) return;
    sums_.reserve(size());
    host_.reserve(size());
    check(cudaMemsetAsync(sums_.data(), 0, size() * sizeof(LangevinWork), device_.stream()),
          "clearing work of thermostats");
  }
  /// True if a thermostat of the batch is tallied.
  bool tallied() const { return tallied_; }
  /// [blocks] the sums of a thermostat in device memory.
  LangevinWork *of(int thermostat) { return sums_.data() + std::size_t(blocks_) * thermostat; }
  /// Copies the sums over the completed steps to the host. Asynchronous.
  void copy() { copy_to_host(host_.data(), sums_.data(), size(), device_.stream(), "reading work of thermostats"); }
  /// Adds up what copy() has copied. The device must be idle.
  void finish(const StepBatch &batch) const {
    for (int t = 0; t < thermostats_; ++t) {
      LangevinWork *const work = batch.langevin[t].work;
      if (!work) continue;
      *work = LangevinWork();
      for (std::size_t b = std::size_t(blocks_) * t; b < std::size_t(blocks_) * (t + 1); ++b) {
        work->sum += host_[b].sum;
        work->last += host_[b].last;
      }
    }
  }

  std::size_t device_bytes() const { return sums_.bytes(); }

 private:
  std::size_t size() const { return std::size_t(thermostats_) * blocks_; }

  DeviceContext &device_;
  int thermostats_ = 0;
  bool tallied_ = false;
  unsigned blocks_ = 0;
  DeviceBuffer<LangevinWork> sums_{"work of thermostats"};
  PinnedBuffer<LangevinWork> host_{"work of thermostats"};
};

}  // namespace cuda
}  // namespace triad
