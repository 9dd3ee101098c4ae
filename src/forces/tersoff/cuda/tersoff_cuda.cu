// Choice of device and precision.

#include "core/driver_version.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace {

__global__ void probe_kernel() {}

}  // namespace

namespace cuda {

int select_device(int device) {
  check(cudaSetDevice(device), "selecting device " + std::to_string(device));
  return device;
}

std::string describe_device(int device) {
  cudaDeviceProp properties;
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting devices");
  check(cudaGetDeviceProperties(&properties, device), "reading device properties");
  return "cuda, " + std::string(properties.name) + " (device " + std::to_string(device) + " of " +
         std::to_string(count) + ")";
}

}  // namespace cuda

int usable_cuda_devices(std::string &reason) {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    cudaGetLastError();
    reason = "no usable GPU: no NVIDIA driver on this machine";
    return 0;
  }
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    reason = "no usable GPU: " + driver_too_old(driver, CUDART_VERSION);
    return 0;
  }
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
  return with_format<TersoffFormats>(setup.precision, [&](auto format) {
    return cuda::make_tersoff_cuda_format<decltype(format)>(setup, index % count, n_threads);
  });
}

std::unique_ptr<TersoffBackend> make_tersoff_device(const TersoffSetup &setup, int device, CUstream_st *stream) {
  return with_format<TersoffFormats>(setup.precision, [&](auto format) {
    return cuda::make_tersoff_device_format<decltype(format)>(setup, device, stream);
  });
}

}  // namespace triad
