// The CUDA backend of shallow water. Each precision is instantiated in a translation unit of its own.
#pragma once

#include <memory>

#include "forces/flow/flow_backend.h"

namespace triad {
namespace cuda {

template <class Format>
std::unique_ptr<FlowBackend> make_flow_cuda_format(const FlowSetup &setup, int device, int n_threads);

}  // namespace cuda
}  // namespace triad
