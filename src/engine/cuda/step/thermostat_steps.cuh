// Thermostats that scale all velocities of a group in each step of a batch, perhaps one with a barostat.
#pragma once

#include <algorithm>

#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/step/barostat_kernels.cuh"
#include "engine/cuda/step/changing_box.cuh"
#include "engine/cuda/step/force_consumers.cuh"
#include "engine/cuda/step/noise_of_baths.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "engine/cuda/terms/engine_terms.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// The thermostats are advanced on the device, or by the host where the host exchanges ghosts in each step. All
/// functions do nothing in a batch without thermostat, and throw LoopError.
template <class Format>
class ThermostatSteps {
 public:
  using Position = typename PositionOf<Format>::type;

  ThermostatSteps(DeviceContext &device, TersoffDevice<Format> &tersoff, const EngineTerms<Format> &terms,
                  const ChangingBox<Format> &box)
      : device_(device), tersoff_(tersoff), terms_(terms), box_(box) {}

  /// Copies the thermostats of the batch to the device and makes what they do at the start of the first step. Sets
  /// job.factors, and job.box in a batch with a barostat. Must follow ChangingBox::start().
  void start(const StepBatch &batch, Advances advances, StepJob<Format> &job);

  /// Launches the thermostats' part of a step behind the forces. `last`: of the last step of the batch. `peers`: the
  /// GPUs of other ranks, if any.
  void launch(StepJob<Format> job, bool last, const Peers &peers);

  /// Launches the forces and the thermostat's part of a step, which must not be the last one of the batch, on one rank.
  /// Requires CombinedLaunches::fit_many() and a batch with one thermostat.
  void launch_with_forces(const StepJob<Format> &job, CombinedLaunches<Format> &launches);

  /// As launch(), where the host exchanges ghosts in each step: the host sums over the ranks, if there is an exchange,
  /// and advances the thermostats. `step` counts from 1. Collective.
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

  /// The barostat of a started batch behind the forces of a step, for a kernel that also moves atoms; without
  /// `held` if there is no barostat.
  BarostatJob<Position> moving_barostat(const StepJob<Format> &job) const {
    if (!job.box) return {};
    return barostat_job(job.state.n, virials_of_forces(job.state.n));
  }

  std::size_t device_bytes() const {
    return thermostats_.bytes() + factors_.bytes() + kinetic_.bytes() + virial_.bytes() + arrived_.bytes() +
           boxes_.bytes() + noise_.bytes();
  }

 private:
  bool acts(const StepBatch &batch, int n_owned) const {
    return !batch.thermostats.empty() && (advances_ == Advances::Host || n_owned > 0);
  }

  SumsOfGroups sums_of(int n, int kinds, double *memory, unsigned *arrived, unsigned more_groups) const;
  SumsOfGroups kinetic(int n) const;
  SumsOfGroups virial(int n, unsigned more_groups) const;
  static unsigned virial_groups(int n, unsigned of_forces) {
    return std::min(blocks_for(n, tuning::kinetic_block), blocks_for(of_forces, tuning::kinetic_block));
  }
  VirialOfBlocks virial_of_blocks(int n, unsigned of_forces, const SumsOfGroups *others) const;
  void launch_thermostat(int number, const StepJob<Format> &job, bool last, const Peers &peers);
  BarostatJob<Position> barostat_job(int n, const VirialOfBlocks &virials) const {
    return {thermostats_.data(), kinetic(n).of_groups, virials,
            box_.images(),       box_.path(),          keeps_boxes_ ? boxes_.data() : nullptr};
  }
  /// The virials of the forces that were launched last, of n atoms.
  VirialOfBlocks virials_of_forces(int n) const { return virial_of_blocks(n, tersoff_.totals_blocks(), nullptr); }
  template <int Sums>
  void launch_barostat(const StepJob<Format> &job, const VirialOfBlocks &virials, bool last, const Peers &peers);
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
  DeviceBuffer<ThermostatBatch> thermostats_{"thermostats"};
  PinnedBuffer<ThermostatBatch> host_{"thermostats"};
  DeviceBuffer<double> factors_{"thermostats"};  // of StepJob
  PinnedBuffer<double> factors_host_{"thermostats"};
  DeviceBuffer<double> kinetic_{"kinetic energies"}, virial_{"virials"};
  DeviceBuffer<unsigned> arrived_{"counts of blocks"};
  NoiseOfBaths noise_;
  DeviceBuffer<Box> boxes_{"boxes"};
  PinnedBuffer<Box> boxes_host_{"boxes"};
};

