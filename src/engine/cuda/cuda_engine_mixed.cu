// CudaEngine in precision mixed.

#include "engine/cuda/cuda_engine_impl.cuh"

namespace triad {
namespace cuda {

template std::unique_ptr<MdEngine> make_engine_cuda_format<MixedFormat>(const ForceTerms &, int, int);

}  // namespace cuda
}  // namespace triad
