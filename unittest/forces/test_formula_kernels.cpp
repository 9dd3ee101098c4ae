// NVRTC compiles the kernels of formulas. This needs no GPU, so a mistake in the headers that the plugin contains as
// text shows on any machine that has the library.
#include <gtest/gtest.h>

#include <string>

#include "core/cuda/runtime_compiler.h"
#include "core/error.h"
#include "forces/pairwise/cuda/formula_source.h"
#include "testing/formulas.h"

namespace triad {
namespace {

class FormulaKernels : public testing::TestWithParam<const char *> {};

TEST_P(FormulaKernels, Compile) {
  try {
    cuda::require_runtime_compiler();
  } catch (const LoopError &error) {
    GTEST_SKIP() << error.what();
  }
  const std::string source = cuda::cuda_source(of_all_operations());
  const cuda::MachineCode &code = cuda::machine_code(source, GetParam(), "sm_90");
  EXPECT_GT(code.cubin.size(), 1000u);
  EXPECT_FALSE(code.name.empty());
  EXPECT_EQ(&code, &cuda::machine_code(source, GetParam(), "sm_90")) << "compiled once";
}

INSTANTIATE_TEST_SUITE_P(
    Pairwise, FormulaKernels,
    testing::Values(
        "triad::cuda::triangle_kernel<triad::cuda::FormulaOnDevice<float>, triad::PairMixed, "
        "triad::Images::Orthogonal, 4, false>",
        "triad::cuda::onesided_kernel<triad::cuda::FormulaOnDevice<double>, triad::PairDouble, "
        "triad::Images::Triclinic, 1, true>",
        "triad::cuda::pair_list_kernel<true, false, triad::cuda::FormulaOnDevice<float>, triad::PairSingle, "
        "triad::cuda::WrappedPosition>"),
    [](const auto &info) { return "Kernel" + std::to_string(info.index); });

TEST(RuntimeCompiler, ErrorsHaveTheMessagesOfTheCompiler) {
  try {
    cuda::require_runtime_compiler();
  } catch (const LoopError &error) {
    GTEST_SKIP() << error.what();
  }
  try {
    cuda::machine_code("__global__ void f() { unknown(); }", "f", "sm_90");
    ADD_FAILURE() << "accepted";
  } catch (const LoopError &error) {
    EXPECT_NE(std::string(error.what()).find("unknown"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace triad
