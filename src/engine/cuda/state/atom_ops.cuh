// Operations on single atoms, for the hooks of fixes and for copies of fields.
#pragma once

#include "engine/cuda/state/tethers.cuh"
#include "engine/cuda/step/step_kernel.cuh"
#include "neighbor/list_box.h"

namespace triad {
namespace cuda {

/// x = fixed + (x - fixed) * factor.
struct Dilation {
  bool any = false;
  Vec3<double> fixed = {0, 0, 0}, factor = {1, 1, 1};

  __device__ Vec3<double> operator()(const Vec3<double> &x) const {
    if (!any) return x;
    return {fixed.x + (x.x - fixed.x) * factor.x, fixed.y + (x.y - fixed.y) * factor.y,
            fixed.z + (x.z - fixed.z) * factor.z};
  }
};

/// Queued motion of a group. The operations that are set are made in this order: v = factor * v,
/// v += half_kick / m * f, v = factor_after * v, dilation `before`, x += drift * v, dilation `after`.
struct Motion {
  int bit = 0;  ///< bit of the group; 0 for all atoms
  bool scales = false, kicks = false, scales_after = false, drifts = false;
  Vec3<double> factor = {1, 1, 1}, factor_after = {1, 1, 1};
  double half_kick = 0, drift = 0;
  Dilation before, after;  ///< only where bit is 0

  TRIAD_HD bool accelerates() const { return scales || kicks || scales_after; }
  TRIAD_HD bool moves() const { return drifts || before.any || after.any; }
  TRIAD_HD bool any() const { return accelerates() || moves(); }
};

template <class Format>
struct MotionOp {
  using Velocity = typename DeviceState<Format>::Velocity;
  DeviceState<Format> state;
  Motion motion;
  double *anchor;   ///< [n][3], updated with atoms that are dilated
  float wild_step;  ///< largest drift of an atom, summed over the axes, that is no error; length units
  int *bad;         ///< receives 1 + index of an atom that drifts farther or to a position that is not a number

