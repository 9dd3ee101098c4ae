// Kernels that runtime_compiler.h compiles, on the current device.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <string>

namespace triad {
namespace cuda {

/// The kernels of one source for the current device. Each kernel is compiled at its first launch.
class RuntimeKernels {
 public:
  /// `source`: CUDA C++ that includes embedded headers. Throws LoopError if there is no NVRTC; the message names the
  /// package to install.
  explicit RuntimeKernels(std::string source);
  ~RuntimeKernels();
  RuntimeKernels(const RuntimeKernels &) = delete;
  RuntimeKernels &operator=(const RuntimeKernels &) = delete;

  /// Launches a kernel, given as an expression such as "triad::cuda::f<float, 4>". `arguments`: pointers to the
  /// arguments. Throws LoopError with the compiler's messages.
  void launch(const std::string &kernel, unsigned blocks, unsigned threads, void **arguments, cudaStream_t stream);

 private:
  struct Compiled {
    cudaLibrary_t code;
    cudaKernel_t kernel;
  };
  Compiled compile(const std::string &kernel) const;

  std::string source_;
  std::map<std::string, Compiled> compiled_;
};

}  // namespace cuda
}  // namespace triad
