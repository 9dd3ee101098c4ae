// The state of a sequence of steps in device memory, which one copy sets.
#pragma once

#include "core/cuda/step_guard.cuh"
#include "forces/tersoff/cuda/combined_launches.cuh"

namespace triad {
namespace cuda {

/// Counts by which the blocks of kernels wait for each other, 0 at the start of a batch and after a stop. Those of
/// different kernels are in different lines of the cache.
struct CountsOfBlocks {
  static constexpr std::size_t line = 128;
  alignas(line) unsigned forces[2 * ForceProgress::counts] = {};  ///< of CombinedLaunches
  // arguments of wait_for_blocks(), each of kernels that have the same blocks until the counts are 0 again
  alignas(line) unsigned list = 0;        ///< of list_kernel()
  alignas(line) unsigned thermostat = 0;  ///< of thermostat_step_kernel() and barostat_step_kernel()
  alignas(line) unsigned listed = 0;      ///< of listed_step_kernel()
};

struct StepState {
  StepGuard guard;
  CountsOfBlocks counts;
};

}  // namespace cuda
}  // namespace triad
