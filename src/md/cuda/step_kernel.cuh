// The atoms on the device, and the kernel that moves them. Between two force computations it ends a step and starts the
// next: second half of the kick, first half of the next, drift, the checks of displacements, and clearing of the forces
// that it has used.
#pragma once

#include "loops/cuda/shortlist.cuh"
#include "loops/cuda/step_guard.cuh"
#include "md/cuda/coordinates.cuh"
#include "md/tuning.h"

namespace triad {
namespace cuda {

/// The atoms of one rank on the device.
template <class Format>
struct DeviceState {
  using Velocity = typename Coordinates<Format>::Velocity;
  Coordinates<Format> at;
  Velocity *v;  ///< [3][n]
  ForceArray<Format> force;
  const double *mass;  ///< [n], or null where all are `uniform_mass`
  const int *mask;     ///< [n] group bits
  double uniform_mass;
  int n;  ///< owned atoms

  __device__ __forceinline__ Vec3<Velocity> velocity(std::size_t i) const {
    const std::size_t s = n;
    return {v[i], v[s + i], v[2 * s + i]};
  }
  __device__ __forceinline__ void set_velocity(std::size_t i, const Vec3<Velocity> &u) const {
    const std::size_t s = n;
    v[i] = u.x;
    v[s + i] = u.y;
    v[2 * s + i] = u.z;
  }
  __device__ __forceinline__ Vec3<Velocity> force_on(std::size_t i) const {
    const auto f = force.value(i);
    return {static_cast<Velocity>(from_accumulator(f.x)), static_cast<Velocity>(from_accumulator(f.y)),
            static_cast<Velocity>(from_accumulator(f.z))};
  }
  __device__ __forceinline__ void set_force(std::size_t i, const Vec3<double> &f) const {
    force.component(i, 0) = to_accumulator<typename Format::Sum>(f.x);
    force.component(i, 1) = to_accumulator<typename Format::Sum>(f.y);
    force.component(i, 2) = to_accumulator<typename Format::Sum>(f.z);
  }
  __device__ __forceinline__ double mass_of(std::size_t i) const { return mass ? mass[i] : uniform_mass; }
  /// half_kick / m, with as many roundings as stock.
  __device__ __forceinline__ Velocity kick(std::size_t i, double half_kick, Velocity uniform_kick) const {
    return mass ? static_cast<Velocity>(half_kick / mass[i]) : uniform_kick;
  }
};

/// One group of a step.
template <class Velocity>
struct DeviceGroup {
  int bit;  ///< 0: all atoms
  double half_kick;
  Velocity uniform_kick;  ///< half_kick / uniform_mass
  Velocity step;          ///< Coordinates::step(drift)
};

template <class Format>
struct StepJob {
  using Position = typename PositionOf<Format>::type;
  DeviceState<Format> state;
  int n_groups;
  DeviceGroup<typename DeviceState<Format>::Velocity> group[tuning::max_groups];
  const Position *reference;       ///< [n] of the short list, with limits
  const unsigned *list_reference;  ///< [n] of LAMMPS's list, coarse
  CoarseReference coarse;
  bool check;  ///< ListRule, as of the first step of the guard
  int ago, delay, every;
  float far_step, wild_step;  ///< displacements in one step that call for a check of the list, and that are wrong
  float step_length;          ///< length units per unit of Coordinates::step
  StepGuard *guard;
};

/// Ends a step (`Ends`) and starts the next (`Starts`).
template <class Format, bool Ends, bool Starts>
__global__ void __launch_bounds__(tuning::step_block) step_kernel(const StepJob<Format> job) {
  using State = DeviceState<Format>;
  using Velocity = typename State::Velocity;
  const State &state = job.state;
  // from the last atom to the first: what the force kernel has touched last is still in the cache
  const std::size_t i = (gridDim.x - 1 - blockIdx.x) * static_cast<std::size_t>(tuning::step_block) + threadIdx.x;
  const bool mine = i < static_cast<std::size_t>(state.n);
  const std::size_t at = mine ? i : 0;

  // what the force kernel before does not write is loaded while it still runs
  Vec3<Velocity> v = state.velocity(at);
  typename Coordinates<Format>::Place place;
  unsigned list_reference = 0;
  typename StepJob<Format>::Position reference;
  if constexpr (Starts) {
    place = state.at.load_place(at);
    list_reference = job.list_reference[at];
    reference = load(job.reference + at);
  }
  wait_for_previous_kernel();
  const int stopped = job.guard->stopped, completed = job.guard->completed;
  const Vec3<Velocity> f = state.force_on(at);
  if (stopped) return;
  if (i == 0) job.guard->start_moving();
  if (!mine) return;

  const auto kick = [&](int g) {
    const Velocity k = state.kick(i, job.group[g].half_kick, job.group[g].uniform_kick);
    v = v + k * f;
  };
  const auto in_group = [&](int g) { return job.group[g].bit == 0 || (state.mask[i] & job.group[g].bit); };
  if constexpr (Ends)
    for (int g = 0; g < job.n_groups; ++g)
      if (in_group(g)) kick(g);
  if constexpr (Starts) {
    float moved = 0;
    for (int g = 0; g < job.n_groups; ++g)
      if (in_group(g)) {
        kick(g);
        const Vec3<Velocity> by = job.group[g].step * v;
        Coordinates<Format>::move(place, by);
        moved += fabsf(static_cast<float>(by.x)) + fabsf(static_cast<float>(by.y)) + fabsf(static_cast<float>(by.z));
      }
    moved *= job.step_length;
    const auto position = Coordinates<Format>::position_of(place);
    int reasons = 0;
    if (moved_from(reference, position, state.at.scale) == Moved::TooFar) reasons |= stop_short_list;
    const int ago = job.ago + completed + 1;
    if (!job.check || (ago >= job.delay && (job.every == 1 || ago % job.every == 0)))
      if (moved > job.far_step || !job.coarse.surely_within(list_reference, job.coarse.pack(position)))
        reasons |= stop_list;
    if (!(moved < job.wild_step)) {
      reasons |= stop_position;
      job.guard->bad_atom = static_cast<int>(i) + 1;
    }
    if (reasons) atomicOr(&job.guard->stop, reasons);
    state.at.store_place(i, place);
    state.force.clear(i);
  }
  state.set_velocity(i, v);
}

}  // namespace cuda
}  // namespace triad
