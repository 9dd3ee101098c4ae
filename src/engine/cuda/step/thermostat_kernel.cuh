// Nose-Hoover thermostat on the device: measures the temperature at the end of a step, and advances the chain, which
// gives the factors by which the integrating kernel scales the velocities.
#pragma once

#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/cuda/step/driven_step_kernels.cuh"
#include "engine/cuda/step/step_job.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"
#include "engine/md_engine.h"

namespace triad {
namespace cuda {

struct DeviceThermostat {
  NoseHooverBatch batch;
  double factors[2];     ///< see StepJob::factors
  unsigned blocks_done;  ///< blocks of the running kernel that have written their sums
};

/// Not inlined, so that all callers get the same bits and a trajectory does not depend on where batches begin.
static __host__ __device__ __noinline__ double half_step(DeviceThermostat *thermostat, std::int64_t step) {
  return thermostat->batch.thermostat.half_step(step);
}

static __global__ void start_thermostat_kernel(DeviceThermostat *thermostat, std::int64_t step) {
  thermostat->factors[1] = half_step(thermostat, step);
}

/// Adds m v v of atom i, with the velocity after the coming half kick, if the atom is in the measured group.
template <class Format>
__device__ __forceinline__ void add_kicked(KineticSums &sum, const StepJob<Format> &job, std::size_t i,
                                           Vec3<typename DeviceState<Format>::Velocity> u,
                                           const Vec3<typename DeviceState<Format>::Velocity> &f, int measured) {
  const DeviceState<Format> &state = job.state;
  const int kicked = job.group[0].bit;
  if (measured && !(state.mask[i] & measured)) return;
  if (kicked == 0 || (state.mask[i] & kicked))
    u = u + state.kick(i, job.group[0].half_kick, job.group[0].uniform_kick) * f;
  const double v[3] = {u.x, u.y, u.z};
  add_kinetic(sum, state.mass_of(i), v);
}

/// Writes the sum over the threads of this block to blocks[blockIdx.x].
template <int Sums>
__device__ __forceinline__ void write_sum_of_block(KineticSums mine, KineticSums *blocks) {
  PartialSums<Sums> part;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) part.v[k] = mine[k];
  part = sum_over_block<tuning::kinetic_block>(part);
  if (threadIdx.x != 0) return;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) blocks[blockIdx.x][k] = part.v[k];
}

/// Sum of the blocks' sums; thread 0 receives it.
template <int Sums>
__device__ __forceinline__ KineticSums sum_of_blocks(KineticSums *blocks) {
  PartialSums<Sums> mine;
#pragma unroll 8
  for (unsigned b = threadIdx.x; b < gridDim.x; b += tuning::kinetic_block) {
    PartialSums<Sums> part;
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) part.v[k] = __ldcg(&blocks[b][k]);
    mine = mine + part;
  }
  mine = sum_over_block<tuning::kinetic_block>(mine);
  KineticSums sum;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) sum[k] = mine.v[k];
  return sum;
}

/// Advances the chain by the half step that ends step number `step` and, if another step `follows`, by the first half
/// step of that one. One thread calls it.
static __host__ __device__ __forceinline__ void advance_chain(DeviceThermostat *thermostat, const KineticSums &measured,
                                                              std::int64_t step, bool follows) {
  thermostat->batch.measured = measured;
  thermostat->batch.thermostat.see(measured.mvv);
  thermostat->factors[0] = half_step(thermostat, step);
  if (follows) thermostat->factors[1] = half_step(thermostat, step + 1);
}

/// Who advances the chain: the last block of thermostat_kernel, or the host, which receives the sum of this rank.
enum class Advances { Device, Host };

/// Runs between the forces of a step and the second half kick: gathers forces if needed, sums `Sums` components of
/// m v v with the velocities after that kick, over the ranks of `peers` if there are any, and advances the chain.
/// `first_step`: number of the first step that the guard counts. `Driven`: StepJob::driving is not null.
template <class Format, int Sums, bool Driven>
__global__ void __launch_bounds__(tuning::kinetic_block)
    thermostat_kernel(const StepJob<Format> job, DeviceThermostat *thermostat, KineticSums *blocks, const Peers peers,
                      std::int64_t first_step, bool follows, Advances advances) {
  const DeviceState<Format> &state = job.state;
  const int measured = thermostat->batch.measured_bit;
  const bool gathers = Driven || job.gather.reverse;
  const std::size_t n = state.n, stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  // reverse entries are loaded before the wait and one turn of the loop ahead: the force kernel does not write them
  typename GatherJob<Format>::Slots slots = {};
  if (gathers && i < n) slots = job.gather.slots(i);
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  Vec3<double> acceleration = {0, 0, 0};
  if constexpr (Driven) acceleration = mean_acceleration(*job.driving);
  KineticSums mine;
  for (; i < n; i += stride) {
    const auto now = slots;
    if (gathers && i + stride < n) slots = job.gather.slots(i + stride);
    const auto u = state.velocity(i);
    Vec3<typename Format::Sum> f;
    if constexpr (Driven)
      f = driven_force(state, job.gather, acceleration, i, now);
    else
      f = gathers ? job.gather.force(i, now) : state.force.value(i);
    if (gathers) state.force.set(i, f);
    add_kicked(mine, job, i, u, state.converted(f), measured);
  }
  write_sum_of_block<Sums>(mine, blocks);
  if (!is_last_block(&thermostat->blocks_done, gridDim.x)) return;
  KineticSums sum = sum_of_blocks<Sums>(blocks);
  if (peers.ranks) sum = peers.sum(sum);
  if (threadIdx.x != 0) return;
  if (advances == Advances::Device)
    advance_chain(thermostat, sum, first_step + job.guard->completed - 1, follows);
  else
    thermostat->batch.measured = sum;
}

}  // namespace cuda
}  // namespace triad
