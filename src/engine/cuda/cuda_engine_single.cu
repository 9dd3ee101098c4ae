// CudaEngine in precision single.

#include "engine/cuda/cuda_engine_impl.cuh"

namespace triad {
namespace cuda {

template std::unique_ptr<MdEngine> make_engine_cuda_format<SingleFormat>(const ForceTerms &, int, int);

}  // namespace cuda
}  // namespace triad
