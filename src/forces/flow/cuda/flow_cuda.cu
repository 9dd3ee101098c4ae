// Choice of device and precision.

#include "core/cuda/resources.cuh"
#include "forces/flow/cuda/flow_cuda.cuh"

namespace triad {

std::unique_ptr<FlowBackend> make_flow_cuda(const FlowSetup &setup, int index, int n_threads) {
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  return with_format<FloatFormats>(setup.precision, [&](auto format) {
    return cuda::make_flow_cuda_format<decltype(format)>(setup, index % count, n_threads);
  });
}

}  // namespace triad
