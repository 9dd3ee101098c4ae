// The CUDA backends of pair forces, one instantiation per precision in a translation unit of its own.
#pragma once

#include <memory>

#include "loops/pairwise_backend.h"

namespace triad {
namespace cuda {

template <class Format>
std::unique_ptr<PairwiseBackend> make_pairwise_cuda_format(const PairwiseSetup &setup, int device, int n_threads);

}  // namespace cuda
}  // namespace triad
