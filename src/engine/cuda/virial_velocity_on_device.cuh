// The correlation of virials with velocities on a GPU. The last samples of all atoms are in device memory, by atom ID,
// so they stay valid where atoms are sorted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cuda/block_sums.cuh"
#include "engine/cuda/engine_parts.cuh"
#include "engine/virial_velocity.h"

namespace triad {
namespace cuda {

/// Stores a sample: the driving force in a field of 1 along an axis, which is the row of the virial, and the velocity.
template <class Format>
struct StoreSampleOp {
  DeviceState<Format> state;  ///< with driving forces in place of forces
  GatherJob<Format> gather;   ///< see DrivingForce::gather()
  int bit;                    ///< of the group; 0 for all atoms. Other atoms store zeros
  const std::int64_t *tag;    ///< [n] 1 to n in any order
  double *sample;             ///< [6][n] virial and velocity, by atom ID

  __device__ void operator()(std::size_t i) const {
    const std::size_t n = state.n, slot = tag[i] - 1;
    const bool counts = bit == 0 || (state.mask[i] & bit);
    const auto w = gather.reverse ? gather.with_stored_own(i, gather.slots(i)) : state.force.value(i);
    const auto v = state.velocity(i);
    const double values[6] = {from_accumulator(w.x), from_accumulator(w.y), from_accumulator(w.z), v.x, v.y, v.z};
    TRIAD_UNROLL
    for (int c = 0; c < 6; ++c) sample[c * n + slot] = counts ? values[c] : 0;
  }
};

/// Adds the products of the present sample with that of `lag` = blockIdx.x samples before.
static __global__ void __launch_bounds__(tuning::kinetic_block)
    correlate_kernel(const double *samples, std::size_t n, int now, int lags, double *sums) {
  const int lag = static_cast<int>(blockIdx.x);
  const double *const present = samples + 6 * n * now, *const past = samples + 6 * n * ((now - lag + lags) % lags);
  PartialSums<6> mine;  // of velocities later than the virial, and of earlier ones
  for (std::size_t i = threadIdx.x; i < n; i += tuning::kinetic_block) {
    TRIAD_UNROLL
    for (int d = 0; d < 3; ++d) {
      mine.v[d] += past[d * n + i] * present[(3 + d) * n + i];
      mine.v[3 + d] += present[d * n + i] * past[(3 + d) * n + i];
    }
  }
  mine = sum_over_block<tuning::kinetic_block>(mine);
  if (threadIdx.x != 0) return;
  TRIAD_UNROLL
  for (int d = 0; d < 3; ++d) {
    sums[3 * (lags - 1 + lag) + d] += mine.v[d];
    if (lag) sums[3 * (lags - 1 - lag) + d] += mine.v[3 + d];
  }
}

template <class Format>
class VirialVelocityOnDevice final : public VirialVelocity {
 public:
  /// Of the atoms of a group, whose IDs are 1 to n. `axis`: row of the virial.
  VirialVelocityOnDevice(EngineParts<Format> &parts, int group_bit, int axis, int lags)
      : p_(parts), bit_(device_bit(group_bit)), axis_(axis), lags_(lags), n_(parts.atoms.n()) {
    p_.device.select();
    samples_.reserve(6 * n_ * lags);
    sums_.reserve(n_sums());
    sums_host_.reserve(n_sums());
    clear();
  }

  void sample() override {
    p_.device.select();
    p_.motion.flush();
    if (!p_.lists.checked()) p_.ghosts.forward();
    p_.lists.keep_pruned_list();
    double direction[3] = {0, 0, 0};
    direction[axis_] = 1;
    p_.driving.launch(direction, nullptr);
    const int now = static_cast<int>(stored_ % lags_);
    p_.atoms.for_each(StoreSampleOp<Format>{p_.driving.state(), p_.driving.gather(), bit_,
                                            p_.langevin.tags(p_.atoms.arrays()), samples_.data() + 6 * n_ * now},
                      "storing virials and velocities");
    const auto present_lags = static_cast<unsigned>(std::min<long long>(stored_ + 1, lags_));
    correlate_kernel<<<present_lags, tuning::kinetic_block, 0, p_.device.stream()>>>(samples_.data(), n_, now, lags_,
                                                                                     sums_.data());
    check(cudaGetLastError(), "correlating virials and velocities");
    ++stored_;
  }

  void take_sums(double *sums) override {
    p_.device.select();
    copy_to_host(sums_host_.data(), sums_.data(), n_sums(), p_.device.stream(), "copying a correlation");
    p_.device.wait("copying a correlation");
    for (std::size_t k = 0; k < n_sums(); ++k) sums[k] += sums_host_[k];
    clear();
  }

  double device_bytes() const override { return double(samples_.bytes() + sums_.bytes()); }

 private:
  std::size_t n_sums() const { return 3 * (2 * std::size_t(lags_) - 1); }
  void clear() { check(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), p_.device.stream()), "clearing a correlation"); }

  EngineParts<Format> &p_;
  int bit_, axis_, lags_;
  std::size_t n_;
  long long stored_ = 0;
  DeviceBuffer<double> samples_{"virials and velocities"};  // [lags][6][n], sample s at s % lags
  DeviceBuffer<double> sums_{"a correlation"};
  PinnedBuffer<double> sums_host_{"a correlation"};
};

}  // namespace cuda
}  // namespace triad
