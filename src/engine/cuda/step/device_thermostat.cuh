// Thermostat on the device: sums of the kinetic energy, and the rule that gives the factors by which the kernel that
// moves the atoms scales their velocities.
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
  if (group.bit == 0 || (state.mask[i] & group.bit))
    u = math::multiply_add(state.kick(i, group.half_kick, group.uniform_kick), f, u);
  const double v[3] = {u.x, u.y, u.z};
  add_kinetic(sum, state.mass_of(i), v);
}

/// The first `Sums` of kinetic sums.
template <int Sums>
__device__ __forceinline__ PartialSums<Sums> first_of(const KineticSums &all) {
  PartialSums<Sums> first;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) first.v[k] = all[k];
  return first;
}
/// Kinetic sums whose first `Sums` are given and whose others are 0.
template <int Sums>
__device__ __forceinline__ KineticSums kinetic_of(const PartialSums<Sums> &first) {
  KineticSums all;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) all[k] = first.v[k];
  return all;
}

/// Virials of the blocks of force kernels, and their sums over groups of these blocks.
struct VirialOfBlocks {
  const BlockTotals *of_forces = nullptr;  ///< [blocks]
  unsigned blocks = 0;
  SumsOfBlocks of_groups;                 ///< xx, yy, zz; other kernels may write groups too
  unsigned first_group = 0, groups = 0;   ///< those of `of_forces`
  const BlockTotals *of_terms = nullptr;  ///< [terms] of further forces, already summed
  unsigned terms = 0;

  /// Block number k of a kernel sums group first_group + k. All its threads call this.
  __device__ __forceinline__ void write(unsigned k) const {
    if (k >= groups) return;
    PartialSums<3> mine;
    for (unsigned b = k * tuning::kinetic_block + threadIdx.x; b < blocks; b += groups * tuning::kinetic_block)
      for (int d = 0; d < 3; ++d) mine.v[d] += of_forces[b].v[1 + d];
    of_groups.write(first_group + k, mine);
  }
  /// The part of one thread of a warp in the sum of component d over all terms.
  __device__ __forceinline__ double terms_of_lane(int d) const {
    double mine = 0;
    for (unsigned t = threadIdx.x % 32; t < terms; t += 32) mine += __ldcg(&of_terms[t].v[1 + d]);
    __syncwarp();
    return mine;
  }
};

/// Finishes what the thermostat does at the end of a step and, if another step `follows`, makes what it does at the
/// start of that one. Sets the factors of the velocities. One thread calls it.
static __device__ __forceinline__ void finish_step(HeldThermostat *thermostat, const KineticSums &measured,
                                                   bool follows, double *factors) {
  thermostat->see(measured.mvv);
  factors[0] = thermostat->finish_end_of_step();
  if (follows) factors[1] = thermostat->start_step(thermostat->step + 1);
}

/// A copy of the thermostat in shared memory, where the end of a step begins before the temperature is known. All
/// threads of a block call the functions.
class ThermostatOfBlock {
 public:
  using Memory = cub::Uninitialized<HeldThermostat>;

  __device__ __forceinline__ ThermostatOfBlock(Memory &memory, ThermostatBatch *thermostat)
      : own_(&memory.Alias()), thermostat_(thermostat) {}

  __device__ __forceinline__ void begin() const {
    copy_words<tuning::kinetic_block>(own_, &thermostat_->thermostat);
    __syncthreads();
    if (threadIdx.x == 0) own_->begin_end_of_step();
  }
  /// Arguments as of finish_step(); thread 0 knows `measured`.
  __device__ __forceinline__ void finish(const KineticSums &measured, bool follows, double *factors) const {
    if (threadIdx.x == 0) finish_step(own_, measured, follows, factors);
    __syncthreads();
  }
  __device__ __forceinline__ void store() const { copy_words<tuning::kinetic_block>(&thermostat_->thermostat, own_); }

 private:
  HeldThermostat *own_;
  ThermostatBatch *thermostat_;
};

}  // namespace cuda
}  // namespace triad
