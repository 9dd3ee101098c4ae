// CUDA calls that fail where a test wants them to, exported by faultsplugin.so.
#include <atomic>

#include "core/cuda/resources.cuh"

namespace {

std::atomic<long long> calls{0}, first{0}, last{0};
std::atomic<int> error{0};
std::atomic<bool> any_failed{false};

cudaError_t fail_call(cudaError_t status) {
  const long long n = ++calls;
  if (n < first || n >= last) return status;
  any_failed = true;
  return static_cast<cudaError_t>(error.load());
}

}  // namespace

extern "C" {

/// The n-th call whose outcome is looked at fails with the error of number `code`, and `times` - 1 more after it; none
/// where n is 0.
__attribute__((visibility("default"))) void triad_fail_cuda_call(long long n, long long times, int code) {
  calls = 0;
  any_failed = false;
  error = code;
  last = n > 0 ? n + times : 0;
  first = n;
  triad::cuda::fault_hook = &fail_call;
}
__attribute__((visibility("default"))) long long triad_cuda_calls() { return calls; }
__attribute__((visibility("default"))) int triad_cuda_fault_fired() { return any_failed; }
}
