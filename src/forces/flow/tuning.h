// Sizes of the CUDA loops of shallow water, with the reason or the measurement behind each.
#pragma once

#include "dynamics/shallow_water/settings.h"

namespace triad {
namespace tuning {

/// Threads per block of all kernels.
constexpr int flow_block = 128;

/// The reduction of `reduction auto`.
constexpr FlowReduction flow_reduction = FlowReduction::Gather;

/// Largest number of sub-steps that are queued at once. Two such batches fit the launch queue of a device.
constexpr long long most_flow_batch = 64;

}  // namespace tuning
}  // namespace triad