/// Sums of `kinds` quantities over n atoms. `memory`: [kinds][groups + more_groups], of which another kernel writes the
/// last more_groups of each kind, and then [kinds][blocks].
template <class Format>
SumsOfGroups ThermostatSteps<Format>::sums_of(int n, int kinds, double *memory, unsigned *arrived,
                                              unsigned more_groups) const {
  const unsigned blocks = blocks_for(n, tuning::kinetic_block), groups = SumsOfGroups::groups_of(blocks) + more_groups;
  return {{memory + kinds * std::size_t(groups), blocks},
          {memory, groups},
          SumsOfGroups::blocks_per_group(blocks),
          arrived};
}
/// Argument of kernels that sum kinetic energies of n atoms.
template <class Format>
SumsOfGroups ThermostatSteps<Format>::kinetic(int n) const {
  return sums_of(n, KineticSums::size, kinetic_.data(), arrived_.data(), 0);
}
/// Argument of kernels that sum the virials of the rows of n atoms.
template <class Format>
SumsOfGroups ThermostatSteps<Format>::virial(int n, unsigned more_groups) const {
  const unsigned groups = SumsOfGroups::groups_of(blocks_for(n, tuning::kinetic_block));
  return sums_of(n, 3, virial_.data(), arrived_.data() + groups, more_groups);
}
/// Argument of kernels of n threads that sum the virials of `of_forces` blocks of the last forces: in the last groups
/// of `others`, or in groups of their own if `others` is null.
template <class Format>
VirialOfBlocks ThermostatSteps<Format>::virial_of_blocks(int n, unsigned of_forces, const SumsOfGroups *others) const {
  const unsigned groups = virial_groups(n, of_forces);
  const SumsOfBlocks of_groups = others ? others->of_groups : SumsOfBlocks{virial_.data(), groups};
  return {tersoff_.block_totals(), of_forces,      of_groups, of_groups.blocks - groups, groups,
          terms_.sums(),           terms_.n_sums()};
}

template <class Format>
void ThermostatSteps<Format>::start(const StepBatch &batch, Advances advances, StepJob<Format> &job) {
  advances_ = advances;
  has_barostat_ = batch.has_barostat();
  if (!acts(batch, job.state.n)) return;
  const cudaStream_t stream = device_.stream();
  const char *const what = "starting the thermostats";
  count_ = static_cast<int>(batch.thermostats.size());
  thermostats_.reserve(count_);
  host_.reserve(count_);
  factors_.reserve(2 * std::size_t(count_));
  factors_host_.reserve(2 * std::size_t(count_));
  const unsigned blocks = blocks_for(job.state.n, tuning::kinetic_block), groups = SumsOfGroups::groups_of(blocks);
  // Kernels behind a stop read sums that no kernel has written, and do not use them.
  reserve_cleared(kinetic_, KineticSums::size * (std::size_t(groups) + blocks), stream, what);
  reserve_cleared(arrived_, 2 * std::size_t(groups), stream, what);
  const bool by_host = advances_ == Advances::Host;
  noise_.begin(count_, batch.n_steps);
  for (int k = 0; k < count_; ++k) {
    host_[k] = *batch.thermostats[k];
    host_[k].measured_bit = device_bit(host_[k].measured_bit);
    const BathNoise *&noise = host_[k].thermostat.rescaling.noise;
    if (!by_host) noise = noise_.copy(noise, stream);
    factors_host_[2 * k] = 1;
    factors_host_[2 * k + 1] = by_host ? host_[k].thermostat.start_step(batch.first_step) : 1;
  }
  copy_to_device(thermostats_.data(), host_.data(), count_, stream, "copying the thermostats");
  copy_factors();
  keeps_boxes_ = has_barostat_ && batch.samples_boxes;
  if (keeps_boxes_) {
    boxes_.reserve(batch.n_steps);
    boxes_host_.reserve(batch.n_steps);
  }
  if (has_barostat_) {
    reserve_cleared(virial_, 3 * (groups + 2 * std::size_t(blocks)), stream, what);
    start_barostat_kernel<<<1, tuning::box_block, 0, stream>>>(job.guard, barostat_job(job.state.n, {}));
    job.box = &thermostats_.data()->barostat.motion;
  } else if (!by_host) {
    for (int k = 0; k < count_; ++k)
      start_thermostat_kernel<<<1, 1, 0, stream>>>(thermostats_.data() + k, factors(k), batch.first_step);
  }
  check(cudaGetLastError(), "starting the thermostats");
  job.factors = factors_.data();
}

