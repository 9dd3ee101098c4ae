// The heat current of the atoms of an engine.
#pragma once

#include <type_traits>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/heat_current_kernel.cuh"

namespace triad {
namespace cuda {

template <class Format>
class HeatCurrentSum {
 public:
  HeatCurrentSum(DeviceContext &device, TersoffDevice<Format> &tersoff) : device_(device), tersoff_(tersoff) {}

  /// This rank's part of MdEngine::heat_flow(), from a pruned list and positions of ghosts that are current.
  /// `ghost_velocity`: of EngineGhosts::forward_velocities(). Waits for the device. Throws LoopError.
  HeatFlow compute(const DeviceState<Format> &state, int group_bit, double kinetic_factor,
                   const double *ghost_velocity) {
    const std::vector<ForceJob<Format>> lists = tersoff_.bonds();
    const unsigned blocks = unsigned(tersoff_.multiprocessors()) * tuning::general_blocks_per_sm;
    const unsigned all_blocks = unsigned(lists.size()) * blocks;
    blocks_.reserve(all_blocks);
    blocks_host_.reserve(all_blocks);
    HeatJob<Format> job = {state, {}, true, device_bit(group_bit), kinetic_factor, ghost_velocity, blocks_.data()};
    for (const ForceJob<Format> &bonds : lists) {
      job.bonds = bonds;
      tersoff_.with_model([&](const auto &model) {
        launch(false, blocks, tuning::general_block, device_.stream(), "summing the heat current",
               heat_current_kernel<Format, std::decay_t<decltype(model)>>, model, job);
      });
      job.counts_atoms = false;
      job.blocks += blocks;
    }
    copy_to_host(blocks_host_.data(), blocks_.data(), all_blocks, device_.stream(), "summing the heat current");
    device_.wait("summing the heat current");
    HeatFlow sum;
    for (unsigned b = 0; b < all_blocks; ++b) sum += blocks_host_[b];
    return sum;
  }

  std::size_t device_bytes() const { return blocks_.bytes(); }

 private:
  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  DeviceBuffer<HeatFlow> blocks_{"the heat current"};
  PinnedBuffer<HeatFlow> blocks_host_{"the heat current"};
};

}  // namespace cuda
}  // namespace triad
