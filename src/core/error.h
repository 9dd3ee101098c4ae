// What all backends have in common.
#pragma once

#include <stdexcept>
#include <string>

namespace triad {

/// A failure of the loops that leaves no valid forces: device error, memory exhausted, force out of range. what() says
/// what happened and what to do.
class LoopError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

#if defined(TRIAD_HAS_CUDA)
/// Devices of this machine that can run the kernels of this build; 0 with `reason` filled when there is none.
int usable_cuda_devices(std::string &reason);
#endif

}  // namespace triad
