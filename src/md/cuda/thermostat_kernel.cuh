// A Nose-Hoover thermostat of steps that are made without the host: the temperature at the end of a step, and the
// factors by which the kernel that moves atoms scales their velocities.
#pragma once

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
static __device__ __noinline__ double half_step(DeviceThermostat *thermostat, std::int64_t step) {
  return thermostat->batch.thermostat.half_step(step);
}

static __global__ void start_thermostat_kernel(DeviceThermostat *thermostat, std::int64_t step) {
  thermostat->factors[1] = half_step(thermostat, step);
}

/// The end of step number `step`, before the moving kernel kicks: sums m v v of what the kick will leave, `Sums` of the
/// components, and lets the last block advance the chain, to the start of the next step as well if that `follows`.
template <class Format, int Sums>
__global__ void __launch_bounds__(tuning::kinetic_block)
    thermostat_kernel(const StepJob<Format> job, DeviceThermostat *thermostat, KineticSums *blocks, std::int64_t step,
                      bool follows) {
  const DeviceState<Format> &state = job.state;
  const int kicked = job.group[0].bit, measured = thermostat->batch.measured_bit;
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  KineticSums sum;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    if (measured && !(state.mask[i] & measured)) continue;
    auto u = state.velocity(i);
    if (kicked == 0 || (state.mask[i] & kicked))
      u = u + state.kick(i, job.group[0].half_kick, job.group[0].uniform_kick) * state.force_on(i);
    const double v[3] = {u.x, u.y, u.z};
    add_kinetic(sum, state.mass_of(i), v);
  }
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  const auto over_block = [&](double mine) {
    const double total = Reduce(space).Sum(mine);
    __syncthreads();
    return total;
  };
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) {
    const double total = over_block(sum[k]);
    if (threadIdx.x == 0) blocks[blockIdx.x][k] = total;
  }
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&thermostat->blocks_done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  KineticSums total;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) {
    double mine = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) mine += __ldcg(&blocks[b][k]);
    total[k] = over_block(mine);
  }
  if (threadIdx.x != 0) return;
  thermostat->blocks_done = 0;
  thermostat->batch.measured = total;
  thermostat->batch.thermostat.see(total.mvv);
  thermostat->factors[0] = half_step(thermostat, step);
  if (follows) thermostat->factors[1] = half_step(thermostat, step + 1);
}

}  // namespace cuda
}  // namespace triad
