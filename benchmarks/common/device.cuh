// Common functions of the CUDA benchmarks: timing with events, copies of host arrays, and the description of the device
// for result files.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "bench_commit.h"
#include "common/json.h"
#include "common/run_guarded.h"
#include "core/cuda/resources.cuh"

namespace triad {
namespace bench {

using cuda::check;
using cuda::DeviceBuffer;

/// Measures device time between start() and stop().
class GpuTimer {
 public:
  explicit GpuTimer(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&start_), "creating an event");
    check(cudaEventCreate(&stop_), "creating an event");
  }
  ~GpuTimer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  GpuTimer(const GpuTimer &) = delete;
  GpuTimer &operator=(const GpuTimer &) = delete;

  void start() { check(cudaEventRecord(start_, stream_), "recording an event"); }
  void stop() { check(cudaEventRecord(stop_, stream_), "recording an event"); }

  /// Waits for stop() and returns the time in seconds.
  double seconds() const {
    float ms = 0;
    check(cudaEventSynchronize(stop_), "running the benchmark");
    check(cudaEventElapsedTime(&ms, start_, stop_), "reading a time");
    return 1e-3 * ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Allocates memory and copies; waits for the copy.
template <class T>
void upload(DeviceBuffer<T> &target, const std::vector<T> &source, cudaStream_t stream) {
  target.reserve(source.size());
  cuda::copy_to_device(target.data(), source.data(), source.size(), stream, "copying to the device");
  check(cudaStreamSynchronize(stream), "copying to the device");
}

template <class T>
std::vector<T> download(const T *source, std::size_t n, cudaStream_t stream) {
  std::vector<T> target(n);
  cuda::copy_to_host(target.data(), source, n, stream, "copying from the device");
  check(cudaStreamSynchronize(stream), "copying from the device");
  return target;
}

/// Description of the current device.
struct DeviceFacts {
  std::string name, driver;
  int driver_api = 0, runtime = 0;  ///< 1000 * major + 10 * minor
  double peak_bandwidth = 0;        ///< bytes/s of device memory
};

inline DeviceFacts device_facts() {
  int device = 0, clock_kHz = 0, bits = 0;
  cudaDeviceProp properties;
  DeviceFacts facts;
  check(cudaGetDevice(&device), "querying the current device");
  check(cudaGetDeviceProperties(&properties, device), "reading device properties");
  check(cudaDriverGetVersion(&facts.driver_api), "reading the driver's version");
  check(cudaRuntimeGetVersion(&facts.runtime), "reading the runtime's version");
  check(cudaDeviceGetAttribute(&clock_kHz, cudaDevAttrMemoryClockRate, device), "reading the memory clock");
  check(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device), "reading the memory bus");
  facts.name = properties.name;
  facts.peak_bandwidth = 2.0 * clock_kHz * 1e3 * bits / 8;  // two transfers per clock
  std::ifstream version("/proc/driver/nvidia/version");
  std::getline(version, facts.driver);
  return facts;
}

inline std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Returns the first members of every result file. `commit` overrides the commit of the build.
inline std::vector<std::pair<std::string, Json>> result_header(const char *benchmark, const DeviceFacts &facts,
                                                               const std::string &commit) {
  return {{"benchmark", benchmark},
          {"commit", commit.empty() ? TRIAD_COMMIT : commit},
          {"device", facts.name},
          {"driver", facts.driver},
          {"cuda_driver", cuda_version(facts.driver_api)},
          {"cuda_runtime", cuda_version(facts.runtime)},
          {"peak_GB_per_s", 1e-9 * facts.peak_bandwidth}};
}

}  // namespace bench
}  // namespace triad
