// Arguments and launches of the kernels that make up a step, and the guard of the steps.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/cuda/lists/engine_lists.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/group_sums.cuh"
#include "engine/cuda/state/langevin_tables.cuh"
#include "engine/cuda/step/batch_samples.cuh"
#include "engine/cuda/step/changing_box.cuh"
#include "engine/cuda/step/changing_box_kernel.cuh"
#include "engine/cuda/step/combined_steps.cuh"
#include "engine/cuda/step/ends_of_steps.cuh"
#include "engine/cuda/step/langevin_work.cuh"
#include "engine/cuda/step/step_graph.cuh"
#include "engine/cuda/step/step_kernel.cuh"
#include "engine/cuda/step/step_rules.h"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class StepLauncher {
 public:
  using Velocity = typename Coordinates<Format>::Velocity;

  StepLauncher(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms,
               LangevinTables &langevin, const ChangingBox<Format> &box)
      : device_(device), tersoff_(tersoff), atoms_(atoms), langevin_(langevin), box_(box) {}

  /// Argument of the kernels that integrate the steps of a batch, without the factors of thermostats.
  StepJob<Format> job(const StepBatch &batch, EngineLists<Format> &lists);
  /// Sets in such an argument what depends on the neighbour list and its limit.
  void take_lists(const ListRule &rule, EngineLists<Format> &lists, StepJob<Format> &job) const;

  /// The guard in device memory.
  StepGuard *guard() const { return &device_.steps()->guard; }
  /// `stop`: word of StepGuard::stop that the last launched step sets.
  StopFlags stop_flags(bool on_demand, int *stop) const { return {&guard()->stopped, stop, on_demand}; }
  /// Sets the guard to the counters of `guard`, with `reasons` to stop, which the next kernels must meet, and the
  /// counts of blocks to 0. Asynchronous.
  void start_guard(const StepGuard &guard, int reasons = 0);
  /// Waits for the device and returns the guard.
  StepGuard read_guard();

  /// Launches the kernel that ends a step, starts the next one, or both, or one for the atoms of Langevin thermostats
  /// and one for the others. follows_forces: the kernels since the last launch_move() have written neither positions
  /// nor velocities, which the kernel loads before it waits for the previous kernel (programmatic dependent launch).
  /// `combined`: launches what is pending of the step as well; null if nothing is pending.
  template <bool Ends, bool Starts>
  void launch_move(StepJob<Format> job, bool follows_forces = true, CombinedSteps<Format> *combined = nullptr);

  /// Launches the end of step number `step` of a batch, counted from 1, with its samples, and the start of the next
  /// step. Step 0 has no end. `combined` as of launch_move(). If the step has actions at its end, no thermostat is
  /// pending, nor are forces if ends_need_forces().
  void launch_between(const StepBatch &batch, StepJob<Format> job, long long step, EndsOfSteps<Format> &ends,
                      BatchSamples<Format> &samples, CombinedSteps<Format> *combined = nullptr);
  /// Launches the walls of a step behind the motion of its atoms.
  void launch_walls(const StepBatch &batch, const StepJob<Format> &job) {
    for (const ReflectingWalls &walls : batch.walls)
      atoms_.for_group(walls.group_bit, ReflectInStepOp<Format>{job, walls}, "reflecting atoms");
  }
  /// Launches the end of the last step of a batch.
  void launch_end(const StepBatch &batch, const StepJob<Format> &job, long long step, EndsOfSteps<Format> &ends,
                  BatchSamples<Format> &samples) {
    const std::int64_t number = batch.first_step + step - 1;
    launch_move<true, false>(job);
    ends.launch(batch, number, guard());
    if (batch.samples_at_end_of(number)) samples.launch(batch, number, atoms_.state(), guard());
  }
  /// True if launch_between() can move most atoms in the kernel that computes their forces, unless ends_need_forces(),
  /// and this is not slower. The batch must have at most one of StepBatch::thermostats, and its Langevin thermostats
  /// must concern few atoms, which have kernels of their own. With actions in each step, a kernel for all atoms hides
  /// the motion of the others behind the actions, which only combined kernels for many atoms outweigh.
  bool allows_combined(const StepBatch &batch, const StepJob<Format> &job, EndsOfSteps<Format> &ends,
                       const CombinedSteps<Format> &combined) const {
    if (job.n_thermostats > 1) return false;
    const bool each = acts_at_end_of_each_step(batch);
    if (has_listed_ends(job, ends)) return !each || !ends.fit_kernel_of_all() || combined.launches().fit_many(tersoff_);
    if (each) return false;
    return !job.n_langevin || (job.listed_bits && job.listed.count <= tuning::end_atoms_share * job.state.n);
  }
  static bool acts_at_end_of(const StepBatch &batch, long long step) {
    return batch.acts_at_end_of(batch.first_step + step - 1);
  }
  /// True if the forces of step `step`, counted from 1, must be complete before the actions at its end, which concern
  /// many atoms.
  static bool ends_need_forces(const StepBatch &batch, const StepJob<Format> &job, long long step,
                               EndsOfSteps<Format> &ends) {
    return acts_at_end_of(batch, step) && !has_listed_ends(job, ends);
  }

  /// Must come before the first job() of a batch.
  void start_work(const StepBatch &batch) { work_.start(batch, atoms_.members(noisy_bits(batch)).count); }
  LangevinWorkSums &work() { return work_; }

  /// Computes the pair forces of a step behind its queued Tersoff forces. Returns false if the device has stopped
  /// before this step, which the host knows once the first pair force is done.
  bool add_pair_forces(const StepBatch &batch, long long step);

  /// True if the device supports programmatic dependent launch, with which the kernels of steps are launched.
  bool launches_dependent() const { return dependent_; }
  /// True if the driver can capture such launches into CUDA graphs.
  bool records() const { return records_; }
  std::size_t device_bytes() const { return sizeof(StepState) + work_.device_bytes(); }

 private:
  /// True if the atoms which the actions at the end of steps concern have kernels of their own.
  static bool has_listed_ends(const StepJob<Format> &job, EndsOfSteps<Format> &ends) {
    return ends.concern_few() && !job.n_langevin && !job.factors;
  }
  /// `count`: threads; if 0, nothing is launched. follows_forces: as of launch_move().
  template <class Kernel>
  void launch_kernel(Kernel kernel, const StepJob<Format> &job, int count, bool follows_forces) {
    if (count == 0) return;
    launch(dependent_ && follows_forces, blocks_for(count, tuning::step_block), tuning::step_block, device_.stream(),
           "launching a step", kernel, job);
  }
  /// Returns the job for kernels that add the forces of the step. Launches what is pending in `combined`, if that is
  /// not null, with the motion of the other atoms.
  template <bool Ends>
  StepJob<Format> take_forces(StepJob<Format> job, CombinedSteps<Format> *combined);
  void launch_listed(const StepBatch &batch, StepJob<Format> job, std::int64_t number, EndsOfSteps<Format> &ends,
                     CombinedSteps<Format> *combined);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  LangevinTables &langevin_;
  const ChangingBox<Format> &box_;
  const bool dependent_ = supports_dependent_launch(), records_ = captures_dependent_launches();
  LangevinWorkSums work_{device_};
};

