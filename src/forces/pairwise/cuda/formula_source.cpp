#include "forces/pairwise/cuda/formula_source.h"

#include <cstdio>

namespace triad {
namespace cuda {

namespace {

std::string number(double x) {
  char text[60];
  std::snprintf(text, sizeof text, "Real(%.17g)", x);
  return text;
}

/// The expression of a step; t0, t1, ... are the values of earlier steps.
std::string expression(const FormulaStep &s) {
  const auto t = [](int k) { return "t" + std::to_string(k); };
  const auto call = [&](const char *function) { return std::string(function) + "(" + t(s.a) + ")"; };
  const auto call2 = [&](const char *function) { return std::string(function) + "(" + t(s.a) + ", " + t(s.b) + ")"; };
  switch (s.op) {
    case FormulaOp::Constant:
      return number(s.value);
    case FormulaOp::Parameter:
      return "c.p[" + std::to_string(s.a) + "]";
    case FormulaOp::Squared:
      return "squared";
    case FormulaOp::Add:
      return t(s.a) + " + " + t(s.b);
    case FormulaOp::Multiply:
      return t(s.a) + " * " + t(s.b);
    case FormulaOp::Reciprocal:
      return call("math::reciprocal");
    case FormulaOp::Root:
      return call("math::sqrt");
    case FormulaOp::ReciprocalRoot:
      return call("math::rsqrt_normal");
    case FormulaOp::Power:
      return call2("::pow");
    case FormulaOp::Exp:
      return call("math::exp");
    case FormulaOp::Exp2:
      return call("math::exp2");
    case FormulaOp::Log:
      return call("::log");
    case FormulaOp::Log2:
      return call("math::log2");
    case FormulaOp::Sin:
      return call("::sin");
    case FormulaOp::Cos:
      return call("::cos");
    case FormulaOp::Tan:
      return call("::tan");
    case FormulaOp::Asin:
      return call("::asin");
    case FormulaOp::Acos:
      return call("::acos");
    case FormulaOp::Atan:
      return call("::atan");
    case FormulaOp::Atan2:
      return call2("::atan2");
    case FormulaOp::Sinh:
      return call("::sinh");
    case FormulaOp::Cosh:
      return call("::cosh");
    case FormulaOp::Tanh:
      return call("::tanh");
    case FormulaOp::Erf:
      return call("::erf");
    case FormulaOp::Erfc:
      return call("::erfc");
    case FormulaOp::Step:
      return "Real(" + t(s.a) + " >= 0)";
    case FormulaOp::Delta:
      return "Real(" + t(s.a) + " == 0)";
    case FormulaOp::Abs:
      return call("math::abs");
    case FormulaOp::Floor:
      return call("::floor");
    case FormulaOp::Ceil:
      return call("::ceil");
    case FormulaOp::Min:
      return t(s.a) + " < " + t(s.b) + " ? " + t(s.a) + " : " + t(s.b);
    case FormulaOp::Max:
      return t(s.a) + " > " + t(s.b) + " ? " + t(s.a) + " : " + t(s.b);
    default:  // Select
      return t(s.a) + " != 0 ? " + t(s.b) + " : " + t(s.c);
  }
}

}  // namespace

std::string cuda_source(const Formula &formula) {
  std::string body;
  for (std::size_t k = 0; k < formula.steps.size(); ++k)
    body += "    const Real t" + std::to_string(k) + " = " + expression(formula.steps[k]) + ";\n";
  return R"triad(
#include "forces/pairwise/cuda/pair_list_kernel.cuh"
#include "forces/pairwise/cuda/triangle_kernels.cuh"

namespace triad {
namespace cuda {

template <class R>
struct FormulaOnDevice {
  using Real = R;
  struct Coefficients {
    R p[)triad" +
         std::to_string(Formula::most_parameters) + R"triad(];
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  __device__ __forceinline__ Real softening() const { return 0; }
  __device__ __forceinline__ PairTerm<Real> operator()(Real squared, const Coefficients &c) const {
)triad" + body +
         "    return {t" + std::to_string(formula.energy) + ", t" + std::to_string(formula.pull) + R"triad(};
  }
};

}  // namespace cuda
}  // namespace triad
)triad";
}

}  // namespace cuda
}  // namespace triad
