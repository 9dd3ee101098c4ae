// Sizes of the resident steps, with the reason behind each.
#pragma once

namespace triad {
namespace tuning {

/// Steps that a run style hands over at once: bounds the time until a wall-time limit or a forced stop is seen.
constexpr int steps_per_batch = 1000;

}  // namespace tuning
}  // namespace triad
