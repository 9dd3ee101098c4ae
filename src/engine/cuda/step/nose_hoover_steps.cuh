// Nose-Hoover thermostats in the steps of a batch, perhaps one with a barostat.
#pragma once

#include <algorithm>

#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/step/barostat_kernels.cuh"
#include "engine/cuda/step/changing_box.cuh"
#include "engine/cuda/step/force_consumers.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "engine/cuda/terms/engine_terms.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// The chains are advanced on the device, or by the host where the host exchanges ghosts in each step. All functions do
/// nothing in a batch without thermostat, and throw LoopError.
template <class Format>
class NoseHooverSteps {
 public:
  NoseHooverSteps(DeviceContext &device, TersoffDevice<Format> &tersoff, const EngineTerms<Format> &terms,
                  const ChangingBox<Format> &box)
      : device_(device), tersoff_(tersoff), terms_(terms), box_(box) {}

  /// Copies the thermostats of the batch to the device and makes their first half steps. Sets job.factors, and job.box
  /// in a batch with a barostat. Must follow ChangingBox::start().
  void start(const StepBatch &batch, Advances advances, StepJob<Format> &job);

  /// Launches the thermostats' part of a step behind the forces. `last`: of the last step of the batch. `peers`: the
  /// GPUs of other ranks, if any.
  void launch(StepJob<Format> job, bool last, const Peers &peers);

  /// Launches the forces and the thermostat's part of a step, which must not be the last one of the batch, on one rank.
  /// Requires CombinedLaunches::fit_many() and a batch with one thermostat, without barostat.
  void launch_with_forces(const StepJob<Format> &job, CombinedLaunches<Format> &launches);

  /// As launch(), where the host exchanges ghosts in each step: the host sums over the ranks, if there is an exchange,
  /// and advances the chains. `step` counts from 1. Collective.
  void step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step, HaloExchange *exchange);

  /// The box of the barostat of a started batch in device memory, or null without a barostat.
  const Box *box() const { return has_barostat_ ? &thermostats_.data()->barostat.box : nullptr; }
  /// Copies the state of the thermostats to the host. Asynchronous.
  void copy(const StepBatch &batch, int n_owned);
  /// Gives the batch the state that copy() has copied, and sets result.boxes. The device must be idle.
  void finish(const StepBatch &batch, int n_owned, BatchResult &result);

  /// The thermostat of a started batch that has only one, for a kernel that also moves atoms.
  MovingThermostat moving(const StepJob<Format> &job) const {
    if (!job.factors || job.n_thermostats != 1) return {};
    return {thermostats_.data(), kinetic(job.state.n).of_groups};
  }

  std::size_t device_bytes() const {
    return thermostats_.bytes() + factors_.bytes() + kinetic_.bytes() + virial_.bytes() + arrived_.bytes() +
           boxes_.bytes();
  }

 private:
  bool acts(const StepBatch &batch, int n_owned) const {
    return !batch.nose_hoover.empty() && (advances_ == Advances::Host || n_owned > 0);
  }

  using Position = typename PositionOf<Format>::type;

  KineticOfGroups kinetic(int n) const;
  VirialOfBlocks virial(unsigned blocks) const;
  void launch_chain(int number, const StepJob<Format> &job, bool last, const Peers &peers);
  /// Makes room for n numbers. New memory is 0. Asynchronous.
  template <class Number>
  void reserve_zeros(DeviceBuffer<Number> &buffer, std::size_t n) {
    if (buffer.reserve(n))
      check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), device_.stream()), "starting the thermostats");
  }
  double *factors(int number) const { return factors_.data() + 2 * number; }
  void copy_factors() {
    copy_to_device(factors_.data(), factors_host_.data(), 2 * std::size_t(count_), device_.stream(),
                   "copying the thermostats");
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  const EngineTerms<Format> &terms_;
  const ChangingBox<Format> &box_;
  const bool dependent_ = supports_dependent_launch();
  Advances advances_ = Advances::Device;
  int count_ = 0;  // thermostats of a started batch
  bool has_barostat_ = false, keeps_boxes_ = false;
  DeviceBuffer<NoseHooverBatch> thermostats_{"thermostats"};
  PinnedBuffer<NoseHooverBatch> host_{"thermostats"};
  DeviceBuffer<double> factors_{"thermostats"};  // of StepJob
  PinnedBuffer<double> factors_host_{"thermostats"};
  DeviceBuffer<double> kinetic_{"kinetic energies"}, virial_{"virials"};
  DeviceBuffer<unsigned> arrived_{"counts of blocks"};
  DeviceBuffer<Box> boxes_{"boxes"};
  PinnedBuffer<Box> boxes_host_{"boxes"};
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
  return {tersoff_.block_totals(), of_forces,
          virial_.data(),          std::min(blocks, blocks_for(of_forces, tuning::kinetic_block)),
          terms_.sums(),           terms_.n_sums()};
}

