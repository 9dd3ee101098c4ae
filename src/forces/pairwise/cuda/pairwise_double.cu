// Kernels and backends of pair forces in precision double.

#include "forces/pairwise/cuda/pairwise_cuda_impl.cuh"
#include "forces/pairwise/cuda/pairwise_device_backend_impl.cuh"

namespace triad {
namespace cuda {

template std::unique_ptr<PairwiseBackend> make_pairwise_cuda_format<PairDouble>(const PairwiseSetup &, int, int);
template std::unique_ptr<PairwiseBackend> make_pairwise_device_format<PairDouble>(const PairwiseSetup &, int,
                                                                                  cudaStream_t, const volatile int *);

}  // namespace cuda
}  // namespace triad
