// Pair forces of a formula on the device: the kernels of the built-in laws (triangle_kernels.cuh, pair_list_kernel.cuh)
// with a law that is generated from the formula, compiled at run time.
#pragma once

#include <memory>
#include <string>

#include "core/cuda/runtime_kernels.h"
#include "forces/pairwise/cuda/formula_source.h"
#include "forces/pairwise/pair_numbers.h"
#include "forces/pairwise/pair_points.h"
#include "potentials/pairwise/formula_law.h"

namespace triad {
namespace cuda {

/// Stands for the generated law in the arguments of kernels; both have no data. The generated law has the same
/// coefficients.
template <class R>
struct FormulaOnDevice {
  using Real = R;
  using Coefficients = FormulaCoefficients<R>;
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  static double scale(const FormulaSettings &) { return 1; }
  Real softening() const { return 0; }
};

/// True for the law of a formula.
template <class Law>
constexpr bool compiled_at_run_time = std::is_same<Law, FormulaOnDevice<typename Law::Real>>::value;

/// The kernels of one formula, created at the first use.
class FormulaKernels {
 public:
  /// Launches the instance of a kernel template whose arguments `types` names after the law, for example
  /// launch<float>("triangle_kernel", "triad::PairSingle, triad::Images::None, 4, false", ...).
  template <class Real, class... Arguments>
  void launch(const Formula &formula, const std::string &kernel, const std::string &before, const std::string &after,
              unsigned blocks, unsigned threads, cudaStream_t stream, Arguments... arguments) {
    if (!kernels_) kernels_ = std::make_unique<RuntimeKernels>(cuda_source(formula));
    void *pointers[] = {&arguments...};
    const std::string law = std::string("triad::cuda::FormulaOnDevice<") + (sizeof(Real) == 4 ? "float>" : "double>");
    kernels_->launch("triad::cuda::" + kernel + "<" + before + law + after + ">", blocks, threads, pointers, stream);
  }

 private:
  std::unique_ptr<RuntimeKernels> kernels_;
};

/// Names of template arguments in the generated source.
template <class Format>
std::string name_of_format() {
  return std::is_same<Format, PairSingle>::value  ? "triad::PairSingle"
         : std::is_same<Format, PairMixed>::value ? "triad::PairMixed"
                                                  : "triad::PairDouble";
}
inline std::string name_of(Images images) {
  return images == Images::None         ? "triad::Images::None"
         : images == Images::Orthogonal ? "triad::Images::Orthogonal"
                                        : "triad::Images::Triclinic";
}

}  // namespace cuda
}  // namespace triad
