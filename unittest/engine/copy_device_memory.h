#pragma once

#include <cstddef>

namespace triad {

/// Copies between any two places in memory of the host or of devices; done on return.
void copy_device_memory(void *target, const void *source, std::size_t bytes);

}  // namespace triad
