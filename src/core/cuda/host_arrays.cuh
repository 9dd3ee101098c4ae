// Copies of host arrays to the device and back through page-locked memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/cuda/resources.cuh"
#include "core/tuning.h"

namespace triad {
namespace cuda {

/// Calls work(begin, end) for the chunks of [0, n) in which arrays are copied.
template <class Work>
void by_chunks(std::size_t n, Work &&work) {
  for (std::size_t begin = 0; begin < n; begin += tuning::copy_chunk)
    work(begin, std::min<std::size_t>(n, begin + tuning::copy_chunk));
}

/// A device copy of an array of the caller. All functions throw LoopError.
template <class T>
class UploadedArray {
 public:
  explicit UploadedArray(const char *what) : what_(what), pinned_(what), device_(what) {}

  /// Copies value(k) for k in [0, n) in chunks. Threads fill a page-locked chunk while the previous chunk is
  /// transferred.
  template <class Value>
  void upload(std::size_t n, int n_threads, cudaStream_t stream, Value &&value) {
    T *const filled = stage(n, stream);
    by_chunks(n, [&](std::size_t begin, std::size_t end) {
#pragma omp parallel for num_threads(n_threads) schedule(static) if (end - begin > tuning::threads_pay)
      for (std::size_t k = begin; k < end; ++k) filled[k] = value(k);
      copy_to_device(device_.data() + begin, pinned_.data() + begin, end - begin, stream, what_);
    });
    n_ = n;
  }
  /// Uploads an array that seldom changes, only if the array differs from the last upload(). Returns true if the array
  /// differed.
  template <class Value>
  bool upload_changed(std::size_t n, int n_threads, cudaStream_t stream, Value &&value) {
    const T *const last = pinned_.data();
    int changes = n != n_;
#pragma omp parallel for num_threads(n_threads) schedule(static) reduction(+ : changes) if (n > tuning::threads_pay)
    for (std::size_t k = 0; k < (n == n_ ? n : 0); ++k) {
      const T now = value(k);
      changes += std::memcmp(&now, &last[k], sizeof(T)) != 0;
    }
    if (changes) upload(n, n_threads, stream, value);
    return changes > 0;
  }

  /// Returns page-locked memory for n elements, which the caller fills before start_copy(n). Waits for `stream`,
  /// because after an error the last copy may still be in progress.
  T *stage(std::size_t n, cudaStream_t stream) {
    n_ = 0;
    check(cudaStreamSynchronize(stream), what_);
    pinned_.reserve(n);
    device_.reserve(n);
    return pinned_.data();
  }
  void start_copy(std::size_t n, cudaStream_t stream) {
    copy_to_device(device_.data(), pinned_.data(), n, stream, what_);
  }

  const T *data() const { return device_.data(); }
  double bytes() const { return double(pinned_.bytes()); }

 private:
  const char *what_;
  std::size_t n_ = 0;  // elements of the last upload()
  PinnedBuffer<T> pinned_;
  DeviceBuffer<T> device_;
};

/// Results on the device that are copied to the host. All functions throw LoopError.
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
  /// Queues the copy of the results that previous work of `stream` computes.
  void start_copy(cudaStream_t stream) {
    const std::size_t n_chunks = (n_ + tuning::copy_chunk - 1) / tuning::copy_chunk;
    if (copied_.size() < n_chunks) copied_ = std::vector<Event>(n_chunks);
    computed_.record(stream);
    auto copied = copied_.begin();
    by_chunks(n_, [&](std::size_t begin, std::size_t end) {
      copy_to_host(pinned_.data() + begin, device_.data() + begin, end - begin, stream, what_);
      (copied++)->record(stream);
    });
  }
  /// Waits for the results, but not for their copies.
  void wait_for_results(const char *what) const { computed_.wait(what); }
  /// Adds the elements to `sum`, chunk by chunk, while the next chunk is copied.
  void add_to(double *sum, int n_threads) const {
    auto copied = copied_.begin();
    by_chunks(n_, [&](std::size_t begin, std::size_t end) {
      (copied++)->wait(what_);
      const double *const results = pinned_.data();
#pragma omp parallel for simd num_threads(n_threads) schedule(static) if (end - begin > tuning::threads_pay)
      for (std::size_t k = begin; k < end; ++k) sum[k] += results[k];
    });
  }

  /// The copy; to be used after the stream has finished.
  const double *data() const { return pinned_.data(); }
  double operator[](std::size_t k) const { return pinned_[k]; }
  double bytes() const { return double(pinned_.bytes()); }

 private:
  const char *what_;
  std::size_t n_ = 0;
  PinnedBuffer<double> pinned_;
  DeviceBuffer<double> device_;
  Event computed_;
  std::vector<Event> copied_;  // [chunks]
};

/// Positions and forces of a backend for host arrays, which computes on the device: the same for all kinds of forces.
class HostStaging {
 public:
  /// `n_threads`: host threads that fill and empty the page-locked memory. Throws LoopError.
  HostStaging(int device, int n_threads) : device_(select_device(device)), n_threads_(std::max(1, n_threads)) {}

  /// Makes the device current on this thread.
  void select() const { select_device(device_); }
  std::string description() const { return describe_device(device_); }
  const Stream &stream() const { return stream_; }
  int n_threads() const { return n_threads_; }

  /// Copies value(k), k in [0, n), to the device, always or if a value has changed; see UploadedArray.
  template <class T, class Value>
  void upload(UploadedArray<T> &array, std::size_t n, Value &&value) const {
    array.upload(n, n_threads_, stream_, value);
  }
  template <class T, class Value>
  bool upload_changed(UploadedArray<T> &array, std::size_t n, Value &&value) const {
    return array.upload_changed(n, n_threads_, stream_, value);
  }

  /// Copies positions x [n][3] to the device.
  void upload_positions(const double *x, std::size_t n) {
    upload(x_, 3 * n, [x](std::size_t k) { return x[k]; });
  }
  const double *positions() const { return x_.data(); }

  /// Device memory for the forces on n atoms, [n][3]; the contents are those of earlier calls.
  double *forces(std::size_t n) { return force_.reserve(3 * n); }

  /// Adds forces(), which queued work computes, to `sum` on the host, and waits for the stream. queue_tallies() queues
  /// copies of other results, which follow the forces. check_forces() is called when the forces are computed, before
  /// `sum` is changed, and may throw. `what` completes "while ..." in errors.
  template <class QueueTallies, class CheckForces>
  void download(double *sum, const char *what, QueueTallies &&queue_tallies, CheckForces &&check_forces) {
    force_.start_copy(stream_);
    queue_tallies();
    force_.wait_for_results(what);
    check_forces();
    force_.add_to(sum, n_threads_);
    stream_.wait(what);
  }

  double bytes() const { return x_.bytes() + force_.bytes(); }

 private:
  int device_, n_threads_;
  Stream stream_;
  UploadedArray<double> x_{"positions"};
  DownloadedArray force_{"forces"};
};

}  // namespace cuda
}  // namespace triad
