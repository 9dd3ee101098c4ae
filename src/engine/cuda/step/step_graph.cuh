// Several steps in one CUDA graph, which the host launches with one call.
#pragma once

#include "core/cuda/resources.cuh"

namespace triad {
namespace cuda {

/// True if the driver can capture programmatic dependent launches into graphs (CUDA 12.3 and later).
inline bool captures_dependent_launches() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "asking for the driver's version");
  return version >= 12030;
}

/// The graph outlives batches, since an update of its arguments takes a fraction of the time of a new graph.
class StepGraph {
 public:
  StepGraph() = default;
  ~StepGraph() { destroy(); }
  StepGraph(const StepGraph &) = delete;
  StepGraph &operator=(const StepGraph &) = delete;

  /// True from record() to forget().
  bool recorded() const { return recorded_; }

  /// Captures the work that launch_all() puts on `stream` and on streams that wait for it. Nothing runs yet.
  template <class LaunchAll>
  void record(cudaStream_t stream, LaunchAll &&launch_all) {
    forget();
    Recording recording(stream);
    launch_all();
    cudaGraph_t graph = recording.end();
    const cudaError_t status = update(graph) ? cudaSuccess : cudaGraphInstantiate(&steps_, graph, 0);
    cudaGraphDestroy(graph);
    check(status, "recording steps");
    recorded_ = true;
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(steps_, stream), "launching steps"); }
  /// To be called when the arguments of the captured launches have changed.
  void forget() { recorded_ = false; }

 private:
  /// Gives the launches the arguments of those in `graph`. Returns false, without a graph, if the launches differ in
  /// more than that.
  bool update(cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo why_not;
    if (steps_ && cudaGraphExecUpdate(steps_, graph, &why_not) == cudaSuccess) return true;
    cudaGetLastError();
    destroy();
    return false;
  }
  void destroy() {
    if (steps_) cudaGraphExecDestroy(steps_);
    steps_ = nullptr;
  }

  /// Ends the capture also if a launch throws.
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
  bool recorded_ = false;
};

}  // namespace cuda
}  // namespace triad