template <class Format>
StepJob<Format> StepLauncher<Format>::job(const StepBatch &batch, EngineLists<Format> &lists) {
  const double uniform_mass = atoms_.uniform_mass();
  StepJob<Format> job = {};
  take_lists(batch.list, lists, job);
  job.n_groups = static_cast<int>(batch.groups.size());
  for (int g = 0; g < job.n_groups; ++g) {
    const VerletGroup &group = batch.groups[g];
    job.group[g].bit = device_bit(group.group_bit);
    job.group[g].half_kick = group.half_kick;
    job.group[g].uniform_kick = uniform_mass > 0 ? static_cast<Velocity>(group.half_kick / uniform_mass) : 0;
    job.group[g].step = job.state.at.step(group.drift);
  }
  job.n_thermostats = static_cast<int>(batch.thermostats.size());
  job.check = batch.list.check;
  job.delay = batch.list.delay;
  job.every = batch.list.every;
  job.wild_step = atoms_.wild_step();
  job.step_length = static_cast<float>(1 / job.state.at.step(1.0));
  job.guard = guard();
  job.stop = guard()->stop;
  std::vector<LangevinForce> langevin;
  for (const LangevinThermostat &thermostat : batch.langevin) langevin.push_back(thermostat.force);
  for (const DeviceLangevin &on_device : langevin_.on_device(langevin, atoms_.arrays())) {
    job.langevin[job.n_langevin] = on_device;
    job.langevin[job.n_langevin].target = batch.langevin[job.n_langevin].target;
    job.langevin[job.n_langevin].first_step = batch.first_step;
    if (batch.langevin[job.n_langevin].work) job.langevin[job.n_langevin].work = work_.of(job.n_langevin);
    ++job.n_langevin;
  }
  job.listed = atoms_.members(noisy_bits(batch));
  job.listed_mask = job.state.mask;
  job.listed_bits = device_bit(noisy_bits(batch));
  return job;
}

