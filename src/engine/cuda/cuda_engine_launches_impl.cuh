// CudaEngine: arguments and launches of the kernels that make up a step.
#pragma once

#include <algorithm>
#include <vector>

#include "dynamics/rounded_step.h"
#include "engine/cuda/cuda_engine_operations_impl.cuh"

namespace triad {
namespace cuda {

template <class Format>
StepJob<Format> CudaEngine<Format>::step_job(const StepBatch &batch) {
  const PositionScale &scale = tersoff_.scale();
  const double range = 4294967296.0 / scale.per_length;
  const double limit = batch.list.check ? batch.list.limit : range / 4;
  if (coarse_limit_ != limit) {
    coarse_ = CoarseReference::for_limit(limit, scale);
    for_each(atoms_.n_owned, ReferenceOp<Format>{list_reference_.data(), coarse_reference_.data(), coarse_},
             "keeping positions of the list");
    coarse_limit_ = limit;
  }
  StepJob<Format> job = {};
  job.state = state();
  job.n_groups = static_cast<int>(batch.groups.size());
  for (int g = 0; g < job.n_groups; ++g) {
    const VerletGroup &group = batch.groups[g];
    const int all = 1;
    job.group[g].bit = group.group_bit == all ? 0 : group.group_bit;
    job.group[g].half_kick = group.half_kick;
    job.group[g].uniform_kick = uniform_mass_ > 0 ? static_cast<Velocity>(group.half_kick / uniform_mass_) : 0;
    job.group[g].step = job.state.at.step(group.drift);
  }
  if constexpr (FusedSteps<Format>::exist)
    if (job.n_groups == 1 && uniform_mass_ > 0) {
      const StepFactors factors =
          round_step_factors(batch.groups[0].half_kick / uniform_mass_, job.state.at.step(batch.groups[0].drift));
      job.group[0].uniform_kick = factors.kick;
      job.group[0].step = factors.drift;
    }
  job.reference = tersoff_.references();
  job.list_reference = coarse_reference_.data();
  job.coarse = coarse_;
  job.check = batch.list.check;
  job.ago = static_cast<int>(batch.list.ago);
  job.delay = batch.list.delay;
  job.every = batch.list.every;
  job.far_step = static_cast<float>(limit);
  job.wild_step = static_cast<float>(range / 8);
  job.step_length = static_cast<float>(1 / job.state.at.step(1.0));
  job.guard = guard_.data();
  std::vector<LangevinForce> langevin;
  for (const LangevinThermostat &thermostat : batch.langevin) langevin.push_back(thermostat.force);
  for (const DeviceLangevin &on_device : langevin_on_device(langevin)) {
    job.langevin[job.n_langevin] = on_device;
    job.langevin[job.n_langevin].target = batch.langevin[job.n_langevin].target;
    job.langevin[job.n_langevin].first_step = batch.first_step;
    ++job.n_langevin;
  }
  return job;
}

/// Sets the guard on the device to the counters of `guard`, with no reason to stop.
template <class Format>
void CudaEngine<Format>::start_guard(const StepGuard &guard) {
  reports_[0].guard = guard;
  reports_[0].guard.stop = reports_[0].guard.stopped = reports_[0].guard.bad_atom = 0;
  reports_[0].guard.raised[0] = reports_[0].guard.raised[1] = 0;
  reports_[0].guard.progress = &reports_.data()->progress;
  reports_[0].progress = {guard.completed, 0};
  copy_to_device(guard_.data(), &reports_.data()->guard, 1, stream_, "starting steps");
}

/// Waits for the device and returns the guard.
template <class Format>
StepGuard CudaEngine<Format>::read_guard() {
  copy_to_host(&reports_.data()->guard, guard_.data(), 1, stream_, "reading the state of steps");
  stream_.wait("making steps");
  return reports_[0].guard;
}

template <class Format>
template <bool Ends, bool Starts>
void CudaEngine<Format>::launch_move(StepJob<Format> job) {
  if (atoms_.n_owned == 0) return;
  if (Ends) job.gather = tersoff_.take_gather();
  job.clears_forces = !tersoff_.gathers();
  const bool gathers = job.gather.reverse;
  const auto launch_kernel = [&](auto kernel) {
    launch(chains_, blocks_for(atoms_.n_owned, tuning::step_block), tuning::step_block, stream_, "launching a step",
           kernel, job);
  };
  if constexpr (Ends) {
    if (job.n_langevin && gathers) return launch_kernel(step_kernel<Format, Ends, Starts, true, true>);
    if (job.n_langevin) return launch_kernel(step_kernel<Format, Ends, Starts, true, false>);
    if (gathers) return launch_kernel(step_kernel<Format, Ends, Starts, false, true>);
  }
  launch_kernel(step_kernel<Format, Ends, Starts, false, false>);
}

/// Copies the Nose-Hoover thermostat of the batch to the device and makes its first half step.
template <class Format>
void CudaEngine<Format>::start_thermostat(const StepBatch &batch, StepJob<Format> &job) {
  if (!batch.nose_hoover || (runs_ahead() && atoms_.n_owned == 0)) return;
  thermostat_.reserve(1);
  thermostat_host_.reserve(1);
  kinetic_.reserve(tuning::kinetic_blocks);
  thermostat_host_[0] = {*batch.nose_hoover, {1, 1}, 0};
  if (batch.nose_hoover->measured_bit == 1) thermostat_host_[0].batch.measured_bit = 0;
  if (!runs_ahead()) thermostat_host_[0].factors[1] = half_step(thermostat_host_.data(), batch.first_step);
  copy_to_device(thermostat_.data(), thermostat_host_.data(), 1, stream_, "copying the thermostat");
  if (runs_ahead()) start_thermostat_kernel<<<1, 1, 0, stream_>>>(thermostat_.data(), batch.first_step);
  check(cudaGetLastError(), "starting the thermostat");
  job.factors = thermostat_.data()->factors;
}

/// Launches the thermostat's part of a step behind the forces. `peers`: the GPUs of other ranks, if any.
template <class Format>
void CudaEngine<Format>::launch_thermostat(const StepBatch &batch, StepJob<Format> job, bool last, const Peers &peers) {
  if (!job.factors || atoms_.n_owned == 0) return;
  job.gather = tersoff_.take_gather();
  const unsigned blocks = std::min(blocks_for(atoms_.n_owned, tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
  const auto kernel =
      last ? thermostat_kernel<Format, KineticSums::size> : thermostat_kernel<Format, KineticSums::n_diagonal>;
  launch(chains_, blocks, tuning::kinetic_block, stream_, "launching the thermostat", kernel, job, thermostat_.data(),
         kinetic_.data(), peers, batch.first_step, !last, runs_ahead() ? Advances::Device : Advances::Host);
}

/// The same where the host exchanges ghosts in each step: the host sums over the ranks and advances the chain. `step`
/// counts from 1.
template <class Format>
void CudaEngine<Format>::step_thermostat(const StepBatch &batch, const StepJob<Format> &job, long long step) {
  if (!job.factors) return;
  DeviceThermostat &thermostat = thermostat_host_[0];
  thermostat.batch.measured = KineticSums();
  launch_thermostat(batch, job, step == batch.n_steps, Peers());
  if (atoms_.n_owned) {
    copy_to_host(&thermostat.batch.measured, &thermostat_.data()->batch.measured, 1, stream_, "summing temperatures");
    stream_.wait("summing temperatures");
  }
  const KineticSums mine = thermostat.batch.measured;
  advance_chain(&thermostat, halo_.exchange ? halo_.exchange->sum(mine) : mine, batch.first_step + step - 1,
                step < batch.n_steps);
  copy_to_device(thermostat_.data()->factors, thermostat.factors, 2, stream_, "copying the thermostat");
}

/// Copies the thermostat's state back to the batch. The device must be idle.
template <class Format>
void CudaEngine<Format>::read_thermostat(const StepBatch &batch) {
  if (!batch.nose_hoover || (runs_ahead() && atoms_.n_owned == 0)) return;
  if (runs_ahead()) {
    copy_to_host(thermostat_host_.data(), thermostat_.data(), 1, stream_, "reading the thermostat");
    stream_.wait("reading the thermostat");
  }
  batch.nose_hoover->thermostat = thermostat_host_[0].batch.thermostat;
  batch.nose_hoover->measured = thermostat_host_[0].batch.measured;
}

}  // namespace cuda
}  // namespace triad
