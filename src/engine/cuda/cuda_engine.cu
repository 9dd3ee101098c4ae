// Creates the engine for a device and a precision.

#include "engine/cuda/cuda_engine.cuh"

namespace triad {

std::unique_ptr<MdEngine> make_engine_cuda(const TersoffSetup &setup, int index, int n_threads) {
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  const int device = index % count;
  switch (setup.precision) {
    case Precision::Single:
      return cuda::make_engine_cuda_format<SingleFormat>(setup, device, n_threads);
    case Precision::Mixed:
      return cuda::make_engine_cuda_format<MixedFormat>(setup, device, n_threads);
    default:
      return cuda::make_engine_cuda_format<DoubleFormat>(setup, device, n_threads);
  }
}

}  // namespace triad
