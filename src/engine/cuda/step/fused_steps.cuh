// Arrays and launches of the fused step kernel.
#pragma once

#include <type_traits>

#include "engine/cuda/step/fused_step_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// Between begin() and end() the arrays hold the atoms in the form that fused_step_kernel.cuh describes.
template <class Format>
class FusedSteps {
 public:
  using Position = typename PositionOf<Format>::type;

  /// Exists for precision single only. With 64-bit forces a neighbour's force would take three loads instead of one,
  /// and in `mixed` the bits of a trajectory must not depend on where batches begin, as they do here through the
  /// rounding of positions.
  static constexpr bool exist = std::is_same<Format, SingleFormat>::value;

  bool under_way() const { return under_way_; }
  /// True if one cooperative launch can make several steps.
  bool at_once() const { return at_once_; }

  /// Converts the positions, velocities and forces of job.state. `half_step_behind`: the velocities are those of half a
  /// step before the positions. `grids_wait`: WaitingGrids::allowed().
  void begin(const StepJob<Format> &job, const TersoffDevice<Format> &tersoff, bool half_step_behind, bool grids_wait,
             cudaStream_t stream) {
    const std::size_t n = job.state.n;
    ahead_.reserve(n);
    for (auto &force : force_) force.reserve(ForceArray<Format>::elements(n));
    turn_ = 0;
    under_way_ = true;
    at_once_ = false;
    tersoff.with_model([&](const auto &model) {
      if constexpr (exist && std::decay_t<decltype(model)>::shared)
        at_once_ = grids_wait && run_at_once(fused_steps_kernel<Format, std::decay_t<decltype(model)>>, blocks(job),
                                             tuning::four_block, tersoff.multiprocessors());
    });
    const auto back = half_step_behind ? 0 : job.group[0].uniform_kick;
    for_atoms(job, BeginFusedSteps<Format>{job.state, back, job.group[0].step, force_array(job, 1), job.guard}, stream);
  }

  /// Launches `n_steps` steps (one unless at_once()), of which the first has the number `number` in the guard's count.
  void launch_steps(const StepJob<Format> &job, TersoffDevice<Format> &tersoff, int number, int n_steps, bool chained,
                    cudaStream_t stream) {
    if constexpr (exist) {
      FusedStepJob<Format> whole;
      whole.step = job;
      whole.list = tersoff.pruned_list().view();
      whole.images = tersoff.images();
      for (int turn = 0; turn < 2; ++turn) whole.ahead[turn] = ahead(job, turn);
      for (int turn = 0; turn < 3; ++turn) whole.force[turn] = force_array(job, turn);
      whole.beyond = tersoff.beyond_cutoffs();
      whole.step_number = number;
      whole.turn = turn_ + 1;
      whole.new_list = tersoff.take_new_list();
      turn_ += n_steps;
      const char *const what = "launching whole steps";
      tersoff.with_model([&](const auto &model) {
        using Model = std::decay_t<decltype(model)>;
        if constexpr (Model::shared) {
          if (at_once_)
            launch_at_once(blocks(job), tuning::four_block, stream, what, fused_steps_kernel<Format, Model>, model,
                           whole, n_steps);
          else
            launch(chained, blocks(job), tuning::four_block, stream, what, fused_step_kernel<Format, Model>, model,
                   whole);
        }
      });
    }
  }

  /// Positions after the last launched step, for which a pruned list can be built.
  const Position *positions(const StepJob<Format> &job) const { return ahead(job, turn_); }
  /// Flags through which such a build learns that the steps have stopped.
  StopFlags stop_flags(StepGuard *guard) const { return {&guard->raised[turn_ % 2], &guard->raised[turn_ % 2]}; }

  /// Converts back to the form of job.state after the last step, whose number in the guard's count is `number`.
  void end(const StepJob<Format> &job, int number, cudaStream_t stream) { end(job, number, false, stream); }

  /// Converts back after a stop. The last `in_vain` launched steps did nothing. The step before them had moved its
  /// atoms when it stopped: its velocities are half a step behind, and its forces are cleared.
  void recover(const StepJob<Format> &job, int in_vain, cudaStream_t stream) {
    turn_ -= in_vain;
    end(job, 0, true, stream);
  }

  std::size_t bytes() const { return ahead_.bytes() + force_[0].bytes() + force_[1].bytes(); }

 private:
  template <class Op>
  void for_atoms(const StepJob<Format> &job, const Op &op, cudaStream_t stream) {
    if constexpr (exist) {
      for_group_kernel<<<blocks_for(job.state.n, 256), 256, 0, stream>>>(job.state.n, nullptr, 0, op);
      check(cudaGetLastError(), "converting atoms for whole steps");
    }
  }
  void end(const StepJob<Format> &job, int number, bool recover, cudaStream_t stream) {
    for_atoms(job,
              EndFusedSteps<Format>{job.state, job.group[0].step, ahead(job, turn_), force_array(job, turn_), number,
                                    turn_, recover, job.guard},
              stream);
    under_way_ = false;
  }

  /// Blocks for one thread per atom and one thread more, which keeps the guard.
  static unsigned blocks(const StepJob<Format> &job) {
    return blocks_for(std::size_t(job.state.n) + 1, tuning::four_block);
  }
  Position *ahead(const StepJob<Format> &job, int turn) const {
    return turn % 2 ? ahead_.data() : job.state.at.position;
  }
  ForceArray<Format> force_array(const StepJob<Format> &job, int turn) const {
    return turn % 3 ? ForceArray<Format>{force_[turn % 3 - 1].data(), std::size_t(job.state.n)} : job.state.force;
  }

  DeviceBuffer<Position> ahead_{"positions"};
  DeviceBuffer<typename Format::Sum> force_[2] = {DeviceBuffer<typename Format::Sum>{"force accumulators"},
                                                  DeviceBuffer<typename Format::Sum>{"force accumulators"}};
  bool under_way_ = false, at_once_ = false;
  int turn_ = 0;  // steps since begin()
};

}  // namespace cuda
}  // namespace triad
