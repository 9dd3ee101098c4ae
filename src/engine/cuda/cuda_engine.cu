// Creates the engine for a device and a precision.

#include "engine/cuda/cuda_engine.cuh"

namespace triad {

std::unique_ptr<MdEngine> make_engine_cuda(const TersoffSetup &setup, int index, int n_threads) {
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  return with_format<TersoffFormats>(setup.precision, [&](auto format) {
    return cuda::make_engine_cuda_format<decltype(format)>(setup, index % count, n_threads);
  });
}

}  // namespace triad
