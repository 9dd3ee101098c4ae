#include <utility>

#include "core/cuda/resources.cuh"
#include "core/cuda/runtime_compiler.h"
#include "core/cuda/runtime_kernels.h"

namespace triad {
namespace cuda {

RuntimeKernels::RuntimeKernels(std::string source) : source_(std::move(source)) { require_runtime_compiler(); }

RuntimeKernels::~RuntimeKernels() {
  for (const auto &[name, compiled] : compiled_) cudaLibraryUnload(compiled.code);
}

RuntimeKernels::Compiled RuntimeKernels::compile(const std::string &kernel) const {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "querying the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "reading the compute capability");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "reading the compute capability");
  const std::string architecture = "sm_" + std::to_string(major) + std::to_string(minor);
  const MachineCode &code = machine_code(source_, kernel, architecture);
  Compiled result = {};
  check(cudaLibraryLoadData(&result.code, code.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "loading the kernels of a formula");
  const cudaError_t found = cudaLibraryGetKernel(&result.kernel, result.code, code.name.c_str());
  if (found != cudaSuccess) cudaLibraryUnload(result.code);
  check(found, "loading the kernels of a formula");
  return result;
}

void RuntimeKernels::launch(const std::string &kernel, unsigned blocks, unsigned threads, void **arguments,
                            cudaStream_t stream) {
  auto found = compiled_.find(kernel);
  if (found == compiled_.end()) found = compiled_.emplace(kernel, compile(kernel)).first;
  check(cudaLaunchKernel(reinterpret_cast<const void *>(found->second.kernel), dim3(blocks), dim3(threads), arguments,
                         0, stream),
        "running a kernel of a formula");
}

}  // namespace cuda
}  // namespace triad
