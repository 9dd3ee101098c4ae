// The motion of atoms in a box that changes, by a barostat or along a path. In both cases, changing_box_step_kernel()
// ends and starts steps. Along a path, a combined kernel may also do so.
#pragma once

#include <type_traits>

#include "engine/cuda/step/box_images.cuh"
#include "engine/cuda/step/step_job.cuh"

namespace triad {
namespace cuda {

/// Integrates one atom: end_step() makes the second half kick, start_step() the first half kick, the drift and the
/// change of the box. `Barostat`: the box changes by a barostat, and otherwise along StepJob::box_path.
template <class Format, bool Barostat>
class AtomInBox {
  using State = DeviceState<Format>;
  using Velocity = typename State::Velocity;

 public:
  /// Loads what kernels of forces and barostats do not write. `barostat`: what the barostat does to the atoms, to be
  /// complete before end_step() or start_step().
  __device__ __forceinline__ AtomInBox(const StepJob<Format> &job, const BoxMotion *barostat, std::size_t i)
      : job_(job), barostat_(barostat), i_(i), v_(job.state.velocity(i)), coord_(job.state.at.load_coord(i)) {}

  __device__ __forceinline__ const Vec3<Velocity> &velocity() const { return v_; }

  /// Loads what start_step() needs besides.
  __device__ __forceinline__ void load_position() { x_ = job_.state.position(coord_, job_.anchor, i_); }
  /// Half a kick by the force f.
  __device__ __forceinline__ Vec3<Velocity> kick(const Vec3<typename Format::Sum> &f) const {
    return job_.state.kick(i_, job_.group[0].half_kick, job_.group[0].uniform_kick) * State::converted(f);
  }
  __device__ __forceinline__ void end_step(const Vec3<Velocity> &kick) {
    v_ = math::rounded_sum(v_, kick);
    scale(0);
  }
  /// `completed`: steps that the guard has counted.
  __device__ __forceinline__ void start_step(const Vec3<Velocity> &kick, int completed) {
    if (job_.at_end.v) {
      job_.at_end.at.store_coord(i_, coord_);
      job_.at_end.set_velocity(i_, v_);
    }
    scale(1);
    v_ = math::rounded_sum(v_, kick);
    const Vec3<double> moved_by = displacement(completed);
    const Vec3<Velocity> by = {static_cast<Velocity>(moved_by.x), static_cast<Velocity>(moved_by.y),
                               static_cast<Velocity>(moved_by.z)};
    Coordinates<Format>::move(coord_, by);
    const auto position = Coordinates<Format>::position_of(coord_);
    const float moved =
        fabsf(static_cast<float>(by.x)) + fabsf(static_cast<float>(by.y)) + fabsf(static_cast<float>(by.z));
    const int reasons =
        job_.reasons_to_stop(i_, moved, position, load(job_.reference + i_), job_.list_reference[i_], completed);
    if (reasons) atomicOr(job_.stop, reasons);
    job_.state.at.store_coord(i_, coord_);
    if (job_.path.position) job_.expect(i_, position, as_float(by), as_float(job_.group[0].step * kick));
  }
  __device__ __forceinline__ void store_velocity() const { job_.state.set_velocity(i_, v_); }

 private:
  /// Scales the velocity at the end (`which` 0) or at the start (1) of a step.
  __device__ __forceinline__ void scale(int which) {
    if constexpr (Barostat) {
      const double(&factor)[3] = which ? barostat_->start : barostat_->end;
      v_ = scaled(v_, {factor[0], factor[1], factor[2]});
    } else if (job_.factors) {
      v_ = scaled(v_, job_.factors[which]);
    }
  }
  /// The displacement by the velocity and by the change of the box, in units of Coordinates::step.
  __device__ __forceinline__ Vec3<double> displacement(int completed) const {
    const Vec3<double> u = {v_.x, v_.y, v_.z};
    const double per_length = job_.state.at.step(1.0), step = job_.group[0].step;
    const BoxChange *change;
    if constexpr (Barostat)
      change = &barostat_->change;
    else
      change = &job_.box_path[completed].change;
    const Vec3<double> offset = {change->offset[0], change->offset[1], change->offset[2]};
    Vec3<double> by = per_length * math::rounded_sum(offset, change->growth.diagonal_times(x_));
    if (job_.triclinic) by = math::multiply_add(per_length, change->growth.tilts_times(x_), by);
    if constexpr (Barostat) {
      by = math::multiply_add(step, barostat_->drift.diagonal_times(u), by);
      if (job_.triclinic) by = math::multiply_add(step, barostat_->drift.tilts_times(u), by);
    } else {
      by = math::multiply_add(step, u, by);
    }
    return by;
  }

  const StepJob<Format> &job_;
  const BoxMotion *barostat_;
  std::size_t i_;
  Vec3<Velocity> v_;
  typename Coordinates<Format>::Coord coord_;
  Vec3<double> x_ = {};
};

/// Minimum resident blocks per SM of changing_box_step_kernel(), for __launch_bounds__.
template <class Format>
constexpr int changing_box_min_blocks() {
  const bool in_double = std::is_same<Format, DoubleFormat>::value;
  return in_double ? tuning::changing_box_blocks_per_sm_double : tuning::changing_box_blocks_per_sm;
}

/// Ends a step (`Ends`) and starts the next (`Starts`) in a box that changes, one thread per atom. Gathers the forces
/// if StepJob::gather is set, and writes them to the force array if no step starts. Without `Barostat`, block 0 is the
/// follower of the box, and the other blocks have the atoms.
template <class Format, bool Ends, bool Starts, bool Barostat>
__global__ void __launch_bounds__(tuning::step_block, changing_box_min_blocks<Format>())
    changing_box_step_kernel(const StepJob<Format> job, const BoxFollower<typename PositionOf<Format>::type> follower) {
  constexpr unsigned first = Barostat ? 0 : 1;  // block with atoms
  if (!Barostat && blockIdx.x == 0) return follower.follow(job.guard, job.stop, Starts);
  const DeviceState<Format> &state = job.state;
  const std::size_t k = (blockIdx.x - first) * static_cast<std::size_t>(tuning::step_block) + threadIdx.x;
  const bool mine = k < static_cast<std::size_t>(state.n);
  const std::size_t i = mine ? k : 0;
  AtomInBox<Format, Barostat> atom(job, job.box, i);
  if constexpr (Starts) atom.load_position();
  typename GatherJob<Format>::Slots slots = {};
  if (job.gather.reverse) slots = job.gather.slots(i);
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == first && threadIdx.x == 0) job.guard->enter(phase_moving);
  if (!mine) return;
  const auto force = job.gather.reverse ? job.gather.force(i, slots) : state.force.value(i);
  if (Ends && !Starts && job.gather.reverse) state.force.set(i, force);
  const auto kick = atom.kick(force);
  if constexpr (Ends) atom.end_step(kick);
  if constexpr (Starts) {
    atom.start_step(kick, job.guard->completed);
    if (job.clears_forces || (job.gather.reverse && slots.boundary)) state.force.clear(i);
  }
  atom.store_velocity();
}

}  // namespace cuda
}  // namespace triad
