// Accumulators of pair forces on the device, as the kernels see them.
#pragma once

#include "core/cuda/formats.cuh"
#include "forces/pairwise/pair_numbers.h"

namespace triad {
namespace cuda {

/// Force accumulators of a format of pair forces.
template <class Format>
struct PairForces : ForceArray<Format> {};
template <>
struct PairForces<PairSingle> : ForceArray<SingleFormat> {};

/// Tallies by slot or atom: energy, then the virial xx yy zz xy xz yz; each atom has half of a pair's tally.
struct PairTallies {
  static constexpr int width = PairTally<double>::width;
  double *base;  ///< [width][stride]
  std::size_t stride;

  __device__ __forceinline__ void add(std::size_t at, const PairTally<double> &tally) const {
    for (int v = 0; v < width; ++v) atomicAdd(base + v * stride + at, tally.v[v]);
  }
};

}  // namespace cuda
}  // namespace triad
