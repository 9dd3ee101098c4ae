// Selection of device and precision.

#include "core/cuda/resources.cuh"
#include "forces/pairwise/cuda/pairwise_cuda.cuh"
#include "forces/pairwise/pairwise_checks.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace {

/// Checks the setup, then calls make(format) with the number formats of its precision.
template <class Make>
std::unique_ptr<PairwiseBackend> with_format(const PairwiseSetup &setup, Make &&make) {
  check_pairwise_setup(setup);
  switch (setup.precision) {
    case Precision::Single:
      return make(PairSingle());
    case Precision::Mixed:
      return make(PairMixed());
    default:
      return make(PairDouble());
  }
}

}  // namespace

std::unique_ptr<PairwiseBackend> make_pairwise_cuda(const PairwiseSetup &setup, int index, int n_threads) {
  return with_format(setup, [&](auto format) {
    int count = 0;
    cuda::check(cudaGetDeviceCount(&count), "counting devices");
    return cuda::make_pairwise_cuda_format<decltype(format)>(setup, index % count, n_threads);
  });
}

std::unique_ptr<PairwiseBackend> make_pairwise_device(const PairwiseSetup &setup, int device, CUstream_st *stream,
                                                      const volatile int *stopped) {
  return with_format(setup, [&](auto format) {
    return cuda::make_pairwise_device_format<decltype(format)>(setup, device, stream, stopped);
  });
}

}  // namespace triad
