// For tests of what only the device has.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loops/cuda/resources.cuh"

namespace triad {
namespace cuda {

/// Skips where there is no GPU.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (usable_cuda_devices(reason) == 0) GTEST_SKIP() << reason;
  }
};

template <class T>
struct DeviceVector : DeviceBuffer<T> {
  explicit DeviceVector(const std::vector<T> &values) : DeviceBuffer<T>("a test") {
    this->reserve(values.size());
    check(cudaMemcpy(this->data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "filling");
  }
};

template <class T>
std::vector<T> to_host(const T *data, std::size_t n) {
  std::vector<T> values(n);
  check(cudaMemcpy(values.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost), "reading");
  return values;
}

}  // namespace cuda
}  // namespace triad
