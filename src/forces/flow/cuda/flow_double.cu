// Kernels and backend of shallow water in precision double.

#include "forces/flow/cuda/flow_cuda_impl.cuh"

namespace triad {
namespace cuda {

template std::unique_ptr<FlowBackend> make_flow_cuda_format<FloatFormats::Double>(const FlowSetup &, int, int);

}  // namespace cuda
}  // namespace triad
