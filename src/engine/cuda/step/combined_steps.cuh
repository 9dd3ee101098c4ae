// Launches of the kernels that move atoms and also compute their forces, or advance the thermostat.
#pragma once

#include <algorithm>

#include "engine/cuda/step/combined_step_kernel.cuh"
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
  /// True if the kernel that moves the atoms can also advance the thermostat, and there are so few atoms that this is
  /// faster.
  bool takes_thermostat(const TersoffDevice<Format> &tersoff) const {
    const unsigned blocks = thermostat_.kinetic.blocks;
    const int multiprocessors = tersoff.multiprocessors();
    const auto fits = [&](auto kernel) { return run_at_once(kernel, blocks, tuning::kinetic_block, multiprocessors); };
    return thermostat_.thermostat && grids_wait_ &&
           blocks <= unsigned(multiprocessors * tuning::thermostat_blocks_per_sm) &&
           fits(thermostat_step_kernel<Format, true>) && fits(thermostat_step_kernel<Format, false>);
  }
  /// True if the combined kernel can take the forces of the present pruned list, in which row i must be that of atom i,
  /// and is faster than several kernels. Silicon, us per step, one kernel and several: mixed, H200, 4,096 atoms 5.5
  /// and 6.2, 1 M 91 and 110; double, H100, four lanes, 4,096 6.5 and 6.7, 262,144 58 and 69.
  bool fit(const TersoffDevice<Format> &tersoff) const {
    if (!tersoff.gathers() || tersoff.accumulates()) return false;
    if (thermostat_.thermostat) return !need_reach(tersoff) && grids_wait_ && all_resident(tersoff);
    if (!need_reach(tersoff)) return true;
    const unsigned blocks = blocks_of(tersoff);
    return tersoff.reach() >= 0 && order_of(blocks, tersoff).lead <= blocks / 2;
  }
  /// True if launches depend on TersoffDevice::reach(), which must be known. Otherwise all forces are computed at the
  /// same time, and the blocks that move atoms wait for all of them.
  bool need_reach(const TersoffDevice<Format> &tersoff) const {
    return blocks_of(tersoff) > static_cast<unsigned>(tersoff.multiprocessors());
  }
  /// To be called before the first launch, and after the device has stopped. Asynchronous.
  void start(cudaStream_t stream) {
    done_.reserve(2 * ForceProgress::counts + 1);
    check(cudaMemsetAsync(done_.data(), 0, done_.bytes(), stream), "starting steps");
    turn_ = 0;
  }
  /// To be called when another kernel has started a step.
  void note_step_of_another_kernel() { word_ = 0; }
  /// The word of StepGuard::stop that the last launched step sets.
  int *stop_word(StepGuard *guard) const { return guard->stop + word_; }
  /// Two launches that agree in this number can be replaced by each other.
  int phase() const { return 2 * turn_ + word_; }

  /// Launches the pending thermostat of a step, the end of the step, and the start of the next step. `job` gathers the
  /// forces if they are not complete.
  void launch_thermostat_and_move(const StepJob<Format> &job, bool chained, cudaStream_t stream) {
    launch(chained, thermostat_.kinetic.blocks, tuning::kinetic_block, stream, "launching a step",
           job.gather.reverse ? thermostat_step_kernel<Format, true> : thermostat_step_kernel<Format, false>, job,
           thermostat_, done_.data() + 2 * ForceProgress::counts);
  }
  /// The same with the pending forces of a step. Returns the job for kernels behind this one that move the atoms of
  /// StepJob::listed.
  StepJob<Format> launch_forces_and_move(const StepJob<Format> &job, TersoffDevice<Format> &tersoff, bool chained,
                                         cudaStream_t stream) {
    CombinedJob<Format> both;
    both.forces = tersoff.take_step_forces(job.guard);
    both.forces.stop_words = 1 << word_;
    both.progress.done = done_.data() + turn_ * ForceProgress::counts;
    both.progress.longer_rows =
        tersoff.launch_longer_rows(both.forces, ForceProgress::of_longer_rows(both.progress.done), chained);
    both.motion = job;
    both.motion.gather = tersoff.take_gather();
    word_ = 1 - word_;
    both.motion.stop = stop_word(job.guard);
    turn_ = 1 - turn_;
    both.progress.done_next = done_.data() + turn_ * ForceProgress::counts;
    const unsigned blocks = blocks_of(tersoff);
    both.progress.per_group = CombinedOrder::blocks_per_group(blocks);
    both.order = order_of(blocks, tersoff);
    both.thermostat = thermostat_;
    with_kernel(tersoff, both.forces.list.length, [&](auto kernel, const auto &model) {
      launch(chained, both.order.count(), tuning::combined_block, stream, "launching a step", kernel, model, both);
    });
    return both.motion;
  }

  std::size_t bytes() const { return done_.bytes(); }

 private:
  /// Calls `call` with the kernel for a list that has longer rows or not, and with its model.
  template <class Call>
  void with_kernel(const TersoffDevice<Format> &tersoff, bool longer_rows, Call &&call) const {
    tersoff.with_kernel_model([&](const auto &model) {
      using Model = std::decay_t<decltype(model)>;
      constexpr bool same = LanesOf<Model>::few == LanesOf<Model>::many &&
                            combined_min_blocks<Format, Model, false>() == combined_min_blocks<Format, Model, true>();
      const auto call_with = [&](auto thermostatted, auto many) {
        call(longer_rows ? combined_step_kernel<Format, Model, true, thermostatted.value, many.value>
                         : combined_step_kernel<Format, Model, false, thermostatted.value, many.value>,
             model);
      };
      if (thermostat_.thermostat)  // with few atoms only
        call_with(std::true_type(), std::false_type());
      else if (same || !tersoff.many_centres())
        call_with(std::false_type(), std::false_type());
      else
        call_with(std::false_type(), std::integral_constant<bool, !same>());
    });
  }
  /// True if all blocks that move atoms can be resident at once, so that they can wait for each other. The blocks that
  /// compute forces start before them and wait for none of them.
  bool all_resident(const TersoffDevice<Format> &tersoff) const {
    bool resident = false;
    with_kernel(tersoff, tersoff.pruned_list().view().length, [&](auto kernel, const auto &) {
      resident = run_at_once(kernel, blocks_of(tersoff), tuning::combined_block, tersoff.multiprocessors());
    });
    return resident;
  }
  static unsigned blocks_of(const TersoffDevice<Format> &tersoff) {
    return blocks_for(tersoff.atom_count(), tuning::combined_block);
  }
  /// A neighbour at the distance reach() is up to two blocks further away than reach() / combined_block where the last
  /// block is not full.
  CombinedOrder order_of(unsigned blocks, const TersoffDevice<Format> &tersoff) const {
    if (!need_reach(tersoff)) return CombinedOrder::at_once(blocks, tersoff.lanes());
    const unsigned reach = std::min(blocks, static_cast<unsigned>(tersoff.reach()) / tuning::combined_block + 2);
    const unsigned under_way = static_cast<unsigned>(tersoff.multiprocessors() * tuning::combined_blocks_ahead);
    return CombinedOrder::of(blocks, reach, under_way);
  }

  DeviceBuffer<unsigned> done_{"progress of forces"};
  MovingThermostat thermostat_;
  Pending pending_ = Pending::Nothing;
  bool grids_wait_ = false;
  int turn_ = 0, word_ = 0;
};

}  // namespace cuda
}  // namespace triad
