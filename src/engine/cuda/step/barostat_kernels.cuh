// Kernels of steps that change the box. With a barostat, kinetic_step_kernel() sums kinetic energies and virials, and
// barostat_kernel() advances thermostat, barostat and box. With a fix deform and no barostat, box_path_kernel() sets
// the box. In both cases, changing_box_step_kernel() moves the atoms.
#pragma once

#include <type_traits>

#include "core/cuda/formats.cuh"
#include "engine/cuda/step/box_images.cuh"
#include "engine/cuda/step/device_thermostat.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"

namespace triad {
namespace cuda {

/// The threads of a block of at least two warps as a team, see OneThread. Threads without work wait.
struct TeamOfBlock {
  template <class One>
  __device__ __forceinline__ void one(const One &call) const {
    if (threadIdx.x == 0) call();
    __syncthreads();
  }
  /// Two warps work at the same time.
  template <class One, class Other>
  __device__ __forceinline__ void both(const One &call, const Other &other) const {
    if (threadIdx.x == 0) call();
    if (threadIdx.x == 32) other();
    __syncthreads();
  }
  template <class Axis>
  __device__ __forceinline__ void axes(const Axis &call) const {
    if (threadIdx.x < 3) call(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
};

// Not inlined, for the reason given at begin_half_step(). All threads of a block call them, but one
// begin_barostat_end().
static __device__ __noinline__ void start_barostat_step(HeldBarostat *barostat, HeldThermostat *thermostat) {
  barostat->start_step(TeamOfBlock(), *thermostat);
}
static __device__ __noinline__ void begin_barostat_end(HeldBarostat *barostat) { barostat->begin_end(); }
static __device__ __noinline__ void end_barostat_step(HeldBarostat *barostat, HeldThermostat *thermostat,
                                                      KineticSums *sums) {
  barostat->end_step(TeamOfBlock(), *thermostat, *sums);
}

/// Makes the part of a step before the first half kick. If `path` has a step k, the box is first set to that step along
/// the axes of the path. All threads of a block call this.
template <class Position>
__device__ __forceinline__ void start_in_box(HeldBarostat *barostat, HeldThermostat *thermostat,
                                             const BoxImages<Position> &images, const DeviceBoxPath &path, int k,
                                             StepGuard *guard) {
  if (threadIdx.x == 0 && k < path.n_steps) set_axes_of_path(path.deforms, path.step[k].box, barostat->box);
  start_barostat_step(barostat, thermostat);
  images.follow(barostat->box, guard);
}

/// Starts the first step of a batch. One block.
template <class Position>
__global__ void start_barostat_kernel(StepGuard *guard, NoseHooverBatch *thermostat, const BoxImages<Position> images,
                                      const DeviceBoxPath path) {
  start_in_box(&thermostat->barostat, &thermostat->thermostat, images, path, 0, guard);
}

/// The sums that determine the pressure.
struct PressureSums {
  KineticSums kinetic;
  PartialSums<3> virial;
};

/// Follows kinetic_step_kernel(), of whose groups of blocks it adds the sums, also over the ranks of `peers` if there
/// are any. One block. `boxes`: [steps] receives the box of the step, or null. `follows`: another step follows.
template <class Position, int Sums>
__global__ void __launch_bounds__(tuning::kinetic_block)
    barostat_kernel(StepGuard *guard, NoseHooverBatch *thermostat, const KineticOfBlocks kinetic,
                    const VirialOfBlocks virial, const Peers peers, const BoxImages<Position> images,
                    const DeviceBoxPath path, Box *boxes, bool follows) {
  static_assert(tuning::kinetic_block > BoxImages<Position>::most, "one thread per image, and one for the corners");
  __shared__ ThermostatOfBlock::Memory memory;
  __shared__ cub::Uninitialized<HeldBarostat> barostat_memory;
  const ThermostatOfBlock held(memory, thermostat);
  HeldBarostat &barostat = barostat_memory.Alias();
  copy_words(&barostat, &thermostat->barostat);
  held.begin();
  if (threadIdx.x == 32) begin_barostat_end(&barostat);
  wait_for_previous_kernel();
  if (guard->stopped) return;
  PressureSums sum = {kinetic.total<Sums>(), virial.total()};
  if (peers.ranks) sum = peers.sum(sum);
  images.note_lists(*guard, barostat.box);
  if (boxes) copy_words(boxes + guard->completed - 1, &barostat.box);
  if (threadIdx.x == 0)
    for (int d = 0; d < 3; ++d) barostat.virial[d] = sum.virial.v[d];
  end_barostat_step(&barostat, held.thermostat(), &sum.kinetic);
  if (threadIdx.x == 0) thermostat->measured = sum.kinetic;
  if (follows) start_in_box(&barostat, held.thermostat(), images, path, guard->completed, guard);
  __syncthreads();
  held.store();
  copy_words(&thermostat->barostat, &barostat);
}

/// Minimum resident blocks per SM of changing_box_step_kernel(), for __launch_bounds__.
template <class Format>
constexpr int changing_box_min_blocks() {
  const bool in_double = std::is_same<Format, DoubleFormat>::value;
  return in_double ? tuning::changing_box_blocks_per_sm_double : tuning::changing_box_blocks_per_sm;
}

/// Ends a step (`Ends`) and starts the next (`Starts`) in a box that changes, one thread per atom. Gathers the forces
/// if StepJob::gather is set, and writes them to the force array if no step starts. `anchor`: [n][3].
template <class Format, bool Ends, bool Starts>
__global__ void __launch_bounds__(tuning::step_block, changing_box_min_blocks<Format>())
    changing_box_step_kernel(const StepJob<Format> job, const double *anchor) {
  using Velocity = typename DeviceState<Format>::Velocity;
  const DeviceState<Format> &state = job.state;
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::step_block) + threadIdx.x;
  const bool mine = i < static_cast<std::size_t>(state.n);
  // loads before the wait read only what the kernels of the forces and of the barostat do not write
  Vec3<Velocity> v = {};
  typename Coordinates<Format>::Coord coord = {};
  Vec3<double> x = {};
  typename GatherJob<Format>::Slots slots = {};
  if (mine) {
    v = state.velocity(i);
    if (job.gather.reverse) slots = job.gather.slots(i);
    if constexpr (Starts) {
      coord = state.at.load_coord(i);
      x = state.at.decode(coord, {anchor[3 * i], anchor[3 * i + 1], anchor[3 * i + 2]});
    }
  }
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  if (!mine) return;
  const BoxMotion &box = *job.box;
  const auto scale = [&](const double(&factor)[3]) {
    v = {static_cast<Velocity>(factor[0] * v.x), static_cast<Velocity>(factor[1] * v.y),
         static_cast<Velocity>(factor[2] * v.z)};
  };
  const auto force = job.gather.reverse ? job.gather.force(i, slots) : state.force.value(i);
  if (Ends && !Starts && job.gather.reverse) state.force.set(i, force);
  const Vec3<Velocity> kick =
      state.kick(i, job.group[0].half_kick, job.group[0].uniform_kick) * DeviceState<Format>::converted(force);
  if constexpr (Ends) {
    v = v + kick;
    scale(box.end);
  }
  if constexpr (Starts) {
    scale(box.start);
    v = v + kick;
    const double per_length = state.at.step(1.0), step = job.group[0].step;
    const Vec3<double> u = {v.x, v.y, v.z};
    const UpperTriangular &growth = box.change.growth;
    const double *const offset = box.change.offset;
    Vec3<double> moved_by = per_length * (Vec3<double>{offset[0], offset[1], offset[2]} + growth.diagonal_times(x)) +
                            step * box.drift.diagonal_times(u);
    if (job.triclinic) moved_by = moved_by + per_length * growth.tilts_times(x) + step * box.drift.tilts_times(u);
    const Vec3<Velocity> by = {static_cast<Velocity>(moved_by.x), static_cast<Velocity>(moved_by.y),
                               static_cast<Velocity>(moved_by.z)};
    Coordinates<Format>::move(coord, by);
    const float moved =
        fabsf(static_cast<float>(by.x)) + fabsf(static_cast<float>(by.y)) + fabsf(static_cast<float>(by.z));
    const int reasons = job.reasons_to_stop(i, moved, Coordinates<Format>::position_of(coord), load(job.reference + i),
                                            job.list_reference[i], job.guard->completed);
    if (reasons) atomicOr(job.stop, reasons);
    state.at.store_coord(i, coord);
    if (job.clears_forces || (job.gather.reverse && slots.boundary)) state.force.clear(i);
    if (job.path.position)
      job.path.store(i, Coordinates<Format>::position_of(coord), as_float(by), as_float(job.group[0].step * kick));
  }
  state.set_velocity(i, v);
}

}  // namespace cuda
}  // namespace triad
