// Operations that set positions of single atoms: motion with a constant velocity, and reflecting walls.
#pragma once

#include "engine/cuda/step/step_job.cuh"

namespace triad {
namespace cuda {

/// x = tether + displacement, v = velocity.
template <class Format>
struct TiedPlaceOp {
  DeviceState<Format> state;
  double *anchor;       ///< [n][3]
  LinearMotion motion;  ///< `tether` is in device memory
  int *bad;             ///< receives 1 + index of a position that is not a number or out of range
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    double *a = anchor + 3 * i;
    for (int k = 0; k < 3; ++k) a[k] = motion.tether[3 * i + k] + motion.displacement[k];
    if (!storable(a, state.at.scale)) *bad = static_cast<int>(i) + 1;
    state.at.store_coord(i, state.at.encode({a[0], a[1], a[2]}, state.at.position[i].element));
    const double *const v = motion.velocity;
    state.set_velocity(i, {static_cast<Velocity>(v[0]), static_cast<Velocity>(v[1]), static_cast<Velocity>(v[2])});
  }
};

/// Reflects positions and velocities at walls. Returns the length by which the position has changed, or 0.
template <class Format>
__device__ __forceinline__ double reflect_atom(const DeviceState<Format> &state, const double *anchor,
                                               const ReflectingWalls &walls, std::size_t i) {
  const auto coord = state.at.load_coord(i);
  const Vec3<double> at = state.position(coord, anchor, i);
  const auto u = state.velocity(i);
  double x[3] = {at.x, at.y, at.z};
  typename DeviceState<Format>::Velocity v[3] = {u.x, u.y, u.z};
  const double moved = walls.reflect(x, v);
  if (moved == 0) return 0;
  state.at.store_coord(i, state.at.encode({x[0], x[1], x[2]}, coord.element));
  state.set_velocity(i, {v[0], v[1], v[2]});
  return moved;
}

template <class Format>
struct ReflectOp {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  ReflectingWalls walls;
  __device__ void operator()(std::size_t i) const { reflect_atom(state, anchor, walls, i); }
};

/// The same in a step, between the kernel that moves the atoms and the forces. Repeats the checks of displacements for
/// the atoms that are reflected.
template <class Format>
struct ReflectInStepOp {
  StepJob<Format> job;
  ReflectingWalls walls;
  __device__ void operator()(std::size_t i) const {
    if (job.guard->stopped) return;
    const double moved = reflect_atom(job.state, job.anchor, walls, i);
    if (moved == 0) return;
    const int reasons = job.reasons_to_stop(i, static_cast<float>(moved) / job.step_length, job.state.at.position[i],
                                            load(job.reference + i), job.list_reference[i], job.guard->completed);
    if (reasons) atomicOr(job.stop, reasons);
    if (job.path.position)
      job.expect(i, job.state.at.position[i], as_float(job.group[0].step * job.state.velocity(i)), {0, 0, 0});
  }
};

}  // namespace cuda
}  // namespace triad
