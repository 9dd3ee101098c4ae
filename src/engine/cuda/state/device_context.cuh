// The device and the stream of an engine, and the words through which kernels report to the host.
#pragma once

#include <atomic>
#include <cstring>

#include "core/cuda/resources.cuh"
#include "core/tuning.h"
#include "engine/cuda/state/step_state.cuh"
#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

/// Calls op(i) for the atoms of a group; bit 0 means all atoms.
template <class Op>
__global__ void for_group_kernel(std::size_t n, const int *mask, int bit, Op op) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < n && (bit == 0 || (mask[i] & bit))) op(i);
}

/// Bit of a group in the arguments of kernels, where 0 means all atoms. 1 is the bit of LAMMPS's group all.
inline int device_bit(int group_bit) { return group_bit == 1 ? 0 : group_bit; }

/// Words in page-locked memory through which kernels report to the host. StepGuard has those of a batch of steps. Zero
/// means that there is nothing to report; the words that name an atom hold 1 + its index.
struct Reports {
  int moved, beyond_limit, outside, crossed, bad_position, wild_atom, bad_pair_force;
  StepProgress progress;
  StepState steps;  ///< what is copied to DeviceContext::steps(), or from there
  BlockTotals totals;
};

/// All parts of an engine queue their work on one stream of one device.
class DeviceContext {
 public:
  /// Makes `device` current on this thread. Throws LoopError, as all functions here do.
  explicit DeviceContext(int device) : index_(select_device(device)) {
    reports_.reserve(1);
    std::memset(static_cast<void *>(reports_.data()), 0, sizeof(Reports));
    steps_.reserve(1);
    // A driver that does not know this attribute cannot say that the device is not shared.
    int mps = 0;
    shared_by_mps_ = cudaDeviceGetAttribute(&mps, cudaDevAttrMpsEnabled, index_) != cudaSuccess || mps != 0;
    cudaGetLastError();
  }

  int index() const { return index_; }
  /// Makes the device current on this thread.
  void select() const { select_device(index_); }
  /// True if kernels of other processes may run at the same time (NVIDIA's Multi-Process Service). The blocks of a
  /// kernel that fill the device alone are then not all resident, and must not wait for each other.
  bool shared_by_mps() const { return shared_by_mps_; }
  const Stream &stream() const { return stream_; }
  void wait(const char *what) const { stream_.wait(what); }

  /// Kernels may use the addresses of these words too.
  Reports &reports() const { return reports_[0]; }
  /// The state of the steps of a batch, in device memory.
  StepState *steps() const { return steps_.data(); }

  /// Launches op(i) for i in [0, n).
  template <class Op>
  void for_each(std::size_t n, const Op &op, const char *what) const {
    for_group(n, nullptr, 0, op, what);
  }
  /// Launches op(i) for those of n atoms whose `mask`, in device memory, has `bit`; 0 means all atoms.
  template <class Op>
  void for_group(std::size_t n, const int *mask, int bit, const Op &op, const char *what) const {
    if (n == 0) return;
    for_group_kernel<<<blocks_for(n, tuning::elementwise_block), tuning::elementwise_block, 0, stream_>>>(n, mask, bit,
                                                                                                          op);
    check(cudaGetLastError(), what);
  }

  std::size_t host_bytes() const { return reports_.bytes(); }

 private:
  int index_;
  bool shared_by_mps_;
  Stream stream_{true};  // has priority over the stream of PeerExchange::interior()
  PinnedBuffer<Reports> reports_{"reports of kernels"};
  DeviceBuffer<StepState> steps_{"the state of steps"};
};

/// The right to launch kernels on a device whose blocks all wait for each other. One engine of a process has it at a
/// time: two such kernels of engines in two threads could each fill a part of the device, and never end.
class WaitingGrids {
 public:
  /// `wanted`: false if the engine launches no such kernels. They must all be in `stream`.
  WaitingGrids(int device, cudaStream_t stream, bool wanted)
      : device_(device), stream_(stream), allowed_(wanted && device < most && !taken_[device].exchange(true)) {}
  WaitingGrids(const WaitingGrids &) = delete;
  WaitingGrids &operator=(const WaitingGrids &) = delete;
  /// Waits for the stream, which after an error may still have such kernels.
  ~WaitingGrids() {
    if (!allowed_) return;
    cudaStreamSynchronize(stream_);
    taken_[device_] = false;
  }
  bool allowed() const { return allowed_; }

 private:
  static constexpr int most = 64;
  static inline std::atomic<bool> taken_[most] = {};
  const int device_;
  const cudaStream_t stream_;
  const bool allowed_;
};

}  // namespace cuda
}  // namespace triad
