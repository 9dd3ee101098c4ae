// Selection of device and precision.

#include "core/cuda/resources.cuh"
#include "forces/pairwise/cuda/pairwise_cuda.cuh"
#include "forces/pairwise/pairwise_checks.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {

std::unique_ptr<PairwiseBackend> make_pairwise_cuda(const PairwiseSetup &setup, int index, int n_threads) {
  check_pairwise_setup(setup);
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  return with_format<PairFormats>(setup.precision, [&](auto format) {
    return cuda::make_pairwise_cuda_format<decltype(format)>(setup, index % count, n_threads);
  });
}

std::unique_ptr<PairwiseBackend> make_pairwise_device(const PairwiseSetup &setup, int device, CUstream_st *stream,
                                                      const volatile int *stopped) {
  check_pairwise_setup(setup);
  return with_format<PairFormats>(setup.precision, [&](auto format) {
    return cuda::make_pairwise_device_format<decltype(format)>(setup, device, stream, stopped);
  });
}

}  // namespace triad
