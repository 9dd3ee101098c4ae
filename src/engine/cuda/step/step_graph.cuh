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

/// The lists for whose renewal steps are launched.
enum class Renewals {
  None,
  PrunedList,
  Lists  ///< also the neighbour list, which must be made in the step in which it expires
};

/// The graph outlives batches, since an update of its arguments takes a fraction of the time of a new graph.
class StepGraph {
 public:
  StepGraph() = default;
  ~StepGraph() { destroy(); }
  StepGraph(const StepGraph &) = delete;
  StepGraph &operator=(const StepGraph &) = delete;

  /// True from record() to forget().
  bool recorded() const { return recorded_; }
  /// The numbers with which the graph was recorded, see record().
  int phase() const { return phase_; }
  double weight() const { return weight_; }

  /// Captures the work that launch_all() puts on `stream` and on streams that wait for it. Nothing runs yet. `phase`:
  /// CombinedSteps::phase() in which the graph starts and ends. `weight`: that of averaged references.
  template <class LaunchAll>
  void record(int phase, double weight, cudaStream_t stream, LaunchAll &&launch_all) {
    forget();
    phase_ = phase;
    weight_ = weight;
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
  int phase_ = 0;
  double weight_ = 0;
};

/// A graph for steps with each kind of renewals.
class StepGraphs {
 public:
  StepGraph &of(Renewals renewals) { return graph_[static_cast<int>(renewals)]; }
  const StepGraph &of(Renewals renewals) const { return graph_[static_cast<int>(renewals)]; }
  void forget() {
    for (StepGraph &graph : graph_) graph.forget();
  }

 private:
  StepGraph graph_[3];
};

}  // namespace cuda
}  // namespace triad
