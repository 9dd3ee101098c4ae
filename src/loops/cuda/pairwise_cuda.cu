// Choice of device and precision.

#include "loops/cuda/pairwise_cuda.cuh"
#include "loops/cuda/resources.cuh"
#include "loops/pairwise_checks.h"
#include "loops/pairwise_formats.h"

namespace triad {

std::unique_ptr<PairwiseBackend> make_pairwise_cuda(const PairwiseSetup &setup, int index, int n_threads) {
  check_pairwise_setup(setup);
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  const int device = index % count;
  switch (setup.precision) {
    case Precision::Single:
      return cuda::make_pairwise_cuda_format<PairSingle>(setup, device, n_threads);
    case Precision::Mixed:
      return cuda::make_pairwise_cuda_format<PairMixed>(setup, device, n_threads);
    default:
      return cuda::make_pairwise_cuda_format<PairDouble>(setup, device, n_threads);
  }
}

}  // namespace triad
