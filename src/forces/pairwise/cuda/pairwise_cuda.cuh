// The CUDA backends of pair forces for host arrays and for device arrays. Each precision is instantiated in a
// translation unit of its own.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "forces/pairwise/pairwise_backend.h"

namespace triad {
namespace cuda {

template <class Format>
std::unique_ptr<PairwiseBackend> make_pairwise_cuda_format(const PairwiseSetup &setup, int device, int n_threads);
template <class Format>
std::unique_ptr<PairwiseBackend> make_pairwise_device_format(const PairwiseSetup &setup, int device,
                                                             cudaStream_t stream, const volatile int *stopped);

}  // namespace cuda
}  // namespace triad
