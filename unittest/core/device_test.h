// Fixture and memory for tests that need a GPU.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/cuda/resources.cuh"

namespace triad {
namespace cuda {

/// Skips tests on machines without a GPU.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (usable_cuda_devices(reason) == 0) GTEST_SKIP() << reason;
  }
};

/// Initialised device memory that is visible to every stream.
template <class T>
struct DeviceVector : DeviceBuffer<T> {
  explicit DeviceVector(const std::vector<T> &values) : DeviceBuffer<T>("a test") {
    this->reserve(values.size());
    copy_to_device(this->data(), values.data(), values.size(), nullptr, "filling");
    check(cudaDeviceSynchronize(), "filling");
  }
};

template <class T>
std::vector<T> sync_host(const T *data, std::size_t n) {
  std::vector<T> values(n);
  copy_to_host(values.data(), data, n, nullptr, "reading");
  check(cudaDeviceSynchronize(), "reading");
  return values;
}

}  // namespace cuda
}  // namespace triad
