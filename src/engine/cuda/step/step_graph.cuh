// Several steps as one CUDA graph, so that the host pays for their launches once.
#pragma once

#include "core/cuda/resources.cuh"

namespace triad {
namespace cuda {

/// Whether the driver can record chained kernels (CUDA 12.3).
inline bool records_chained_kernels() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "asking for the driver's version");
  return version >= 12030;
}

class StepGraph {
 public:
  StepGraph() = default;
  ~StepGraph() { clear(); }
  StepGraph(const StepGraph &) = delete;
  StepGraph &operator=(const StepGraph &) = delete;

  bool recorded() const { return steps_ != nullptr; }

  /// Records what launch_all() gives a stream, and others that it makes wait for that one. None of it runs yet.
  template <class LaunchAll>
  void record(cudaStream_t stream, LaunchAll &&launch_all) {
    clear();
    Recording recording(stream);
    launch_all();
    cudaGraph_t graph = recording.end();
    const cudaError_t status = cudaGraphInstantiate(&steps_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "recording steps");
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(steps_, stream), "launching steps"); }
  /// When what it was recorded from has changed.
  void clear() {
    if (steps_) cudaGraphExecDestroy(steps_);
    steps_ = nullptr;
  }

 private:
  /// Leaves the stream as it was if a launch fails.
  class Recording {
   public:
    explicit Recording(cudaStream_t stream) : stream_(stream) {
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording steps");
    }
    ~Recording() {
      cudaGraph_t graph = nullptr;
      if (!ended_ && cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    }
    cudaGraph_t end() {
      cudaGraph_t graph = nullptr;
      ended_ = true;
      check(cudaStreamEndCapture(stream_, &graph), "recording steps");
      return graph;
    }

   private:
    cudaStream_t stream_;
    bool ended_ = false;
  };

  cudaGraphExec_t steps_ = nullptr;
};

}  // namespace cuda
}  // namespace triad
