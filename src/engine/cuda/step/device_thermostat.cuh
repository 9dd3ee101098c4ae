// Nose-Hoover thermostat on the device: sums of the kinetic energy, and the chain, which gives the factors by which the
// kernel that moves the atoms scales their velocities.
#pragma once

#include <cub/util_type.cuh>

#include "core/cuda/copy_words.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/cuda/step/step_job.cuh"
#include "engine/md_engine.h"
#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

/// Adds m v v of atom i, with the velocity after the coming half kick, if the atom is in the group `measured` of
/// thermostat number `number`.
template <class Format>
__device__ __forceinline__ void add_kicked(KineticSums &sum, const StepJob<Format> &job, std::size_t i,
                                           Vec3<typename DeviceState<Format>::Velocity> u,
                                           const Vec3<typename DeviceState<Format>::Velocity> &f, int measured,
                                           int number = 0) {
  const DeviceState<Format> &state = job.state;
  const auto &group = job.group[number];
  if (measured && !(state.mask[i] & measured)) return;
  if (group.bit == 0 || (state.mask[i] & group.bit)) u = u + state.kick(i, group.half_kick, group.uniform_kick) * f;
  const double v[3] = {u.x, u.y, u.z};
  add_kinetic(sum, state.mass_of(i), v);
}

/// Kinetic sums from the first `Sums` of them; the others are 0.
template <int Sums>
__device__ __forceinline__ KineticSums kinetic_of(const PartialSums<Sums> &first) {
  KineticSums all;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) all[k] = first.v[k];
  return all;
}

/// Kinetic sums of blocks in device memory. Those of one kind are neighbours, since one block adds those of all blocks.
struct KineticOfBlocks {
  double *sum = nullptr;  ///< [KineticSums::size][blocks]
  unsigned blocks = 0;

  /// Writes the first `Sums` sums over the threads of a block. All its threads call this; thread 0 writes.
  template <int Sums>
  __device__ __forceinline__ void write(unsigned block, KineticSums mine) const {
    PartialSums<Sums> part;
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) part.v[k] = mine[k];
    part = sum_over_block<tuning::kinetic_block>(part);
    if (threadIdx.x != 0) return;
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) sum[k * blocks + block] = part.v[k];
  }
  /// The first `Sums` sums over the blocks from `first` to `last`, exclusive. All threads of a block call this and
  /// receive the sums.
  template <int Sums>
  __device__ __forceinline__ KineticSums total(unsigned first, unsigned last) const {
    return kinetic_of(sums_by_warps<Sums, tuning::kinetic_block>(
        [&](int k) { return sum_of_lane(of_all(k) + first, last - first); }));
  }
  /// The same over all blocks.
  template <int Sums>
  __device__ __forceinline__ KineticSums total() const {
    return total<Sums>(0, blocks);
  }
  /// Sum k of all blocks.
  __device__ __forceinline__ const double *of_all(int k) const { return sum + k * blocks; }
};

/// Kinetic sums of blocks that have one atom per thread, added up by groups of neighbouring blocks, so that a single
/// block can add the sums of all groups.
struct KineticOfGroups {
  KineticOfBlocks of_blocks, of_groups;
  unsigned per_group = 1;       ///< blocks; if it is 1, `of_blocks` is not used
  unsigned *arrived = nullptr;  ///< [of_groups.blocks] counts of blocks; zero before and after each kernel

  static unsigned blocks_per_group(unsigned blocks) {
    return blocks > tuning::most_ungrouped_blocks ? tuning::thermostat_blocks_per_group : 1;
  }
  static unsigned groups_of(unsigned blocks) {
    return (blocks + blocks_per_group(blocks) - 1) / blocks_per_group(blocks);
  }
  /// Writes the first `Sums` sums over the threads of a block; the last block of a group adds those of the group. All
  /// threads of a block call this.
  template <int Sums>
  __device__ __forceinline__ void write(unsigned block, const KineticSums &mine) const {
    if (per_group == 1) return of_groups.write<Sums>(block, mine);
    of_blocks.write<Sums>(block, mine);
    const unsigned group = block / per_group, first = group * per_group;
    const unsigned size = min(per_group, of_blocks.blocks - first);
    if (!is_last_block(arrived + group, size)) return;
    KineticSums sum = of_blocks.total<Sums>(first, first + size);
    if (threadIdx.x != 0) return;
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) of_groups.sum[k * of_groups.blocks + group] = sum[k];
  }
};

/// Virials of the blocks of the force kernels, and their sums over groups of these blocks.
struct VirialOfBlocks {
  const BlockTotals *of_forces = nullptr;  ///< [blocks]
  unsigned blocks = 0;
  double *sum = nullptr;  ///< [3][groups] xx, yy, zz
  unsigned groups = 0;
  const BlockTotals *of_terms = nullptr;  ///< [terms] of further forces, already summed
  unsigned terms = 0;

  /// Block number `group` of a kernel sums one group. All its threads call this.
  __device__ __forceinline__ void write(unsigned group) const {
    if (group >= groups) return;
    PartialSums<3> mine;
    for (unsigned b = group * blockDim.x + threadIdx.x; b < blocks; b += groups * blockDim.x)
      for (int d = 0; d < 3; ++d) mine.v[d] += of_forces[b].v[1 + d];
    mine = sum_over_block<tuning::kinetic_block>(mine);
    if (threadIdx.x != 0) return;
    for (int d = 0; d < 3; ++d) sum[d * groups + group] = mine.v[d];
  }
  /// Component d of all groups.
  __device__ __forceinline__ const double *of_all(int d) const { return sum + d * groups; }
  /// The part of one thread of a warp in the sum of component d over all terms.
  __device__ __forceinline__ double terms_of_lane(int d) const {
    double mine = 0;
    for (unsigned t = threadIdx.x % 32; t < terms; t += 32) mine += __ldcg(&of_terms[t].v[1 + d]);
    __syncwarp();
    return mine;
  }
};

/// Finishes the half step that ends a step and, if another step `follows`, makes the first half step of that one. Sets
/// the factors of the velocities. One thread calls it.
static __device__ __forceinline__ void finish_step(HeldThermostat *thermostat, const KineticSums &measured,
                                                   bool follows, double *factors) {
  thermostat->see(measured.mvv);
  factors[0] = thermostat->finish_half_step();
  if (follows) factors[1] = thermostat->half_step(thermostat->step + 1);
}

/// A copy of the thermostat in shared memory, where the half step that ends a step begins before the temperature is
/// known. All threads of a block call the functions.
class ThermostatOfBlock {
 public:
  using Memory = cub::Uninitialized<HeldThermostat>;

  __device__ __forceinline__ ThermostatOfBlock(Memory &memory, NoseHooverBatch *thermostat)
      : own_(&memory.Alias()), thermostat_(thermostat) {}

  __device__ __forceinline__ void begin() const {
    copy_words<tuning::kinetic_block>(own_, &thermostat_->thermostat);
    __syncthreads();
    if (threadIdx.x == 0) own_->begin_half_step(own_->step);
  }
  /// Arguments as of finish_step(); thread 0 knows `measured`.
  __device__ __forceinline__ void finish(const KineticSums &measured, bool follows, double *factors) const {
    if (threadIdx.x == 0) finish_step(own_, measured, follows, factors);
    __syncthreads();
  }
  __device__ __forceinline__ void store() const { copy_words<tuning::kinetic_block>(&thermostat_->thermostat, own_); }

 private:
  HeldThermostat *own_;
  NoseHooverBatch *thermostat_;
};

}  // namespace cuda
}  // namespace triad
