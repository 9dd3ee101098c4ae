// RAII owners of CUDA resources, and error checks that name the attempted operation.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/messages.h"

namespace triad {
namespace cuda {

/// Null, or a function of a test that replaces the status of a CUDA call.
using FaultHook = cudaError_t (*)(cudaError_t status);
inline FaultHook fault_hook = nullptr;
inline cudaError_t outcome(cudaError_t status) { return fault_hook ? fault_hook(status) : status; }

[[noreturn]] inline void throw_cuda_error(cudaError_t status, const std::string &what) {
  cudaGetLastError();  // clears the error unless it is sticky
  throw LoopError(
      "CUDA error while " + what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
      "); the results of this step are not valid. Rerun with backend host, or under compute-sanitizer to find "
      "the cause");
}

/// Throws LoopError unless `status` is success. `what` completes "while ...".
inline void check(cudaError_t status, const std::string &what) {
  status = outcome(status);
  if (status != cudaSuccess) throw_cuda_error(status, what);
}

/// Makes `device` current on this thread and returns it. Throws LoopError.
int select_device(int device);

/// Returns, for example, "cuda, NVIDIA H200 (device 0 of 1)".
std::string describe_device(int device);

[[noreturn]] inline void throw_out_of_memory(const char *where, std::size_t bytes, const std::string &purpose) {
  throw LoopError(out_of_memory(where, purpose, bytes) + ", or backend host");
}

struct DeviceMemory {
  static constexpr const char *name = "GPU";
  static cudaError_t allocate(void **data, std::size_t bytes) { return cudaMalloc(data, bytes); }
  static void release(void *data) { cudaFree(data); }
};
struct PageLockedMemory {
  static constexpr const char *name = "host (page-locked)";
  static cudaError_t allocate(void **data, std::size_t bytes) { return cudaMallocHost(data, bytes); }
  static void release(void *data) { cudaFreeHost(data); }
};

/// Returns a word of page-locked memory in which kernels report an error, and clears the word if there is a report.
/// Kernels may still run: what they report later is left for the next call.
inline int take_report(int &word) {
  volatile int &shared = word;
  const int report = shared;
  if (report != 0) shared = 0;
  return report;
}

/// Memory that grows and never shrinks; growing discards the content.
template <class T, class Memory>
class Buffer {
 public:
  explicit Buffer(const char *purpose) : purpose_(purpose) {}
  ~Buffer() { Memory::release(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  /// Ensures a size of n elements; true if the memory is new. Throws LoopError if memory is exhausted.
  bool reserve(std::size_t n) {
    if (n <= capacity_) return false;
    release();
    const std::size_t wanted = n + n / 16;
    void *memory = nullptr;
    cudaError_t status = outcome(cudaSuccess);
    if (status == cudaSuccess) status = Memory::allocate(&memory, wanted * sizeof(T));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw_out_of_memory(Memory::name, wanted * sizeof(T), purpose_);
    }
    if (status != cudaSuccess) throw_cuda_error(status, std::string("allocating ") + purpose_);
    data_ = static_cast<T *>(memory);
    capacity_ = wanted;
    return true;
  }
  void release() {
    Memory::release(data_);
    data_ = nullptr;
    capacity_ = 0;
  }
  T *data() const { return data_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

 private:
  const char *purpose_;
  T *data_ = nullptr;
  std::size_t capacity_ = 0;
};

template <class T>
using DeviceBuffer = Buffer<T, DeviceMemory>;

/// Ensures a size of n elements, and sets the bytes of new memory to zero. If they cannot be set, the memory is
/// released, so that the next call gets new memory again. Asynchronous. Throws LoopError. `what` completes "while ...".
template <class T>
void reserve_cleared(DeviceBuffer<T> &buffer, std::size_t n, cudaStream_t stream, const char *what) {
  if (!buffer.reserve(n)) return;
  const cudaError_t status = outcome(cudaMemsetAsync(static_cast<void *>(buffer.data()), 0, buffer.bytes(), stream));
  if (status == cudaSuccess) return;
  buffer.release();
  throw_cuda_error(status, what);
}

/// Page-locked host memory for asynchronous copies and for values that kernels write and the host reads.
template <class T>
class PinnedBuffer : public Buffer<T, PageLockedMemory> {
 public:
  using Buffer<T, PageLockedMemory>::Buffer;
  T &operator[](std::size_t i) const { return this->data()[i]; }
};

class Stream {
 public:
  /// `urgent`: the kernels of this stream have priority over those of other streams.
  explicit Stream(bool urgent = false) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "querying stream priorities");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, urgent ? greatest : least),
          "creating a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait(const char *what) const { check(cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
  void wait(const char *what) const { check(cudaEventSynchronize(event_), what); }
  /// Later work in `stream` waits for the event.
  void hold(cudaStream_t stream) const { check(cudaStreamWaitEvent(stream, event_), "waiting for an event"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Elapsed time between two points of a stream.
class Interval {
 public:
  Interval() {
    for (cudaEvent_t &event : events_) check(cudaEventCreate(&event), "creating an event");
  }
  ~Interval() {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  Interval(const Interval &) = delete;
  Interval &operator=(const Interval &) = delete;
  void start(cudaStream_t stream) { check(cudaEventRecord(events_[0], stream), "recording an event"); }
  void stop(cudaStream_t stream) { check(cudaEventRecord(events_[1], stream), "recording an event"); }
  /// Elapsed time in seconds; to be called after the stream has passed both points.
  double seconds() const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, events_[0], events_[1]), "reading the time between events");
    return 1e-3 * ms;
  }

 private:
  cudaEvent_t events_[2] = {nullptr, nullptr};
};

template <class T>
void copy_to_device(T *target, const T *source, std::size_t n, cudaStream_t stream, const char *what) {
  if (n) check(cudaMemcpyAsync(target, source, n * sizeof(T), cudaMemcpyHostToDevice, stream), what);
}
template <class T>
void copy_to_host(T *target, const T *source, std::size_t n, cudaStream_t stream, const char *what) {
  if (n) check(cudaMemcpyAsync(target, source, n * sizeof(T), cudaMemcpyDeviceToHost, stream), what);
}

template <class T>
void copy_on_device(T *target, const T *source, std::size_t n, cudaStream_t stream, const char *what) {
  if (n) check(cudaMemcpyAsync(target, source, n * sizeof(T), cudaMemcpyDeviceToDevice, stream), what);
}

/// Launches a kernel with one attribute, or without attributes if `attribute` is null.
template <class... Parameters, class... Arguments>
void launch_with(cudaLaunchAttribute *attribute, unsigned blocks, unsigned threads, cudaStream_t stream,
                 const char *what, void (*kernel)(Parameters...), const Arguments &...arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = attribute ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), what);
}

/// Launches a kernel. `dependent`: programmatic dependent launch, that is, the launch may overlap the previous kernel
/// of the stream; the kernel must call wait_for_previous_kernel() before it accesses memory that the previous kernel
/// writes.
template <class... Parameters, class... Arguments>
void launch(bool dependent, unsigned blocks, unsigned threads, cudaStream_t stream, const char *what,
            void (*kernel)(Parameters...), const Arguments &...arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  launch_with(dependent ? &attribute : nullptr, blocks, threads, stream, what, kernel, arguments...);
}

/// True if this number of blocks of a kernel can be resident at once on the current device, so that these blocks can
/// wait for each other.
template <class... Parameters>
bool run_at_once(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, int multiprocessors) {
  int device = 0, possible = 0, per_multiprocessor = 0;
  check(cudaGetDevice(&device), "querying the current device");
  check(cudaDeviceGetAttribute(&possible, cudaDevAttrCooperativeLaunch, device), "querying cooperative launches");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, static_cast<int>(threads), 0),
        "querying the occupancy of a kernel");
  return possible && blocks <= unsigned(per_multiprocessor) * unsigned(multiprocessors);
}

/// True if the current device supports programmatic dependent launch (compute capability 9).
inline bool supports_dependent_launch() {
  int device = 0, major = 0;
  check(cudaGetDevice(&device), "querying the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "querying the compute capability");
  return major >= 9;
}

#if defined(__CUDACC__)
/// Allows the start of the next kernel, if its launch is a programmatic dependent launch.
__device__ __forceinline__ void allow_next_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Used in kernels of programmatic dependent launches: waits for the results of the previous kernel, then allows the
/// start of the next one. Results of all earlier kernels are visible too, because each of these kernels has waited in
/// turn.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  allow_next_kernel();
}
#endif

/// Number of blocks of `threads` threads that cover n items.
inline unsigned blocks_for(std::size_t n, unsigned threads) { return unsigned((n + threads - 1) / threads); }

}  // namespace cuda
}  // namespace triad
