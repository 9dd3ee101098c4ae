// Kernels and backend of precision mixed.

#include "forces/tersoff/cuda/tersoff_cuda_impl.cuh"
#include "forces/tersoff/cuda/tersoff_device_backend_impl.cuh"
#include "forces/tersoff/cuda/tersoff_device_impl.cuh"
#include "forces/tersoff/cuda/tersoff_device_launches_impl.cuh"
#include "forces/tersoff/cuda/tersoff_device_results_impl.cuh"

namespace triad {
namespace cuda {

template class TersoffDevice<MixedFormat>;
template std::unique_ptr<TersoffBackend> make_tersoff_cuda_format<MixedFormat>(const TersoffSetup &, int, int);
template std::unique_ptr<TersoffBackend> make_tersoff_device_format<MixedFormat>(const TersoffSetup &, int,
                                                                                 cudaStream_t);

}  // namespace cuda
}  // namespace triad
