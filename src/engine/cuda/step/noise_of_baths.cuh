// Random numbers of thermostats, one per step of a batch, in device memory.
#pragma once

#include <algorithm>

#include "core/cuda/resources.cuh"
#include "dynamics/rescaling.h"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
class NoiseOfBaths {
 public:
  /// Begins a batch of n_steps steps with at most `most` thermostats that have such numbers. The device must have ended
  /// the batch before.
  void begin(std::size_t most, long long n_steps) {
    most_ = most;
    n_steps_ = n_steps;
    copied_ = 0;
  }
  /// Copies the numbers of one thermostat, [n_steps], and returns the copy in device memory; null if `noise` is null.
  /// Asynchronous.
  const BathNoise *copy(const BathNoise *noise, cudaStream_t stream) {
    if (!noise) return nullptr;
    noise_.reserve(most_ * n_steps_);
    host_.reserve(most_ * n_steps_);
    const std::size_t first = n_steps_ * copied_++;
    std::copy_n(noise, n_steps_, host_.data() + first);
    copy_to_device(noise_.data() + first, host_.data() + first, n_steps_, stream, "copying the noise of thermostats");
    return noise_.data() + first;
  }
  std::size_t bytes() const { return noise_.bytes(); }

 private:
  std::size_t most_ = 0, n_steps_ = 0, copied_ = 0;
  DeviceBuffer<BathNoise> noise_{"noise of thermostats"};
  PinnedBuffer<BathNoise> host_{"noise of thermostats"};
};

}  // namespace cuda
}  // namespace triad