template <class Format>
void StepLauncher<Format>::take_lists(const ListRule &rule, EngineLists<Format> &lists, StepJob<Format> &job) const {
  const double limit = rule.check ? rule.present_limit() : atoms_.range() / 4;
  job.list_reference = lists.coarse_references(limit);
  job.coarse = lists.coarse();
  job.far_step = static_cast<float>(limit);
  job.state = atoms_.state();
  job.anchor = atoms_.anchor();
  job.reference = tersoff_.references();
}

template <class Format>
void StepLauncher<Format>::start_guard(const StepGuard &guard, int reasons) {
  Reports &reports = device_.reports();
  reports.steps = {guard, {}};
  StepGuard &start = reports.steps.guard;
  start.stop[0] = reasons;
  start.stop[1] = start.stopped = start.bad_atom = 0;
  start.moved_step = start.outside_step = start.made_step = 0;
  start.progress = &reports.progress;
  reports.progress = {guard.completed, 0, guard.list_step, guard.neighbor_step};
  copy_to_device(device_.steps(), &reports.steps, 1, device_.stream(), "starting steps");
}

template <class Format>
StepGuard StepLauncher<Format>::read_guard() {
  StepGuard &guard = device_.reports().steps.guard;
  copy_to_host(&guard, this->guard(), 1, device_.stream(), "reading the state of steps");
  device_.wait("making steps");
  return guard;
}

template <class Format>
template <bool Ends>
StepJob<Format> StepLauncher<Format>::take_forces(StepJob<Format> job, CombinedSteps<Format> *combined) {
  if (combined && combined->pending() == Pending::Forces) {
    job = combined->launch_forces_and_move(job, tersoff_, dependent_, device_.stream());
    box_.launch_follower(job);
    return job;
  }
  if (Ends) job.gather = tersoff_.take_gather();
  job.clears_forces = tersoff_.accumulates() && !job.gather.reverse;  // where it gathers, it clears what it has added
  if (combined) combined->launch_thermostat_and_move(job, dependent_, device_.stream());
  return job;
}

