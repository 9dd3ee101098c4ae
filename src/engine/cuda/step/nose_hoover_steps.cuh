// A Nose-Hoover thermostat in the steps of a batch, perhaps with a barostat.
#pragma once

#include <algorithm>

#include "engine/cuda/lists/engine_lists.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/step/barostat_kernels.cuh"
#include "engine/cuda/step/combined_step_kernel.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// The chain is advanced on the device, or by the host where the host exchanges ghosts in each step. All functions do
/// nothing in a batch without thermostat, and throw LoopError.
template <class Format>
class NoseHooverSteps {
 public:
  NoseHooverSteps(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineGhosts<Format> &ghosts,
                  EngineLists<Format> &lists)
      : device_(device), tersoff_(tersoff), ghosts_(ghosts), lists_(lists) {}

  /// Copies the thermostat of the batch to the device and makes its first half step. Sets job.factors and job.box. Must
  /// follow StepLauncher::start_guard().
  void start(const StepBatch &batch, Advances advances, StepJob<Format> &job);

  /// Launches the thermostat's part of a step behind the forces. `last`: of the last step of the batch. `peers`: the
  /// GPUs of other ranks, if any.
  void launch(StepJob<Format> job, bool last, const Peers &peers);

  /// The same where the host exchanges ghosts in each step: the host sums over the ranks, if there is an exchange, and
  /// advances the chain. `step` counts from 1. Collective.
  void step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step, HaloExchange *exchange);

  /// Copies the thermostat's state back to the batch. The device must be idle.
  void finish(const StepBatch &batch, int n_owned);

  /// The thermostat of a started batch, for a kernel that also moves atoms.
  MovingThermostat moving(const StepJob<Format> &job) const {
    if (!job.factors) return {};
    return {thermostat_.data(), kinetic(blocks_for(job.state.n, tuning::kinetic_block))};
  }

  std::size_t device_bytes() const {
    return thermostat_.bytes() + kinetic_.bytes() + virial_.bytes() + list_shift_.bytes() + list_step_.bytes();
  }

 private:
  bool acts(const StepBatch &batch, int n_owned) const {
    return batch.nose_hoover && (advances_ == Advances::Host || n_owned > 0);
  }

  using Position = typename PositionOf<Format>::type;

  KineticOfBlocks kinetic(unsigned blocks) const { return {kinetic_.data(), blocks}; }
  VirialOfBlocks virial(unsigned blocks) const;
  void start_barostat(const HeldBarostat &barostat, StepJob<Format> &job);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineGhosts<Format> &ghosts_;
  EngineLists<Format> &lists_;
  const bool chains_ = chains_kernels();
  Advances advances_ = Advances::Device;
  DeviceBuffer<DeviceThermostat> thermostat_{"thermostat"};
  PinnedBuffer<DeviceThermostat> host_{"thermostat"};
  DeviceBuffer<double> kinetic_{"kinetic energies"}, virial_{"virials"};
  BoxImages<Position> images_;  // of a started batch with a barostat
  DeviceBuffer<Vec3<double>> list_shift_{"shifts of images"};
  DeviceBuffer<int> list_step_{"the step of a list"};
};

/// Argument of kernels of `blocks` blocks that sum the virials of the last forces.
template <class Format>
VirialOfBlocks NoseHooverSteps<Format>::virial(unsigned blocks) const {
  const unsigned of_forces = tersoff_.totals_blocks();
  return {tersoff_.block_totals(), of_forces, virial_.data(),
          std::min(blocks, blocks_for(of_forces, tuning::kinetic_block))};
}

template <class Format>
void NoseHooverSteps<Format>::start_barostat(const HeldBarostat &barostat, StepJob<Format> &job) {
  const char *const what = "starting the barostat";
  const std::vector<double> &shift = ghosts_.plan().shift;
  const std::size_t count = shift.size() / 3;
  virial_.reserve(3 * tuning::thermostat_blocks);
  list_shift_.reserve(count);
  list_step_.reserve(1);
  images_.shift = ghosts_.changing_shift();
  images_.count = static_cast<int>(count);
  for (std::size_t k = 0; k < 3 * count; ++k) {
    const double edge = barostat.high[k % 3] - barostat.low[k % 3];
    images_.edges[k / 3][k % 3] = static_cast<signed char>(std::lround(shift[k] / edge));
  }
  images_.list_shift = list_shift_.data();
  images_.list_step = list_step_.data();
  images_.reserve = lists_.image_reserve();
  images_.scale = tersoff_.scale();
  static_assert(sizeof(Vec3<double>) == 3 * sizeof(double), "rows of three numbers");
  copy_to_device(list_shift_.data(), reinterpret_cast<const Vec3<double> *>(lists_.list_shift().data()), count,
                 device_.stream(), what);
  copy_to_device(list_step_.data(), &device_.reports().guard.list_step, 1, device_.stream(), what);
  start_barostat_kernel<<<1, tuning::kinetic_block, 0, device_.stream()>>>(job.guard, thermostat_.data(), images_);
  job.box = &thermostat_.data()->batch.barostat.motion;
}

