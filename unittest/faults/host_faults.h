// Memory of the host that runs out where a test wants it to: what is linked with host_faults.cpp allocates through
// operators new that count, and fail at a number.
#pragma once

namespace triad {
namespace faults {

/// From now on the n-th allocation fails, counted from 1, and `times` - 1 more after it; none where n is 0.
void fail_allocation(long long n, long long times = 1) noexcept;
/// Allocations since the last call of fail_allocation().
long long allocations() noexcept;
/// Whether one of them has failed.
bool fired() noexcept;

}  // namespace faults
}  // namespace triad
