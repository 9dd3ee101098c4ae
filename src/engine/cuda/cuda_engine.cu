// Creates the engine for a device and a precision.

#include "engine/cuda/cuda_engine.cuh"

namespace triad {

std::unique_ptr<MdEngine> make_engine_cuda(const ForceTerms &terms, int index, int n_threads) {
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  return with_format<TersoffFormats>(cuda::MainTerm(terms).setup.precision, [&](auto format) {
    return cuda::make_engine_cuda_format<decltype(format)>(terms, index % count, n_threads);
  });
}

}  // namespace triad
