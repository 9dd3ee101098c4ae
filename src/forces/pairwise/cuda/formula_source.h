// The law of a formula in CUDA C++.
#pragma once

#include <string>

#include "potentials/pairwise/formula.h"

namespace triad {
namespace cuda {

/// Returns CUDA C++ that defines triad::cuda::FormulaOnDevice<Real>, the functor of the law, and includes the kernels.
std::string cuda_source(const Formula &formula);

}  // namespace cuda
}  // namespace triad