  /// Changes and returns the velocity.
  __device__ Vec3<Velocity> accelerate(std::size_t i) const {
    Vec3<Velocity> v = state.velocity(i);
    const auto scale = [&](const Vec3<double> &factor) {
      v = {static_cast<Velocity>(factor.x * v.x), static_cast<Velocity>(factor.y * v.y),
           static_cast<Velocity>(factor.z * v.z)};
    };
    if (motion.scales) scale(motion.factor);
    if (motion.kicks) v = v + static_cast<Velocity>(motion.half_kick / state.mass_of(i)) * state.force_on(i);
    if (motion.scales_after) scale(motion.factor_after);
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
      const Vec3<double> x = motion.after(motion.before(state.at.decode(coord, {a[0], a[1], a[2]})) + by);
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

/// Estimates how far atoms travel in a time: speed times time, for the first n_owned atoms; 0 for ghosts.
template <class Format>
struct TravelOp {
  DeviceState<Format> state;
  float time;
  float *travel;  ///< output
  __device__ void operator()(std::size_t i) const {
    float distance = 0;
    if (i < static_cast<std::size_t>(state.n)) distance = travel_in(time, state.velocity(i));
    travel[i] = distance;
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

template <class Format>
struct LangevinOp {
  DeviceState<Format> state;
  DeviceLangevin langevin;
  std::int64_t step;
  double root_temperature;
  double *kept;  ///< [3][n] receives the change of the force, or null
  __device__ void operator()(std::size_t i) const {
    const auto before = state.force_on(i);
    const auto f = langevin.add(state, i, state.velocity(i), before, step, root_temperature);
    state.set_force(i, {f.x, f.y, f.z});
    if (!kept) return;
    const std::size_t s = state.n;
    kept[i] = double(f.x) - before.x;
    kept[s + i] = double(f.y) - before.y;
    kept[2 * s + i] = double(f.z) - before.z;
  }
};

/// Writes the positions in fp64, which become the anchors.
template <class Format>
struct DecodeOp {
  DeviceState<Format> state;
  double *anchor;  ///< [n][3]
  __device__ void operator()(std::size_t i) const {
    double *a = anchor + 3 * i;
    const Vec3<double> x = state.at.decode(state.at.load_coord(i), {a[0], a[1], a[2]});
    a[0] = x.x;
    a[1] = x.y;
    a[2] = x.z;
  }
};

/// Sets *outside if an atom is beyond a non-periodic face of the box. Also updates the anchors.
template <class Format>
struct OutsideOp {
  DecodeOp<Format> decode;
  ListBox box;
  int *outside;
  __device__ void operator()(std::size_t i) const {
    decode(i);
    const double *a = decode.anchor + 3 * i;
    const Vec3<double> f = box.fraction({a[0], a[1], a[2]});
    const auto inside = [&](double along, int edge) { return box.periodic[edge] || (along >= 0 && along < 1); };
    if (!(inside(f.x, 0) && inside(f.y, 1) && inside(f.z, 2))) *outside = 1;
  }
};

/// Wraps atoms into the periodic box, with the points to which they are tied. Must follow OutsideOp, which updates the
/// anchors.
template <class Format>
struct IntoBoxOp {
  using Position = typename PositionOf<Format>::type;
  DeviceState<Format> state;
  ListBox box;
  Position forth[3], back[3];  ///< displacements by plus and minus one box edge
  double *anchor;              ///< [n][3]
  int *crossings;              ///< [n][3] sum of the edges by which the atom was moved
  int *crossed;                ///< set to 1 if any atom was moved
  TetherArrays tethers;
  __device__ void operator()(std::size_t i) const {
    double *a = anchor + 3 * i;
    const Vec3<double> f = box.fraction({a[0], a[1], a[2]});
    const double along[3] = {f.x, f.y, f.z};
    auto coord = state.at.load_coord(i);
    bool moves = false;
    for (int d = 0; d < 3; ++d) {
      const int edges = box.periodic[d] ? ListBox::edges_back(along[d]) : 0;
      if (edges == 0) continue;
      moves = true;
      for (int k = 0; k < 3; ++k) {
        a[k] += edges * box.edge[d][k];
        tethers.move(i, k, edges * box.edge[d][k]);
      }
      for (int k = 0; k < abs(edges); ++k) Coordinates<Format>::displace(coord, edges > 0 ? forth[d] : back[d]);
      crossings[3 * i + d] += edges;
    }
    if (!moves) return;
    *crossed = 1;
    state.at.store_coord(i, coord);
    const Vec3<double> x = state.at.decode(coord, {a[0], a[1], a[2]});
    a[0] = x.x;
    a[1] = x.y;
    a[2] = x.z;
  }
};

/// Sets positions from the anchors, and keeps the elements.
template <class Format>
struct EncodeOp {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  int *bad;              ///< receives 1 + index of a position that is not a number or out of range
  __device__ void operator()(std::size_t i) const {
    const double *a = anchor + 3 * i;
    if (!storable(a, state.at.scale)) *bad = static_cast<int>(i) + 1;
    state.at.store_coord(i, state.at.encode({a[0], a[1], a[2]}, state.at.position[i].element));
  }
};

/// Copies velocities to or from `rows`, [count][3] in fp64, of atoms from `first` on.
template <class Format>
struct VelocityOp {
  DeviceState<Format> state;
  double *rows;
  std::size_t first;
  bool to_rows;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    double *r = rows + 3 * i;
    if (to_rows) {
      const Vec3<Velocity> v = state.velocity(first + i);
      r[0] = v.x;
      r[1] = v.y;
      r[2] = v.z;
    } else {
      state.set_velocity(first + i,
                         {static_cast<Velocity>(r[0]), static_cast<Velocity>(r[1]), static_cast<Velocity>(r[2])});
    }
  }
};
/// Copies forces to or from `rows`, as VelocityOp does.
template <class Format>
struct ForceOp {
  DeviceState<Format> state;
  double *rows;
  std::size_t first;
  bool to_rows;
  __device__ void operator()(std::size_t i) const {
    double *r = rows + 3 * i;
    if (to_rows)
      for (int axis = 0; axis < 3; ++axis) r[axis] = from_accumulator(state.force.component(first + i, axis));
    else
      state.set_force(first + i, {r[0], r[1], r[2]});
  }
};

/// Computes coarse references from exact ones.
template <class Format>
struct ReferenceOp {
  const typename PositionOf<Format>::type *exact;
  unsigned *coarse;
  CoarseReference format;
  __device__ void operator()(std::size_t i) const { coarse[i] = format.pack(exact[i]); }
};

/// Sets *moved if an atom is farther than `limit` from its reference.
template <class Format>
struct MovedOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position, *reference;
  PositionScale scale;
  double limit_squared;
  int *moved;
  __device__ void operator()(std::size_t i) const {
    const auto d = difference(reference[i], position[i], scale);
    const Vec3<double> e = {d.x, d.y, d.z};
    if (!(dot(e, e) <= limit_squared)) *moved = 1;
  }
};

/// Sets *moved if an atom has left its limit of displacement in the pruned list.
template <class Format>
struct LimitOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position, *reference;
  PositionScale scale;
  int *moved;
  __device__ void operator()(std::size_t i) const {
    if (moved_from(load(reference + i), position[i], scale) == Moved::TooFar) *moved = 1;
  }
};

/// Both checks of displacements in one kernel.
template <class Format>
struct MovedAndLimitOp {
  MovedOp<Format> list;
  LimitOp<Format> pruned_list;
  __device__ void operator()(std::size_t i) const {
    list(i);
    pruned_list(i);
  }
};

/// Copies positions of atoms, displaced to a periodic image, to a send buffer or to ghosts on this device.
template <class Format>
struct CopyOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position;
  const int *atom, *image;  ///< [copies]
  const Position *shift;
  Position *target;  ///< [copies]
  __device__ void operator()(std::size_t k) const { target[k] = displaced(position[atom[k]], shift[image[k]]); }
};

/// Copies fp64 positions of atoms, displaced to a periodic image, to a send buffer.
struct PackAnchorOp {
  const double *x;          ///< [n][3]
  const int *atom, *image;  ///< [copies]
  const double *shift;      ///< [images][3]
  double *target;           ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    for (int axis = 0; axis < 3; ++axis)
      target[3 * k + axis] = x[3 * std::size_t(atom[k]) + axis] + shift[3 * image[k] + axis];
  }
};

/// Moves forces on ghosts to a buffer, and clears them.
template <class Format>
struct PackForceOp {
  ForceArray<Format> force;
  std::size_t first;
  typename Format::Sum *target;  ///< [ghosts][3]
  __device__ void operator()(std::size_t k) const {
    for (int axis = 0; axis < 3; ++axis) target[3 * k + axis] = force.component(first + k, axis);
    force.clear(first + k);
  }
};

/// Adds forces of a buffer to the owners of the ghosts.
template <class Format>
struct AddForceOp {
  ForceArray<Format> force;
  const int *atom;                     ///< [copies]
  const typename Format::Sum *source;  ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    force.add(atom[k], {source[3 * k], source[3 * k + 1], source[3 * k + 2]});
  }
};

/// Adds rows of a buffer to those of the owners of the ghosts, one number per call.
struct AddRowOp {
  double *row;  ///< [n][width]
  int width;
  const int *atom;       ///< [copies]
  const double *source;  ///< [copies][width]
  __device__ void operator()(std::size_t k) const {
    atomicAdd(row + static_cast<std::size_t>(width) * atom[k / width] + k % width, source[k]);
  }
};

}  // namespace cuda
}  // namespace triad
