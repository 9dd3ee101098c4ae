// A Nose-Hoover thermostat of steps that are made without the host: the temperature at the end of a step, and the
// factors by which the kernel that moves atoms scales their velocities.
#pragma once

#include "md/cuda/peer_kernels.cuh"
#include "md/cuda/sum_kernels.cuh"
#include "md/stepper.h"

namespace triad {
namespace cuda {

struct DeviceThermostat {
  NoseHooverBatch batch;
  double factors[2];     ///< for StepJob
  unsigned blocks_done;  ///< of the kernel under way
};

/// Compiled once: the bits of a step are the same wherever a batch begins.
static __host__ __device__ __noinline__ double half_step(DeviceThermostat *thermostat, std::int64_t step) {
  return thermostat->batch.thermostat.half_step(step);
}

static __global__ void start_thermostat_kernel(DeviceThermostat *thermostat, std::int64_t step) {
  thermostat->factors[1] = half_step(thermostat, step);
}

/// m v v of atom i as the kick that ends its step will leave it, if the thermostat sees it.
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

/// The first `Sums` of the components over the threads of a block; for thread 0.
template <int Sums>
__device__ __forceinline__ KineticSums sum_over_block(KineticSums mine) {
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  KineticSums sum;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) {
    sum[k] = Reduce(space).Sum(mine[k]);
    __syncthreads();
  }
  return sum;
}

/// The same over all blocks, from what each has written.
template <int Sums>
__device__ __forceinline__ KineticSums sum_of_blocks(KineticSums *blocks) {
  KineticSums mine;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k)
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) mine[k] += __ldcg(&blocks[b][k]);
  return sum_over_block<Sums>(mine);
}

/// The end of step number `step` for the chain, and if that `follows`, the start of the next; by one thread.
static __host__ __device__ __forceinline__ void advance_chain(DeviceThermostat *thermostat,
                                                              const KineticSums &measured, std::int64_t step,
                                                              bool follows) {
  thermostat->batch.measured = measured;
  thermostat->batch.thermostat.see(measured.mvv);
  thermostat->factors[0] = half_step(thermostat, step);
  if (follows) thermostat->factors[1] = half_step(thermostat, step + 1);
}

/// Who advances the chain behind thermostat_kernel: its last block, or the host, to which that leaves the sum of this
/// rank.
enum class Advances { Device, Host };

/// The end of a step of the guard, whose first one is `first_step`, before the moving kernel kicks: sums `Sums` components of m v v of what the kick will
/// leave, over the ranks of `peers` if there are any, and lets the last block advance the chain.
template <class Format, int Sums>
__global__ void __launch_bounds__(tuning::kinetic_block)
    thermostat_kernel(const StepJob<Format> job, DeviceThermostat *thermostat, KineticSums *blocks, const Peers peers,
                      std::int64_t first_step, bool follows, Advances advances) {
  const DeviceState<Format> &state = job.state;
  const int measured = thermostat->batch.measured_bit;
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  KineticSums mine;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    add_kicked(mine, job, i, state.velocity(i), state.force_on(i), measured);
  KineticSums sum = sum_over_block<Sums>(mine);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    for (int k = 0; k < Sums; ++k) blocks[blockIdx.x][k] = sum[k];
    __threadfence();
    last = atomicAdd(&thermostat->blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  sum = sum_of_blocks<Sums>(blocks);
  if (peers.ranks) sum = peers.sum(sum);
  if (threadIdx.x != 0) return;
  thermostat->blocks_done = 0;
  if (advances == Advances::Device)
    advance_chain(thermostat, sum, first_step + job.guard->completed - 1, follows);
  else
    thermostat->batch.measured = sum;
}

}  // namespace cuda
}  // namespace triad
