#include "core/cuda/resources.cuh"
#include "engine/copy_device_memory.h"

namespace triad {

void copy_device_memory(void *target, const void *source, std::size_t bytes) {
  cuda::check(cudaMemcpy(target, source, bytes, cudaMemcpyDefault), "copying between ranks");
  cuda::check(cudaDeviceSynchronize(), "copying between ranks");  // device-to-device copies are asynchronous
}

}  // namespace triad
