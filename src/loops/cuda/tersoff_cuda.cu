// Choice of device and precision.

#include "loops/cuda/tersoff_device.cuh"

namespace triad {
namespace {

__global__ void probe_kernel() {}

}  // namespace

int usable_cuda_devices(std::string &reason) {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    cudaGetLastError();
    reason = "no usable GPU: no NVIDIA driver on this machine";
    return 0;
  }
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    reason = std::string("no usable GPU: ") + (status == cudaSuccess ? "no device" : cudaGetErrorString(status));
    return 0;
  }
  cudaFuncAttributes attributes;
  status = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (status != cudaSuccess) {
    cudaGetLastError();
    reason = std::string("this build has no code for the GPU: ") + cudaGetErrorString(status);
    return 0;
  }
  return count;
}

std::unique_ptr<TersoffBackend> make_tersoff_cuda(const TersoffSetup &setup, int index, int n_threads) {
  int count = 0;
  cuda::check(cudaGetDeviceCount(&count), "counting devices");
  const int device = index % count;
  switch (setup.precision) {
    case Precision::Single:
      return cuda::make_tersoff_cuda_format<SingleFormat>(setup, device, n_threads);
    case Precision::Mixed:
      return cuda::make_tersoff_cuda_format<MixedFormat>(setup, device, n_threads);
    default:
      return cuda::make_tersoff_cuda_format<DoubleFormat>(setup, device, n_threads);
  }
}

}  // namespace triad
