// Kernels and backend of precision double.

#include "loops/cuda/tersoff_cuda_impl.cuh"

namespace triad {
namespace cuda {

template class TersoffDevice<DoubleFormat>;
template std::unique_ptr<TersoffBackend> make_tersoff_cuda_format<DoubleFormat>(const TersoffSetup &, int, int);

}  // namespace cuda
}  // namespace triad
