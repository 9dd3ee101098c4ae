// The error type of all backends, and the search for usable devices.
#pragma once

#include <stdexcept>
#include <string>

namespace triad {

/// A failure of a force computation, after which the forces are not valid: device error, memory exhausted, or force out
/// of range. what() says what happened and what to do.
class LoopError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

#if defined(TRIAD_HAS_CUDA)
/// Returns the number of devices of this machine that can run the kernels of this build. If the number is 0, `reason`
/// says why.
int usable_cuda_devices(std::string &reason);
#endif

}  // namespace triad
