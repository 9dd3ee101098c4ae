// Queued motion of a group, one thread per atom.
#pragma once

#include "dynamics/box.h"
#include "engine/cuda/state/device_state.cuh"

namespace triad {
namespace cuda {

/// A change of the box that atoms follow, or none.
struct QueuedBoxChange {
  bool any = false;
  BoxChange change = {};

  __device__ Vec3<double> operator()(const Vec3<double> &x) const { return any ? x + change.displacement(x) : x; }
};

/// Queued motion of a group. The operations that are set are made in this order: v = factor * v,
/// v += half_kick / m * f, v = factor_after * v, change of the box `before`, x += drift * v, change `after`.
struct Motion {
  int bit = 0;  ///< bit of the group; 0 for all atoms
  bool scales = false, kicks = false, scales_after = false, drifts = false;
  Vec3<double> factor = {1, 1, 1}, factor_after = {1, 1, 1};
  double half_kick = 0, drift = 0;
  QueuedBoxChange before, after;  ///< only where bit is 0

  TRIAD_HD bool accelerates() const { return scales || kicks || scales_after; }
  TRIAD_HD bool moves() const { return drifts || before.any || after.any; }
  TRIAD_HD bool any() const { return accelerates() || moves(); }
};

template <class Format>
struct MotionOp {
  using Velocity = typename DeviceState<Format>::Velocity;
  DeviceState<Format> state;
  Motion motion;
  double *anchor;   ///< [n][3], updated with atoms that follow a change of the box
  float wild_step;  ///< largest drift of an atom, summed over the axes, that is no error; length units
  int *bad;         ///< receives 1 + index of an atom that drifts farther or to a position that is not a number

  /// Changes and returns the velocity.
  __device__ Vec3<Velocity> accelerate(std::size_t i) const {
    Vec3<Velocity> v = state.velocity(i);
    if (motion.scales) v = scaled(v, motion.factor);
    if (motion.kicks) v = math::multiply_add(state.kick(i, motion.half_kick), state.force_on(i), v);
    if (motion.scales_after) v = scaled(v, motion.factor_after);
    if (motion.accelerates()) state.set_velocity(i, v);
    return v;
  }
  __device__ void operator()(std::size_t i) const {
    const Vec3<Velocity> v = accelerate(i);
    if (!motion.moves()) return;
    const Vec3<double> by = {motion.drift * v.x, motion.drift * v.y, motion.drift * v.z};
    if (!(fabs(by.x) + fabs(by.y) + fabs(by.z) < wild_step)) *bad = static_cast<int>(i) + 1;
    auto coord = state.at.load_coord(i);
    if (motion.before.any || motion.after.any) {
      double *a = anchor + 3 * i;
      const Vec3<double> x = motion.after(motion.before(state.position(coord, anchor, i)) + by);
      a[0] = x.x;
      a[1] = x.y;
      a[2] = x.z;
      coord = state.at.encode(x, coord.element);
    } else {
      Coordinates<Format>::move(coord, state.at.step(motion.drift) * v);
    }
    state.at.store_coord(i, coord);
  }
};

/// v += difference.
template <class Format>
struct AddVelocityOp {
  DeviceState<Format> state;
  Vec3<double> difference;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    const Vec3<Velocity> v = state.velocity(i);
    state.set_velocity(i, {static_cast<Velocity>(v.x + difference.x), static_cast<Velocity>(v.y + difference.y),
                           static_cast<Velocity>(v.z + difference.z)});
  }
};

}  // namespace cuda
}  // namespace triad
