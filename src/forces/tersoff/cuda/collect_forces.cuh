// Consumer of combined_kernel() that hands forces over.
#pragma once

#include "forces/tersoff/cuda/combined_launches.cuh"

namespace triad {
namespace cuda {

/// Writes forces to rows of three numbers, or adds them to these. Loads and stores are coalesced by way of shared
/// memory.
template <class Format>
class CollectForces {
  static constexpr unsigned atoms = tuning::combined_block;

 public:
  static constexpr KernelsFor kernels = KernelsFor::Many;
  static constexpr bool virials = false;
  struct Job {
    double *force;  ///< [n][3]
    std::size_t n;
    bool adds;
    __device__ __forceinline__ std::size_t atoms() const { return n; }
  };

  __device__ __forceinline__ CollectForces(const Job &job, unsigned block, std::size_t, bool mine) : mine_(mine) {
    const std::size_t first = block * static_cast<std::size_t>(atoms);
    target_ = job.force + 3 * first;
    numbers_ = 3 * static_cast<unsigned>(job.n - first < atoms ? job.n - first : atoms);
    TRIAD_UNROLL
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned at = k * atoms + threadIdx.x;
      present_[k] = job.adds && at < numbers_ ? target_[at] : 0;
    }
  }
  __device__ __forceinline__ bool begin() const { return true; }
  __device__ __forceinline__ void take(const Vec3<typename Format::Sum> &force, const ForceProgress &) const {
    __shared__ double row[3 * atoms];
    if (mine_) {
      row[3 * threadIdx.x] = from_accumulator(force.x);
      row[3 * threadIdx.x + 1] = from_accumulator(force.y);
      row[3 * threadIdx.x + 2] = from_accumulator(force.z);
    }
    __syncthreads();
    TRIAD_UNROLL
    for (unsigned k = 0; k < 3; ++k) {
      const unsigned at = k * atoms + threadIdx.x;
      if (at < numbers_) target_[at] = present_[k] + row[at];
    }
  }

 private:
  double *target_;
  double present_[3];
  unsigned numbers_;
  bool mine_;
};

}  // namespace cuda
}  // namespace triad
