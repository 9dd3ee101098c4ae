// Launches of the kernels that move atoms and also compute their forces, or advance the thermostat.
#pragma once

#include "engine/cuda/state/step_state.cuh"
#include "engine/cuda/step/barostat_kernels.cuh"
#include "engine/cuda/step/force_consumers.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// What of a launched step the kernel computes that starts the next step.
enum class Pending { Nothing, Forces, Thermostat };

/// Steps whose forces or whose thermostat are launched together with the start of the next step. All functions throw
/// LoopError.
template <class Format>
class CombinedSteps {
 public:
  /// To be called once per batch. `grids_wait`: WaitingGrids::allowed().
  void begin(const MovingThermostat &thermostat, bool grids_wait) {
    thermostat_ = thermostat;
    grids_wait_ = grids_wait;
    pending_ = Pending::Nothing;
  }
  Pending pending() const { return pending_; }
  void set_pending(Pending pending) { pending_ = pending; }
  /// Sets Pending::Thermostat. `barostat`: without `held` if there is no barostat.
  void set_pending(const BarostatJob<typename PositionOf<Format>::type> &barostat) {
    pending_ = Pending::Thermostat;
    barostat_ = barostat;
  }
  /// True if the kernel that moves the atoms can also advance the thermostat, and the barostat if there is one, and
  /// there are so few atoms that this is faster.
  bool takes_thermostat(const TersoffDevice<Format> &tersoff, bool has_barostat) const {
    const unsigned blocks = thermostat_.kinetic.blocks;
    const int multiprocessors = tersoff.multiprocessors();
    const auto fits = [&](auto kernel) { return run_at_once(kernel, blocks, tuning::kinetic_block, multiprocessors); };
    return thermostat_.thermostat && grids_wait_ && one_atom_per_thread(tersoff) &&
           blocks <= unsigned(multiprocessors * tuning::thermostat_blocks_per_sm) &&
           (has_barostat ? fits(barostat_step_kernel<Format, true>) && fits(barostat_step_kernel<Format, false>)
                         : fits(thermostat_step_kernel<Format, true>) && fits(thermostat_step_kernel<Format, false>));
  }
  /// True if the combined kernel can take the forces of the present pruned list, in which row i must be that of atom i,
  /// and is faster than several kernels. If the box follows a path, there is such a kernel for many atoms only.
  /// Silicon, us per step, one kernel and several: mixed, H200, 1 M atoms 91 and 110; double, H100, four lanes, 262,144
  /// atoms 58 and 69.
  bool fit(const TersoffDevice<Format> &tersoff, const StepJob<Format> &job) const {
    if (job.box_path) return launches_.fit_many(tersoff);
    if (!launches_.fit(tersoff)) return false;
    return !thermostat_.thermostat || (!launches_.need_reach(tersoff) && grids_wait_ && all_resident(tersoff));
  }
  /// The launches of forces with what follows them.
  CombinedLaunches<Format> &launches() { return launches_; }
  const CombinedLaunches<Format> &launches() const { return launches_; }
  /// To be called before the first launch, and after the device has stopped. `counts`: in device memory, 0.
  void start(CountsOfBlocks *counts) {
    launches_.start(counts->forces);
    arrived_ = &counts->thermostat;
  }
  /// To be called before another kernel starts a step, which sets stop_word(). `combined`: other steps are started by
  /// combined kernels. The number of the word is then the turn of the last of these kernels, so that phase() has only
  /// two values, and a graph soon fits again. Otherwise it is 0: barostats and walls set no other word.
  void note_step_of_another_kernel(bool combined) { word_ = combined ? launches_.turn() : 0; }
  /// The word of StepGuard::stop that the last launched step sets.
  int *stop_word(StepGuard *guard) const { return guard->stop + word_; }
  /// Two launches that agree in this number can be replaced by each other.
  int phase() const { return 2 * launches_.turn() + word_; }

  /// Launches the pending thermostat of a step, the end of the step, and the start of the next step. `job` gathers the
  /// forces if they are not complete.
  void launch_thermostat_and_move(const StepJob<Format> &job, bool dependent, cudaStream_t stream) {
    const auto launch_kernel = [&](auto gathers, auto reads_forces, const auto &thermostat) {
      launch(dependent, thermostat_.kinetic.blocks, tuning::kinetic_block, stream, "launching a step",
             job.gather.reverse ? gathers : reads_forces, job, thermostat, arrived_);
    };
    if (barostat_.held)
      launch_kernel(barostat_step_kernel<Format, true>, barostat_step_kernel<Format, false>, barostat_);
    else
      launch_kernel(thermostat_step_kernel<Format, true>, thermostat_step_kernel<Format, false>, thermostat_);
  }
  /// The same with the pending forces of a step. Returns the job for kernels behind this one that move the atoms of
  /// StepJob::listed.
  StepJob<Format> launch_forces_and_move(StepJob<Format> job, TersoffDevice<Format> &tersoff, bool dependent,
                                         cudaStream_t stream) {
    ForceJob<Format> forces = tersoff.take_step_forces(job.guard);
    forces.stop_words = 1 << word_;
    word_ = 1 - word_;
    job.stop = stop_word(job.guard);
    if (job.box_path)
      launches_.template launch<MoveAtomsInBox<Format>>(forces, {job}, tersoff, dependent, stream);
    else if (thermostat_.thermostat)
      launches_.template launch<MoveAtoms<Format, true>>(forces, {job, thermostat_}, tersoff, dependent, stream);
    else
      launches_.template launch<MoveAtoms<Format, false>>(forces, {job, {}}, tersoff, dependent, stream);
    job.gather = tersoff.view_gather();
    return job;
  }

 private:
  /// True if the kinetic energies are those of blocks with one atom per thread.
  bool one_atom_per_thread(const TersoffDevice<Format> &tersoff) const {
    return thermostat_.kinetic.blocks == blocks_for(tersoff.atom_count(), tuning::kinetic_block);
  }
  /// True if all blocks that move atoms can be resident at once, so that they can wait for each other. The blocks that
  /// compute forces start before them and wait for none of them.
  bool all_resident(const TersoffDevice<Format> &tersoff) const {
    bool resident = false;
    launches_.template with_kernel<MoveAtoms<Format, true>>(tersoff, [&](auto kernel, const auto &) {
      resident = run_at_once(kernel, launches_.blocks_of(tersoff), tuning::combined_block, tersoff.multiprocessors());
    });
    return resident && one_atom_per_thread(tersoff);
  }

  CombinedLaunches<Format> launches_;
  unsigned *arrived_ = nullptr;
  MovingThermostat thermostat_;
  BarostatJob<typename PositionOf<Format>::type> barostat_;
  Pending pending_ = Pending::Nothing;
  bool grids_wait_ = false;
  int word_ = 0;
};

}  // namespace cuda
}  // namespace triad
