// A Nose-Hoover thermostat in the steps of a batch, perhaps with a barostat.
#pragma once

#include <algorithm>

#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/step/barostat_kernels.cuh"
#include "engine/cuda/step/changing_box.cuh"
#include "engine/cuda/step/force_consumers.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// The chain is advanced on the device, or by the host where the host exchanges ghosts in each step. All functions do
/// nothing in a batch without thermostat, and throw LoopError.
template <class Format>
class NoseHooverSteps {
 public:
  NoseHooverSteps(DeviceContext &device, TersoffDevice<Format> &tersoff, const ChangingBox<Format> &box)
      : device_(device), tersoff_(tersoff), box_(box) {}

  /// Copies the thermostat of the batch to the device and makes its first half step. Sets job.factors, and job.box in a
  /// batch with a barostat. Must follow ChangingBox::start().
  void start(const StepBatch &batch, Advances advances, StepJob<Format> &job);

  /// Launches the thermostat's part of a step behind the forces. `last`: of the last step of the batch. `peers`: the
  /// GPUs of other ranks, if any.
  void launch(StepJob<Format> job, bool last, const Peers &peers);

  /// Launches the forces and the thermostat's part of a step, which must not be the last one of the batch, on one rank.
  /// Requires CombinedLaunches::fit_many() and a batch without barostat.
  void launch_with_forces(const StepJob<Format> &job, CombinedLaunches<Format> &launches);

  /// As launch(), where the host exchanges ghosts in each step: the host sums over the ranks, if there is an exchange,
  /// and advances the chain. `step` counts from 1. Collective.
  void step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step, HaloExchange *exchange);

  /// Copies the thermostat's state to the host. Asynchronous.
  void copy(const StepBatch &batch, int n_owned);
  /// Gives the batch the state that copy() has copied. The device must be idle.
  void finish(const StepBatch &batch, int n_owned);

  /// The thermostat of a started batch, for a kernel that also moves atoms.
  MovingThermostat moving(const StepJob<Format> &job) const {
    if (!job.factors) return {};
    return {thermostat_.data(), kinetic(job.state.n).of_groups};
  }

  std::size_t device_bytes() const {
    return thermostat_.bytes() + kinetic_.bytes() + virial_.bytes() + arrived_.bytes();
  }

 private:
  bool acts(const StepBatch &batch, int n_owned) const {
    return batch.nose_hoover && (advances_ == Advances::Host || n_owned > 0);
  }

  using Position = typename PositionOf<Format>::type;

  KineticOfGroups kinetic(int n) const;
  VirialOfBlocks virial(unsigned blocks) const;
  void launch_chain(const StepJob<Format> &job, bool last, const Peers &peers);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  const ChangingBox<Format> &box_;
  const bool chains_ = chains_kernels();
  Advances advances_ = Advances::Device;
  bool has_barostat_ = false;  // of a started batch
  DeviceBuffer<DeviceThermostat> thermostat_{"thermostat"};
  PinnedBuffer<DeviceThermostat> host_{"thermostat"};
  DeviceBuffer<double> kinetic_{"kinetic energies"}, virial_{"virials"};
  DeviceBuffer<unsigned> arrived_{"counts of blocks"};
};

/// Argument of kernels that sum kinetic energies of n atoms.
template <class Format>
KineticOfGroups NoseHooverSteps<Format>::kinetic(int n) const {
  const unsigned blocks = blocks_for(n, tuning::kinetic_block), groups = KineticOfGroups::groups_of(blocks);
  return {{kinetic_.data() + KineticSums::size * std::size_t(groups), blocks},
          {kinetic_.data(), groups},
          KineticOfGroups::blocks_per_group(blocks),
          arrived_.data()};
}

/// Argument of kernels of `blocks` blocks that sum the virials of the last forces.
template <class Format>
VirialOfBlocks NoseHooverSteps<Format>::virial(unsigned blocks) const {
  const unsigned of_forces = tersoff_.totals_blocks();
  return {tersoff_.block_totals(), of_forces, virial_.data(),
          std::min(blocks, blocks_for(of_forces, tuning::kinetic_block))};
}

template <class Format>
void NoseHooverSteps<Format>::start(const StepBatch &batch, Advances advances, StepJob<Format> &job) {
  advances_ = advances;
  if (!acts(batch, job.state.n)) return;
  const cudaStream_t stream = device_.stream();
  thermostat_.reserve(1);
  host_.reserve(1);
  const unsigned blocks = blocks_for(job.state.n, tuning::kinetic_block), groups = KineticOfGroups::groups_of(blocks);
  kinetic_.reserve(KineticSums::size * (std::size_t(groups) + blocks));
  if (arrived_.reserve(groups))
    check(cudaMemsetAsync(arrived_.data(), 0, arrived_.bytes(), stream), "clearing counts of blocks");
  host_[0] = {*batch.nose_hoover, {1, 1}};
  host_[0].batch.measured_bit = device_bit(batch.nose_hoover->measured_bit);
  const bool by_host = advances_ == Advances::Host;
  if (by_host) host_[0].factors[1] = host_[0].batch.thermostat.half_step(batch.first_step);
  copy_to_device(thermostat_.data(), host_.data(), 1, stream, "copying the thermostat");
  has_barostat_ = batch.has_barostat();
  if (has_barostat_) {
    virial_.reserve(3 * std::size_t(blocks));
    start_barostat_kernel<<<1, tuning::kinetic_block, 0, stream>>>(job.guard, thermostat_.data(), box_.images(),
                                                                   box_.path());
    job.box = &thermostat_.data()->batch.barostat.motion;
  } else if (!by_host) {
    start_thermostat_kernel<<<1, 1, 0, stream>>>(thermostat_.data(), batch.first_step);
  }
  check(cudaGetLastError(), "starting the thermostat");
  job.factors = thermostat_.data()->factors;
}

