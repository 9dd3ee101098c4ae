// Sizes of the CUDA loops of shallow water, with the reason or the measurement behind each.
#pragma once

#include "core/precision.h"
#include "dynamics/shallow_water/settings.h"

namespace triad {
namespace tuning {

/// Threads per block of all kernels.
constexpr int flow_block = 128;

/// The reduction of `reduction auto`. H200, 4,000,000 squares, Roe, G cell-steps/s with gather, atomic and colored:
/// single 13.1, 12.6, 11.6; double 5.3, 4.0, 6.5. 1,000,000 squares with gather and colored: mixed 8.2, 7.5 (HLL 10.5,
/// 8.3), single 11.0, 9.9 (HLL 14.5, 10.9), double 5.1, 6.1 (HLL 7.3, 6.2).
constexpr FlowReduction flow_reduction(Precision precision, FlowFlux flux) {
  return precision == Precision::Double && flux == FlowFlux::Roe ? FlowReduction::Colored : FlowReduction::Gather;
}

/// Largest number of sub-steps that are queued at once. Two such batches fit the launch queue of a device.
constexpr long long most_flow_batch = 64;

}  // namespace tuning
}  // namespace triad