template <class Format>
void ThermostatSteps<Format>::launch(StepJob<Format> job, bool last, const Peers &peers) {
  const int n = job.state.n;
  if (!job.factors || n == 0) return;
  job.gather = tersoff_.take_gather();
  const SumsOfGroups sums = kinetic(n);
  const VirialOfBlocks virials = has_barostat_ ? virials_of_forces(n) : VirialOfBlocks();
  constexpr int all = KineticSums::size, diagonal = KineticSums::n_diagonal;
  const auto launch_both = [&](int number, auto sum) {
    cuda::launch(dependent_, sums.of_blocks.blocks, tuning::kinetic_block, device_.stream(),
                 "measuring the temperature", sum, job, host_[number].measured_bit, number, sums, virials);
    if (!has_barostat_)
      launch_thermostat(number, job, last, peers);
    else if (last)
      launch_barostat<all>(job, virials, last, peers);
    else
      launch_barostat<diagonal>(job, virials, last, peers);
  };
  for (int k = 0; k < count_; ++k) {
    if (last)
      launch_both(k, job.driving ? kinetic_step_kernel<Format, all, true> : kinetic_step_kernel<Format, all, false>);
    else
      launch_both(
          k, job.driving ? kinetic_step_kernel<Format, diagonal, true> : kinetic_step_kernel<Format, diagonal, false>);
    job.gather = {};  // the first of the kernels has stored the forces
    job.driving = nullptr;
  }
}

template <class Format>
void ThermostatSteps<Format>::launch_thermostat(int number, const StepJob<Format> &job, bool last, const Peers &peers) {
  cuda::launch(dependent_, 1, tuning::kinetic_block, device_.stream(), "launching the thermostat",
               last ? thermostat_kernel<KineticSums::size> : thermostat_kernel<KineticSums::n_diagonal>, job.guard,
               thermostats_.data() + number, factors(number), kinetic(job.state.n).of_groups, peers, !last, advances_);
}

/// `Sums`: number of the kinetic sums that the kernel before has written.
template <class Format>
template <int Sums>
void ThermostatSteps<Format>::launch_barostat(const StepJob<Format> &job, const VirialOfBlocks &virials, bool last,
                                              const Peers &peers) {
  cuda::launch(dependent_, 1, tuning::box_block, device_.stream(), "launching the barostat",
               barostat_kernel<Position, Sums>, job.guard, barostat_job(job.state.n, virials), peers, !last);
}

template <class Format>
void ThermostatSteps<Format>::launch_with_forces(const StepJob<Format> &job, CombinedLaunches<Format> &launches) {
  const int n = job.state.n, measured = host_[0].measured_bit;
  const ForceJob<Format> forces = tersoff_.take_step_forces(job.guard, has_barostat_);
  if (!has_barostat_) {
    launches.template launch<MeasureAtoms<Format, false>>(forces, {job, kinetic(n), measured, {}, {}}, tersoff_,
                                                          dependent_, device_.stream());
    return launch_thermostat(0, job, false, Peers());
  }
  const unsigned longer = tersoff_.longer_row_blocks();
  const SumsOfGroups virials = virial(n, virial_groups(n, longer));
  const VirialOfBlocks of_longer = virial_of_blocks(n, longer, &virials);
  launches.template launch<MeasureAtoms<Format, true>>(forces, {job, kinetic(n), measured, virials, of_longer},
                                                       tersoff_, dependent_, device_.stream());
  launch_barostat<KineticSums::n_diagonal>(job, of_longer, false, Peers());
}

template <class Format>
void ThermostatSteps<Format>::step_on_host(const StepBatch &batch, const StepJob<Format> &job, long long step,
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
    factors_host_[2 * k] = held.end_step();
    if (step < batch.n_steps) factors_host_[2 * k + 1] = held.start_step(held.step + 1);
  }
  copy_factors();
}

template <class Format>
void ThermostatSteps<Format>::copy(const StepBatch &batch, int n_owned) {
  if (!acts(batch, n_owned) || advances_ != Advances::Device) return;
  copy_to_host(host_.data(), thermostats_.data(), count_, device_.stream(), "reading the thermostats");
  if (keeps_boxes_)
    copy_to_host(boxes_host_.data(), boxes_.data(), batch.n_steps, device_.stream(), "reading the boxes");
}

template <class Format>
void ThermostatSteps<Format>::finish(const StepBatch &batch, int n_owned, BatchResult &result) {
  if (!acts(batch, n_owned)) return;
  if (keeps_boxes_) result.boxes.assign(boxes_host_.data(), boxes_host_.data() + result.completed);
  for (int k = 0; k < count_; ++k) {
    host_[k].thermostat.rescaling.noise = batch.thermostats[k]->thermostat.rescaling.noise;
    batch.thermostats[k]->thermostat = host_[k].thermostat;
    if (has_barostat_) batch.thermostats[k]->barostat = host_[k].barostat;
    batch.thermostats[k]->measured = host_[k].measured;
  }
}

}  // namespace cuda
}  // namespace triad
