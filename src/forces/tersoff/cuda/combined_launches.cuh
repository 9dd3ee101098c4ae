// Launches of the kernel that computes forces and hands them to a consumer.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/cuda/resources.cuh"
#include "forces/tersoff/cuda/combined_kernel.cuh"

namespace triad {
namespace cuda {

template <class Format>
class TersoffDevice;

/// For which numbers of atoms a consumer has kernels. Few: LanesOf<Model>::few, many: LanesOf<Model>::many.
enum class KernelsFor { Few, Many, FewAndMany };

/// Launches use two sets of counts in turn, by which the blocks of combined_kernel() wait for each other. All functions
/// throw LoopError.
template <class Format>
class CombinedLaunches {
 public:
  using Tersoff = TersoffDevice<Format>;

  /// `counts`: [2 * ForceProgress::counts] in device memory, 0. To be called before the first launch, and after the
  /// device has stopped or a launch has failed.
  void start(unsigned *counts) {
    counts_ = counts;
    turn_ = 0;
  }
  /// Two launches with equal turns can be replaced by each other.
  int turn() const { return turn_; }

  /// True if the kernel can take the forces of the present pruned list, in which row i must be that of atom i: they are
  /// gathered, and enough blocks compute forces before the first one that gathers. False also for numbers of atoms for
  /// which one kernel for forces and another one for what follows are faster.
  static bool fit(const Tersoff &tersoff) {
    if (!tersoff.gathers() || tersoff.accumulates()) return false;
    if (!need_reach(tersoff)) {
      const PrunedListView list = tersoff.pruned_list().view();
      return list.length || list.n_rows <= tersoff.multiprocessors() * tuning::combined_rows_per_sm;
    }
    const unsigned blocks = blocks_of(tersoff);
    return tersoff.reach() >= 0 && order_of(blocks, tersoff).lead <= blocks / 2;
  }
  /// The same for consumers that have kernels for many atoms only: at least tuning::least_combined_per_sm per SM. With
  /// fewer atoms, several kernels make the step.
  static bool fit_many(const Tersoff &tersoff) { return tersoff.many_centres() && need_reach(tersoff) && fit(tersoff); }
  /// True if launches depend on TersoffDevice::reach(), which must be known. Otherwise all forces are computed at the
  /// same time, and the blocks that gather wait for all of them.
  static bool need_reach(const Tersoff &tersoff) {
    return blocks_of(tersoff) > static_cast<unsigned>(tersoff.multiprocessors());
  }
  static unsigned blocks_of(const Tersoff &tersoff) {
    return blocks_for(tersoff.pruned_list().view().n_rows, tuning::combined_block);
  }

  /// Launches the forces of `forces`, TersoffDevice::take_step_forces(), with their consumer. The forces then count as
  /// complete. Asynchronous.
  template <class Consumer>
  void launch(const ForceJob<Format> &forces, const typename Consumer::Job &consumer, Tersoff &tersoff, bool dependent,
              cudaStream_t stream) {
    static_assert(!Consumer::virials || Consumer::kernels == KernelsFor::Many, "one block has all forces of its atoms");
    CombinedJob<Format, Consumer> job;
    job.forces = forces;
    job.progress.done = counts_ + turn_ * ForceProgress::counts;
    job.progress.done_next = counts_ + (1 - turn_) * ForceProgress::counts;
    job.progress.longer_rows =
        tersoff.launch_longer_rows(job.forces, ForceProgress::of_longer_rows(job.progress.done), dependent);
    job.gather = tersoff.take_gather();
    const unsigned blocks = blocks_of(tersoff);
    job.progress.per_group = CombinedOrder::blocks_per_group(blocks);
    job.order = order_of(blocks, tersoff);
    job.consumer = consumer;
    with_kernel<Consumer>(tersoff, [&](auto kernel, const auto &model) {
      cuda::launch(dependent, job.order.count(), tuning::combined_block, stream, "launching forces", kernel, model,
                   job);
    });
    turn_ = 1 - turn_;
  }
  /// Calls `call` with the kernel for the present list, and with its model.
  template <class Consumer, class Call>
  static void with_kernel(const Tersoff &tersoff, Call &&call) {
    const bool longer_rows = tersoff.pruned_list().view().length;
    tersoff.with_kernel_model([&](const auto &model) {
      using Model = std::decay_t<decltype(model)>;
      constexpr bool same = LanesOf<Model>::few == LanesOf<Model>::many &&
                            combined_min_blocks<Format, Model, false>() == combined_min_blocks<Format, Model, true>();
      const auto call_with = [&](auto many) {
        constexpr bool other = many.value && !same;
        call(longer_rows ? combined_kernel<Format, Model, true, other, Consumer>
                         : combined_kernel<Format, Model, false, other, Consumer>,
             model);
      };
      if constexpr (Consumer::kernels != KernelsFor::FewAndMany)
        call_with(std::bool_constant<Consumer::kernels == KernelsFor::Many>());
      else if (tersoff.many_centres())
        call_with(std::true_type());
      else
        call_with(std::false_type());
    });
  }

 private:
  /// A neighbour at the distance reach() is up to two blocks further away than reach() / combined_block where the last
  /// block is not full.
  static CombinedOrder order_of(unsigned blocks, const Tersoff &tersoff) {
    if (!need_reach(tersoff)) return CombinedOrder::at_once(blocks, tersoff.lanes());
    const unsigned reach = std::min(blocks, static_cast<unsigned>(tersoff.reach()) / tuning::combined_block + 2);
    const unsigned under_way = static_cast<unsigned>(tersoff.multiprocessors() * tuning::combined_blocks_ahead);
    return CombinedOrder::of(blocks, reach, under_way);
  }

  unsigned *counts_ = nullptr;
  int turn_ = 0;
};

}  // namespace cuda
}  // namespace triad
