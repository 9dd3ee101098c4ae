// Copies of fields between LAMMPS's fp64 arrays and the formats of the device, one thread per atom.
#pragma once

#include "engine/cuda/state/device_state.cuh"

namespace triad {
namespace cuda {

/// Writes the positions in fp64, which become the anchors.
template <class Format>
struct DecodeOp {
  DeviceState<Format> state;
  double *anchor;  ///< [n][3]
  __device__ void operator()(std::size_t i) const {
    double *a = anchor + 3 * i;
    const Vec3<double> x = state.position(anchor, i);
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

}  // namespace cuda
}  // namespace triad
