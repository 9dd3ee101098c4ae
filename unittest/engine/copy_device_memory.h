#pragma once

#include <cstddef>

namespace triad {

/// Copies between host and device memory in any direction; synchronous.
void copy_device_memory(void *target, const void *source, std::size_t bytes);

}  // namespace triad
