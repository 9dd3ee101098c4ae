// A Nose-Hoover thermostat in the steps of a batch.
#pragma once

#include <algorithm>

#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// The chain is advanced on the device, or by the host where the host exchanges ghosts in each step. All functions do
/// nothing in a batch without thermostat, and throw LoopError.
template <class Format>
class NoseHooverSteps {
 public:
  NoseHooverSteps(DeviceContext &device, TersoffDevice<Format> &tersoff) : device_(device), tersoff_(tersoff) {}

  /// Copies the thermostat of the batch to the device and makes its first half step. Sets job.factors.
  void start(const StepBatch &batch, Advances advances, StepJob<Format> &job);

  /// Launches the thermostat's part of a step behind the forces. `last`: of the last step of the batch. `peers`: the
  /// GPUs of other ranks, if any.
  void launch(const StepBatch &batch, StepJob<Format> job, bool last, const Peers &peers);

  /// The same where the host exchanges ghosts in each step: the host sums over the ranks, if there is an exchange, and
  /// advances the chain. `step` counts from 1. Collective.
  void step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step, HaloExchange *exchange);

  /// Copies the thermostat's state back to the batch. The device must be idle.
  void finish(const StepBatch &batch, int n_owned);

  // Arguments of the kernel that makes several steps.
  DeviceThermostat *on_device() const { return thermostat_.data(); }
  KineticSums *blocks() const { return kinetic_.data(); }

  std::size_t device_bytes() const { return thermostat_.bytes() + kinetic_.bytes(); }

 private:
  bool acts(const StepBatch &batch, int n_owned) const {
    return batch.nose_hoover && (advances_ == Advances::Host || n_owned > 0);
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  const bool chains_ = chains_kernels();
  Advances advances_ = Advances::Device;
  DeviceBuffer<DeviceThermostat> thermostat_{"thermostat"};
  PinnedBuffer<DeviceThermostat> host_{"thermostat"};
  DeviceBuffer<KineticSums> kinetic_{"kinetic energies"};
};

template <class Format>
void NoseHooverSteps<Format>::start(const StepBatch &batch, Advances advances, StepJob<Format> &job) {
  advances_ = advances;
  if (!acts(batch, job.state.n)) return;
  const cudaStream_t stream = device_.stream();
  thermostat_.reserve(1);
  host_.reserve(1);
  kinetic_.reserve(tuning::kinetic_blocks);
  host_[0] = {*batch.nose_hoover, {1, 1}, 0};
  host_[0].batch.measured_bit = device_bit(batch.nose_hoover->measured_bit);
  const bool by_host = advances_ == Advances::Host;
  if (by_host) host_[0].factors[1] = half_step(host_.data(), batch.first_step);
  copy_to_device(thermostat_.data(), host_.data(), 1, stream, "copying the thermostat");
  if (!by_host) start_thermostat_kernel<<<1, 1, 0, stream>>>(thermostat_.data(), batch.first_step);
  check(cudaGetLastError(), "starting the thermostat");
  job.factors = thermostat_.data()->factors;
}

template <class Format>
void NoseHooverSteps<Format>::launch(const StepBatch &batch, StepJob<Format> job, bool last, const Peers &peers) {
  const int n = job.state.n;
  if (!job.factors || n == 0) return;
  job.gather = tersoff_.take_gather();
  const unsigned blocks = std::min(blocks_for(n, tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
  constexpr int all = KineticSums::size, diagonal = KineticSums::n_diagonal;
  const auto launch_kernel = [&](auto kernel) {
    cuda::launch(chains_, blocks, tuning::kinetic_block, device_.stream(), "launching the thermostat", kernel, job,
                 thermostat_.data(), kinetic_.data(), peers, batch.first_step, !last, advances_);
  };
  if (job.driving)
    return launch_kernel(last ? thermostat_kernel<Format, all, true> : thermostat_kernel<Format, diagonal, true>);
  launch_kernel(last ? thermostat_kernel<Format, all, false> : thermostat_kernel<Format, diagonal, false>);
}

template <class Format>
void NoseHooverSteps<Format>::step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step,
                                           HaloExchange *exchange) {
  if (!job.factors) return;
  const cudaStream_t stream = device_.stream();
  DeviceThermostat &thermostat = host_[0];
  thermostat.batch.measured = KineticSums();
  launch(batch, job, step == batch.n_steps, Peers());
  if (job.state.n) {
    copy_to_host(&thermostat.batch.measured, &thermostat_.data()->batch.measured, 1, stream, "summing temperatures");
    device_.wait("summing temperatures");
  }
  const KineticSums mine = thermostat.batch.measured;
  advance_chain(&thermostat, exchange ? exchange->sum(mine) : mine, batch.first_step + step - 1, step < batch.n_steps);
  copy_to_device(thermostat_.data()->factors, thermostat.factors, 2, stream, "copying the thermostat");
}

template <class Format>
void NoseHooverSteps<Format>::finish(const StepBatch &batch, int n_owned) {
  if (!acts(batch, n_owned)) return;
  if (advances_ == Advances::Device) {
    copy_to_host(host_.data(), thermostat_.data(), 1, device_.stream(), "reading the thermostat");
    device_.wait("reading the thermostat");
  }
  batch.nose_hoover->thermostat = host_[0].batch.thermostat;
  batch.nose_hoover->measured = host_[0].batch.measured;
}

}  // namespace cuda
}  // namespace triad
