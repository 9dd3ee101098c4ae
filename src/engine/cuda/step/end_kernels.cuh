// Kernels of the actions at the end of steps: which atoms they may concern, sums over these, and the change of the
// atoms that follows from the sums.
#pragma once

#include "dynamics/end_of_step.h"
#include "engine/cuda/lists/marked_regions.cuh"
#include "engine/cuda/state/group_kernels.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"

namespace triad {
namespace cuda {

/// An action at the end of steps, in device memory.
struct DeviceEndOfStep {
  EndOfStep action;
  HeatExchange change;  ///< of the last step

  /// Sets the change in a step. `sums`: in the order of ExchangeSums.
  __device__ __forceinline__ void decide(const double (&sums)[ExchangeSums::size], std::int64_t step) {
    ExchangeSums all;
    for (int k = 0; k < ExchangeSums::size; ++k) all[k] = sums[k];
    change = action.decide(all, step);
  }
};

/// What the kernels need of an action.
template <class Format>
struct EndView {
  BlockTest<Format> block;
  int measured_bit, changed_bit;  ///< bits of groups; 0: all atoms
  GroupMembers atoms;             ///< all atoms that may be in one of the groups and in the block
  DeviceEndOfStep *end;
};

/// Actions of one step, none of which changes atoms over which another one sums.
template <class Format>
struct EndsJob {
  DeviceState<Format> state;
  int count;
  EndView<Format> end[tuning::ends_at_once];
  std::int64_t first_step;  ///< of StepBatch
  double *blocks;           ///< [count][ExchangeSums::size][blocks that sum], see sums()
  unsigned *ended;          ///< [count], 0: blocks that have written their sums
  const StepGuard *guard;

  /// The sums of the blocks of a kernel for action number e.
  __device__ __forceinline__ SumsOfBlocks sums(int e, unsigned n_blocks) const {
    return {blocks + ExchangeSums::size * std::size_t(n_blocks) * e, n_blocks};
  }
  __device__ __forceinline__ bool is_measured(int e, std::size_t i) const { return has_bit(end[e].measured_bit, i); }
  __device__ __forceinline__ bool is_changed(int e, std::size_t i) const { return has_bit(end[e].changed_bit, i); }
  __device__ __forceinline__ bool has_bit(int bit, std::size_t i) const { return bit == 0 || (state.mask[i] & bit); }
  /// LAMMPS's number of the step.
  __device__ std::int64_t step() const { return first_step + guard->completed - 1; }
};

/// Sums for one action per row of the grid, in a fixed order, also over the ranks of `peers` if there are any; then the
/// job must have a single action. The last block of a row decides the change of the atoms.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block) end_sums_kernel(const EndsJob<Format> job, const Peers peers) {
  if (job.guard->stopped) return;
  constexpr int n_sums = ExchangeSums::size;
  const int e = static_cast<int>(blockIdx.y);
  const EndView<Format> &end = job.end[e];
  const ExchangeSumJob<Format> add = {job.state, end.block};
  PartialSums<n_sums> mine;
  for (int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); k < end.atoms.count;
       k += static_cast<int>(gridDim.x * blockDim.x)) {
    const std::size_t i = end.atoms[k];
    if (job.is_measured(e, i)) add(mine.v, i);
  }
  const SumsOfBlocks sums = job.sums(e, gridDim.x);
  sums.write(blockIdx.x, mine);
  if (!is_last_block(job.ended + e, gridDim.x)) return;
  mine = sums.total<n_sums>();
  if (peers.ranks) mine = peers.sum(mine);
  if (threadIdx.x == 0) end.end->decide(mine.v, job.step());
}

/// The changes that end_sums_kernel() has decided; one action per row of the grid.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block) end_changes_kernel(const EndsJob<Format> job) {
  if (job.guard->stopped) return;
  const int e = static_cast<int>(blockIdx.y);
  const EndView<Format> &end = job.end[e];
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= end.atoms.count) return;
  const std::size_t i = end.atoms[k];
  if (job.is_changed(e, i)) ExchangeOp<Format>{job.state, end.block, end.end->change}(i);
}

/// Marks the atoms that are not farther than `margin` from a region.
template <class Format>
struct MarkOp {
  DeviceState<Format> state;
  const double *anchor;          ///< [n][3]
  const MarkedRegions *regions;  ///< in device memory
  double margin;
  int *marks;   ///< [n] output, bit k: the atom is near region k
  int *shared;  ///< is set to 1 if an atom has several bits
  __device__ void operator()(std::size_t i) const {
    const Vec3<double> at = state.position(anchor, i);
    const double x[3] = {at.x, at.y, at.z};
    const int bits = regions->near(x, state.mask[i], margin);
    marks[i] = bits;
    if (bits & (bits - 1)) *shared = 1;
  }
};

/// Sets *missing if an atom may reach a region for which it is not marked.
template <class Format>
struct MarkCheckOp {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3] of atoms in the box
  MarkCheck check;
  int *missing;
  __device__ void operator()(std::size_t i) const {
    if (check.misses(static_cast<int>(i), anchor + 3 * i, state.mask)) *missing = 1;
  }
};

/// True for atoms with one of these bits.
struct HasMark {
  const int *marks;  ///< [n]
  int bits;
  __device__ bool operator()(int i) const { return marks[i] & bits; }
};

}  // namespace cuda
}  // namespace triad