template <class Format>
void NoseHooverSteps<Format>::start(const StepBatch &batch, Advances advances, StepJob<Format> &job) {
  advances_ = advances;
  if (!acts(batch, job.state.n)) return;
  const cudaStream_t stream = device_.stream();
  thermostat_.reserve(1);
  host_.reserve(1);
  kinetic_.reserve(KineticSums::size * tuning::thermostat_blocks);
  host_[0] = {*batch.nose_hoover, {1, 1}};
  host_[0].batch.measured_bit = device_bit(batch.nose_hoover->measured_bit);
  const bool by_host = advances_ == Advances::Host;
  if (by_host) host_[0].factors[1] = host_[0].batch.thermostat.half_step(batch.first_step);
  copy_to_device(thermostat_.data(), host_.data(), 1, stream, "copying the thermostat");
  if (batch.changes_box())
    start_barostat(batch.nose_hoover->barostat, job);
  else if (!by_host)
    start_thermostat_kernel<<<1, 1, 0, stream>>>(thermostat_.data(), batch.first_step);
  check(cudaGetLastError(), "starting the thermostat");
  job.factors = thermostat_.data()->factors;
}

template <class Format>
void NoseHooverSteps<Format>::launch(StepJob<Format> job, bool last, const Peers &peers) {
  const int n = job.state.n;
  if (!job.factors || n == 0) return;
  job.gather = tersoff_.take_gather();
  const unsigned blocks = std::min(blocks_for(n, tuning::kinetic_block), unsigned(tuning::thermostat_blocks));
  const KineticOfBlocks sums = kinetic(blocks);
  const VirialOfBlocks virials = job.box ? virial(blocks) : VirialOfBlocks();
  constexpr int all = KineticSums::size, diagonal = KineticSums::n_diagonal;
  const auto launch_one = [&](unsigned count, const char *what, auto kernel, const auto &...arguments) {
    cuda::launch(chains_, count, tuning::kinetic_block, device_.stream(), what, kernel, arguments...);
  };
  const auto launch_both = [&](auto sum, auto chain, auto barostat) {
    launch_one(blocks, "measuring the temperature", sum, job, host_[0].batch.measured_bit, sums, virials);
    if (job.box)
      launch_one(1, "launching the barostat", barostat, job.guard, thermostat_.data(), sums, virials, images_, !last);
    else
      launch_one(1, "launching the thermostat", chain, job.guard, thermostat_.data(), sums, peers, !last, advances_);
  };
  if (last)
    launch_both(job.driving ? kinetic_step_kernel<Format, all, true> : kinetic_step_kernel<Format, all, false>,
                chain_kernel<all>, barostat_kernel<Position, all>);
  else
    launch_both(
        job.driving ? kinetic_step_kernel<Format, diagonal, true> : kinetic_step_kernel<Format, diagonal, false>,
        chain_kernel<diagonal>, barostat_kernel<Position, diagonal>);
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
void NoseHooverSteps<Format>::finish(const StepBatch &batch, int n_owned) {
  if (!acts(batch, n_owned)) return;
  if (advances_ == Advances::Device) {
    copy_to_host(host_.data(), thermostat_.data(), 1, device_.stream(), "reading the thermostat");
    device_.wait("reading the thermostat");
  }
  batch.nose_hoover->thermostat = host_[0].batch.thermostat;
  if (batch.changes_box()) {
    batch.nose_hoover->barostat = host_[0].batch.barostat;
    lists_.take_list_shift(list_shift_.data());
  }
  batch.nose_hoover->measured = host_[0].batch.measured;
}

}  // namespace cuda
}  // namespace triad