template <class Format>
template <bool Ends, bool Starts>
void StepLauncher<Format>::launch_move(StepJob<Format> job, bool follows_forces, CombinedSteps<Format> *combined) {
  const int n = job.state.n;
  if (n == 0) return;
  job = take_forces<Ends>(job, combined);
  if (combined && !job.n_langevin) return;
  if (job.changes_box()) {
    const unsigned blocks = blocks_for(n, tuning::step_block) + (job.box_path ? 1 : 0);
    launch(dependent_ && follows_forces, blocks, tuning::step_block, device_.stream(), "launching a step",
           job.box_path ? changing_box_step_kernel<Format, Ends, Starts, false>
                        : changing_box_step_kernel<Format, Ends, Starts, true>,
           job, box_.follower());
    return;
  }
  const bool gathers = job.gather.reverse;
  const auto launch_kernel = [&](auto kernel, int count) { this->launch_kernel(kernel, job, count, follows_forces); };
  if constexpr (Ends)
    if (job.n_langevin) {
      if (job.listed_bits && !combined) {
        if (gathers)
          launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::Unlisted, true>, n);
        else
          launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::Unlisted, false>, n);
        follows_forces = true;
      }
      if (work_.tallied() && gathers)
        launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::ListedWithTalliedNoise, true>, job.listed.count);
      else if (work_.tallied())
        launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::ListedWithTalliedNoise, false>, job.listed.count);
      else if (gathers)
        launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::ListedWithNoise, true>, job.listed.count);
      else
        launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::ListedWithNoise, false>, job.listed.count);
      return;
    }
  if constexpr (Ends)
    if (gathers) return launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::All, true>, n);
  launch_kernel(step_kernel<Format, Ends, Starts, MovedAtoms::All, false>, n);
}

/// Launches the end of a step whose actions concern few atoms, and the start of the next step. The other atoms do
/// not wait for the actions.
template <class Format>
void StepLauncher<Format>::launch_listed(const StepBatch &batch, StepJob<Format> job, std::int64_t number,
                                         EndsOfSteps<Format> &ends, CombinedSteps<Format> *combined) {
  job.listed = ends.atoms();
  job.listed_mask = ends.marks();
  job.listed_bits = ~0;
  job = take_forces<true>(job, combined);
  const bool gathers = job.gather.reverse, moves_all = !combined && ends.fit_kernel_of_all();
  if (!combined && !moves_all)
    launch_kernel(gathers ? step_kernel<Format, true, true, MovedAtoms::Unlisted, true>
                          : step_kernel<Format, true, true, MovedAtoms::Unlisted, false>,
                  job, job.state.n, true);
  if (ends.fit_one_kernel()) return ends.launch_step(job, batch, number, moves_all, dependent_);
  launch_kernel(gathers ? step_kernel<Format, true, false, MovedAtoms::Listed, true>
                        : step_kernel<Format, true, false, MovedAtoms::Listed, false>,
                job, job.listed.count, true);
  ends.launch(batch, number, guard());
  job.gather = {};
  job.clears_forces = tersoff_.accumulates();
  launch_kernel(step_kernel<Format, false, true, MovedAtoms::Listed, false>, job, job.listed.count, false);
}

template <class Format>
void StepLauncher<Format>::launch_between(const StepBatch &batch, StepJob<Format> job, long long step,
                                          EndsOfSteps<Format> &ends, BatchSamples<Format> &samples,
                                          CombinedSteps<Format> *combined) {
  const std::int64_t number = batch.first_step + step - 1;
  const bool sampled = step > 0 && batch.samples_at_end_of(number);
  if (sampled) job.at_end = samples.at_end();
  if (step == 0) {
    launch_move<false, true>(job);
  } else if (!batch.acts_at_end_of(number)) {
    launch_move<true, true>(job, true, combined);
  } else if (has_listed_ends(job, ends)) {
    launch_listed(batch, job, number, ends, combined);
  } else {
    launch_move<true, false>(job);
    ends.launch(batch, number, guard());
    launch_move<false, true>(job, false);
  }
  if (sampled) samples.launch(batch, number, job.at_end, guard());
  launch_walls(batch, job);
}

template <class Format>
bool StepLauncher<Format>::add_pair_forces(const StepBatch &batch, long long step) {
  const volatile StepProgress &progress = device_.reports().progress;
  tersoff_.complete_forces(guard());
  for (PairForceBatch *pair : batch.pair_forces) {
    ResultsView results;
    pair->force->compute(step == batch.n_steps ? pair->last : TallyRequest(), results, PairForce::Target::MdEngine);
    if (progress.stopped) return false;
    pair->totals = totals_of(results);
  }
  return true;
}

}  // namespace cuda
}  // namespace triad
