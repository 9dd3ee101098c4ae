// Kernels of a barostat: kinetic_step_kernel() or a combined kernel sums kinetic energies and virials,
// barostat_kernel() advances thermostat, barostat and box, and changing_box_step_kernel() moves the atoms.
#pragma once

#include <cub/util_type.cuh>

#include "core/cuda/block_sums.cuh"
#include "core/cuda/copy_words.cuh"
#include "core/cuda/formats.cuh"
#include "engine/cuda/step/box_images.cuh"
#include "engine/cuda/step/device_thermostat.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"

namespace triad {
namespace cuda {

/// The threads of a warp as a team, see OneThread.
struct TeamOfWarp {
  template <class One>
  __device__ __forceinline__ void one(const One &call) const {
    if (threadIdx.x % 32 == 0) call();
    __syncwarp();
  }
  template <class Axis>
  __device__ __forceinline__ void axes(const Axis &call) const {
    if (threadIdx.x % 32 < 3) call(static_cast<int>(threadIdx.x % 32));
    __syncwarp();
  }
};

/// The threads of a block of at least three warps as a team. Threads without work wait.
struct TeamOfBlock {
  template <class One>
  __device__ __forceinline__ void one(const One &call) const {
    if (threadIdx.x == 0) call();
    __syncthreads();
  }
  template <class Axis>
  __device__ __forceinline__ void axes(const Axis &call) const {
    if (threadIdx.x < 3) call(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <class ByTeam, class Second, class Third>
  __device__ __forceinline__ void at_once(const ByTeam &by_team, const Second &second, const Third &third) const {
    static_assert(tuning::box_block >= 3 * 32, "three warps");
    if (threadIdx.x < 32) by_team(TeamOfWarp());
    if (threadIdx.x == 32) second();
    if (threadIdx.x == 64) third();
    __syncthreads();
  }
};

// Not inlined, so that all kernels round in the same way. All threads of a block call them.
static __device__ __noinline__ void start_barostat_step(NoseHooverBatch *held) {
  held->barostat.start_step(TeamOfBlock(), held->thermostat);
}
static __device__ __noinline__ void end_barostat_step(NoseHooverBatch *held, bool follows) {
  held->barostat.end_step(TeamOfBlock(), held->thermostat, held->measured, follows);
}

/// Makes the part of a step before the first half kick, behind the chains. If `path` has a step k, the box is first set
/// to that step along the axes of the path. All threads of a block call this.
template <class Position>
__device__ __forceinline__ void start_in_box(NoseHooverBatch *held, const BoxImages<Position> &images,
                                             const typename BoxImages<Position>::OfThread &noted,
                                             const DeviceBoxPath &path, int k, StepGuard *guard) {
  if (threadIdx.x == 0 && k < path.n_steps) set_axes_of_path(path.deforms, path.step[k].box, held->barostat.box);
  start_barostat_step(held);
  images.follow(noted, held->barostat.box, guard->stop);
}

/// Starts the first step of a batch. One block.
template <class Position>
__global__ void __launch_bounds__(tuning::box_block)
    start_barostat_kernel(StepGuard *guard, NoseHooverBatch *held, const BoxImages<Position> images,
                          const DeviceBoxPath path) {
  held->barostat.start_chains(TeamOfBlock(), held->thermostat);
  start_in_box(held, images, images.of_thread(), path, 0, guard);
}

/// The sums that determine the pressure.
struct PressureSums {
  KineticSums kinetic;
  PartialSums<3> virial;
};

/// The first `Sums` kinetic sums and the virials over all blocks. All threads of a block call this.
template <int Sums>
__device__ __forceinline__ PressureSums pressure_sums(const SumsOfBlocks &kinetic, const VirialOfBlocks &virial) {
  const auto of_lane = [&](int k) {
    const bool is_kinetic = k < Sums;
    const SumsOfBlocks &sums = is_kinetic ? kinetic : virial.of_groups;
    const double of_all = sum_of_lane(sums.of_all(is_kinetic ? k : k - Sums), sums.blocks);
    return is_kinetic ? of_all : of_all + virial.terms_of_lane(k - Sums);
  };
  const PartialSums<Sums + 3> all = sums_by_warps<Sums + 3, tuning::box_block>(of_lane);
  PressureSums sums;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) sums.kinetic[k] = all.v[k];
  TRIAD_UNROLL
  for (int d = 0; d < 3; ++d) sums.virial.v[d] = all.v[Sums + d];
  return sums;
}

/// Follows kinetic_step_kernel(), or a combined kernel with MeasureAtoms, of whose groups of blocks it adds the sums,
/// also over the ranks of `peers` if there are any. One block. `boxes`: [steps] receives the box of the step, or null.
/// `follows`: another step follows.
template <class Position, int Sums>
__global__ void __launch_bounds__(tuning::box_block)
    barostat_kernel(StepGuard *guard, NoseHooverBatch *nose_hoover, const SumsOfBlocks kinetic,
                    const VirialOfBlocks virial, const Peers peers, const BoxImages<Position> images,
                    const DeviceBoxPath path, Box *boxes, bool follows) {
  constexpr int threads = tuning::box_block;
  __shared__ cub::Uninitialized<NoseHooverBatch> memory;
  NoseHooverBatch &held = memory.Alias();
  // Thermostat and noted lists are complete, see chain_kernel().
  typename BoxImages<Position>::OfThread noted = images.of_thread();
  copy_words<threads>(&held, nose_hoover);
  __syncthreads();
  if (threadIdx.x == 0) held.thermostat.begin_half_step(held.thermostat.step);
  if (threadIdx.x == 32) held.barostat.begin_last_half_step();
  wait_for_previous_kernel();
  // The guard and the sums are loaded at the same time. After a stop, the sums are not used.
  const int stopped = guard->stopped, completed = guard->completed;
  const int neighbor_step = guard->neighbor_step, pruned_step = guard->list_step;
  PressureSums sums = pressure_sums<Sums>(kinetic, virial);
  if (stopped) return;
  if (peers.ranks) sums = peers.sum(sums);
  images.note_lists(noted, neighbor_step, pruned_step, held.barostat.box);
  if (boxes) copy_words<threads>(boxes + completed - 1, &held.barostat.box);
  if (threadIdx.x == 0) {
    held.measured = sums.kinetic;
    for (int d = 0; d < 3; ++d) held.barostat.virial[d] = sums.virial.v[d];
  }
  end_barostat_step(&held, follows);
  if (follows) start_in_box(&held, images, noted, path, completed, guard);
  __syncthreads();
  copy_words<threads>(nose_hoover, &held);
}

}  // namespace cuda
}  // namespace triad
