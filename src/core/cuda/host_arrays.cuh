// Copies of host arrays to the device and back through page-locked memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/cuda/resources.cuh"
#include "core/tuning.h"

namespace triad {
namespace cuda {

/// A device copy of an array of the caller.
template <class T>
class UploadedArray {
 public:
  explicit UploadedArray(const char *what) : what_(what), pinned_(what), device_(what) {}

  /// Copies value(k) for k in [0, n) in chunks. Threads fill a page-locked chunk while the previous chunk is
  /// transferred.
  template <class Value>
  void upload(std::size_t n, int n_threads, cudaStream_t stream, Value &&value) {
    n_ = 0;
    check(cudaStreamSynchronize(stream), what_);  // after an error the last upload may still be in progress
    pinned_.reserve(n);
    device_.reserve(n);
    T *const filled = pinned_.data();
    for (std::size_t begin = 0; begin < n; begin += tuning::copy_chunk) {
      const std::size_t end = std::min<std::size_t>(n, begin + tuning::copy_chunk);
#pragma omp parallel for num_threads(n_threads) schedule(static) if (end - begin > tuning::threads_pay)
      for (std::size_t k = begin; k < end; ++k) filled[k] = value(k);
      copy_to_device(device_.data() + begin, pinned_.data() + begin, end - begin, stream, what_);
    }
    n_ = n;
  }
  /// Uploads an array that seldom changes, only if the array differs from the last upload. Returns true if the array
  /// differed.
  bool upload_changed(const T *source, std::size_t n, int n_threads, cudaStream_t stream) {
    if (n == n_ && std::memcmp(source, pinned_.data(), n * sizeof(T)) == 0) return false;
    upload(n, n_threads, stream, [source](std::size_t k) { return source[k]; });
    return true;
  }
  const T *data() const { return device_.data(); }
  double bytes() const { return double(pinned_.bytes()); }

 private:
  const char *what_;
  std::size_t n_ = 0;
  PinnedBuffer<T> pinned_;
  DeviceBuffer<T> device_;
};

/// Results on the device that are copied to the host.
class DownloadedArray {
 public:
  explicit DownloadedArray(const char *what) : what_(what), pinned_(what), device_(what) {}

  /// Reserves n elements on the device.
  double *reserve(std::size_t n) {
    n_ = n;
    device_.reserve(n);
    pinned_.reserve(n);
    return device_.data();
  }
  void start_copy(cudaStream_t stream) { copy_to_host(pinned_.data(), device_.data(), n_, stream, what_); }
  const double *data() const { return pinned_.data(); }
  double operator[](std::size_t k) const { return pinned_[k]; }
  double bytes() const { return double(pinned_.bytes()); }

 private:
  const char *what_;
  std::size_t n_ = 0;
  PinnedBuffer<double> pinned_;
  DeviceBuffer<double> device_;
};

}  // namespace cuda
}  // namespace triad