template <class Format>
void NoseHooverSteps<Format>::launch(StepJob<Format> job, bool last, const Peers &peers) {
  const int n = job.state.n;
  if (!job.factors || n == 0) return;
  job.gather = tersoff_.take_gather();
  const KineticOfGroups sums = kinetic(n);
  const unsigned blocks = sums.of_blocks.blocks;
  const VirialOfBlocks virials = has_barostat_ ? virial(blocks) : VirialOfBlocks();
  constexpr int all = KineticSums::size, diagonal = KineticSums::n_diagonal;
  const auto launch_one = [&](unsigned count, const char *what, auto kernel, const auto &...arguments) {
    cuda::launch(chains_, count, tuning::kinetic_block, device_.stream(), what, kernel, arguments...);
  };
  const auto launch_both = [&](auto sum, auto barostat) {
    launch_one(blocks, "measuring the temperature", sum, job, host_[0].batch.measured_bit, sums, virials);
    if (has_barostat_)
      launch_one(1, "launching the barostat", barostat, job.guard, thermostat_.data(), sums.of_groups, virials, peers,
                 box_.images(), box_.path(), !last);
    else
      launch_chain(job, last, peers);
  };
  if (last)
    launch_both(job.driving ? kinetic_step_kernel<Format, all, true> : kinetic_step_kernel<Format, all, false>,
                barostat_kernel<Position, all>);
  else
    launch_both(
        job.driving ? kinetic_step_kernel<Format, diagonal, true> : kinetic_step_kernel<Format, diagonal, false>,
        barostat_kernel<Position, diagonal>);
}

template <class Format>
void NoseHooverSteps<Format>::launch_chain(const StepJob<Format> &job, bool last, const Peers &peers) {
  cuda::launch(chains_, 1, tuning::kinetic_block, device_.stream(), "launching the thermostat",
               last ? chain_kernel<KineticSums::size> : chain_kernel<KineticSums::n_diagonal>, job.guard,
               thermostat_.data(), kinetic(job.state.n).of_groups, peers, !last, advances_);
}

template <class Format>
void NoseHooverSteps<Format>::launch_with_forces(const StepJob<Format> &job, CombinedLaunches<Format> &launches) {
  launches.template launch<MeasureAtoms<Format>>(tersoff_.take_step_forces(job.guard),
                                                 {job, kinetic(job.state.n), host_[0].batch.measured_bit}, tersoff_,
                                                 chains_, device_.stream());
  launch_chain(job, false, Peers());
}

template <class Format>
void NoseHooverSteps<Format>::step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step,
                                           HaloExchange *exchange) {
  if (!job.factors) return;
  const cudaStream_t stream = device_.stream();
  DeviceThermostat &thermostat = host_[0];
  thermostat.batch.measured = KineticSums();
  launch(job, step == batch.n_steps, Peers());
  if (job.state.n) {
    copy_to_host(&thermostat.batch.measured, &thermostat_.data()->batch.measured, 1, stream, "summing temperatures");
    device_.wait("summing temperatures");
  }
  if (exchange) thermostat.batch.measured = exchange->sum(thermostat.batch.measured);
  HeldThermostat &held = thermostat.batch.thermostat;
  held.see(thermostat.batch.measured.mvv);
  thermostat.factors[0] = held.half_step(held.step);
  if (step < batch.n_steps) thermostat.factors[1] = held.half_step(held.step + 1);
  copy_to_device(thermostat_.data()->factors, thermostat.factors, 2, stream, "copying the thermostat");
}

template <class Format>
void NoseHooverSteps<Format>::copy(const StepBatch &batch, int n_owned) {
  if (acts(batch, n_owned) && advances_ == Advances::Device)
    copy_to_host(host_.data(), thermostat_.data(), 1, device_.stream(), "reading the thermostat");
}

template <class Format>
void NoseHooverSteps<Format>::finish(const StepBatch &batch, int n_owned) {
  if (!acts(batch, n_owned)) return;
  batch.nose_hoover->thermostat = host_[0].batch.thermostat;
  if (batch.has_barostat()) batch.nose_hoover->barostat = host_[0].batch.barostat;
  batch.nose_hoover->measured = host_[0].batch.measured;
}

}  // namespace cuda
}  // namespace triad