template <class Format>
void NoseHooverSteps<Format>::start(const StepBatch &batch, Advances advances, StepJob<Format> &job) {
  advances_ = advances;
  has_barostat_ = batch.has_barostat();
  if (!acts(batch, job.state.n)) return;
  const cudaStream_t stream = device_.stream();
  count_ = static_cast<int>(batch.nose_hoover.size());
  thermostats_.reserve(count_);
  host_.reserve(count_);
  factors_.reserve(2 * std::size_t(count_));
  factors_host_.reserve(2 * std::size_t(count_));
  const unsigned blocks = blocks_for(job.state.n, tuning::kinetic_block), groups = KineticOfGroups::groups_of(blocks);
  // Kernels behind a stop read sums that no kernel has written, and do not use them.
  reserve_zeros(kinetic_, KineticSums::size * (std::size_t(groups) + blocks));
  reserve_zeros(arrived_, groups);
  const bool by_host = advances_ == Advances::Host;
  for (int k = 0; k < count_; ++k) {
    host_[k] = *batch.nose_hoover[k];
    host_[k].measured_bit = device_bit(host_[k].measured_bit);
    factors_host_[2 * k] = 1;
    factors_host_[2 * k + 1] = by_host ? host_[k].thermostat.half_step(batch.first_step) : 1;
  }
  copy_to_device(thermostats_.data(), host_.data(), count_, stream, "copying the thermostats");
  copy_factors();
  keeps_boxes_ = has_barostat_ && batch.samples_boxes;
  if (keeps_boxes_) {
    boxes_.reserve(batch.n_steps);
    boxes_host_.reserve(batch.n_steps);
  }
  if (has_barostat_) {
    reserve_zeros(virial_, 3 * std::size_t(blocks));
    start_barostat_kernel<<<1, tuning::box_block, 0, stream>>>(job.guard, thermostats_.data(), box_.images(),
                                                               box_.path());
    job.box = &thermostats_.data()->barostat.motion;
  } else if (!by_host) {
    for (int k = 0; k < count_; ++k)
      start_thermostat_kernel<<<1, 1, 0, stream>>>(thermostats_.data() + k, factors(k), batch.first_step);
  }
  check(cudaGetLastError(), "starting the thermostats");
  job.factors = factors_.data();
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
  const auto launch_both = [&](int number, auto sum, auto barostat) {
    cuda::launch(dependent_, blocks, tuning::kinetic_block, device_.stream(), "measuring the temperature", sum, job,
                 host_[number].measured_bit, number, sums, virials);
    if (has_barostat_)
      cuda::launch(dependent_, 1, tuning::box_block, device_.stream(), "launching the barostat", barostat, job.guard,
                   thermostats_.data(), sums.of_groups, virials, peers, box_.images(), box_.path(),
                   keeps_boxes_ ? boxes_.data() : nullptr, !last);
    else
      launch_chain(number, job, last, peers);
  };
  for (int k = 0; k < count_; ++k) {
    if (last)
      launch_both(k, job.driving ? kinetic_step_kernel<Format, all, true> : kinetic_step_kernel<Format, all, false>,
                  barostat_kernel<Position, all>);
    else
      launch_both(
          k, job.driving ? kinetic_step_kernel<Format, diagonal, true> : kinetic_step_kernel<Format, diagonal, false>,
          barostat_kernel<Position, diagonal>);
    job.gather = {};  // the first of the kernels has stored the forces
    job.driving = nullptr;
  }
}

template <class Format>
void NoseHooverSteps<Format>::launch_chain(int number, const StepJob<Format> &job, bool last, const Peers &peers) {
  cuda::launch(dependent_, 1, tuning::kinetic_block, device_.stream(), "launching the thermostat",
               last ? chain_kernel<KineticSums::size> : chain_kernel<KineticSums::n_diagonal>, job.guard,
               thermostats_.data() + number, factors(number), kinetic(job.state.n).of_groups, peers, !last, advances_);
}

template <class Format>
void NoseHooverSteps<Format>::launch_with_forces(const StepJob<Format> &job, CombinedLaunches<Format> &launches) {
  launches.template launch<MeasureAtoms<Format>>(tersoff_.take_step_forces(job.guard),
                                                 {job, kinetic(job.state.n), host_[0].measured_bit}, tersoff_,
                                                 dependent_, device_.stream());
  launch_chain(0, job, false, Peers());
}

template <class Format>
void NoseHooverSteps<Format>::step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step,
                                           HaloExchange *exchange) {
  if (!job.factors) return;
  for (int k = 0; k < count_; ++k) host_[k].measured = KineticSums();
  launch(job, step == batch.n_steps, Peers());
  if (job.state.n) {
    for (int k = 0; k < count_; ++k)
      copy_to_host(&host_[k].measured, &thermostats_.data()[k].measured, 1, device_.stream(), "summing temperatures");
    device_.wait("summing temperatures");
  }
  for (int k = 0; k < count_; ++k) {
    if (exchange) host_[k].measured = exchange->sum(host_[k].measured);
    HeldThermostat &held = host_[k].thermostat;
    held.see(host_[k].measured.mvv);
    factors_host_[2 * k] = held.half_step(held.step);
    if (step < batch.n_steps) factors_host_[2 * k + 1] = held.half_step(held.step + 1);
  }
  copy_factors();
}

template <class Format>
void NoseHooverSteps<Format>::copy(const StepBatch &batch, int n_owned) {
  if (!acts(batch, n_owned) || advances_ != Advances::Device) return;
  copy_to_host(host_.data(), thermostats_.data(), count_, device_.stream(), "reading the thermostats");
  if (keeps_boxes_)
    copy_to_host(boxes_host_.data(), boxes_.data(), batch.n_steps, device_.stream(), "reading the boxes");
}

template <class Format>
void NoseHooverSteps<Format>::finish(const StepBatch &batch, int n_owned, BatchResult &result) {
  if (!acts(batch, n_owned)) return;
  if (keeps_boxes_) result.boxes.assign(boxes_host_.data(), boxes_host_.data() + result.completed);
  for (int k = 0; k < count_; ++k) {
    batch.nose_hoover[k]->thermostat = host_[k].thermostat;
    if (has_barostat_) batch.nose_hoover[k]->barostat = host_[k].barostat;
    batch.nose_hoover[k]->measured = host_[k].measured;
  }
}

}  // namespace cuda
}  // namespace triad
