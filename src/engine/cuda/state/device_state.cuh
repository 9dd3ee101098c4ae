// The atoms of a rank on the device: positions, velocities, forces and masses.
#pragma once

#include "engine/cuda/state/coordinates.cuh"
#include "forces/tersoff/cuda/gradients.cuh"

namespace triad {
namespace cuda {

/// The atoms of one rank on the device.
template <class Format>
struct DeviceState {
  using Velocity = typename Coordinates<Format>::Velocity;
  using Coord = typename Coordinates<Format>::Coord;
  Coordinates<Format> at;
  Velocity *v;  ///< [3][n]
  ForceArray<Format> force;
  const double *mass;  ///< [n], or null if all masses are `uniform_mass`
  const int *mask;     ///< [n] group bits
  double uniform_mass;
  int n;  ///< owned atoms

  /// Position in LAMMPS's coordinates. `anchor`: [n][3], see Coordinates::decode(). `coord`: that of atom i.
  __device__ __forceinline__ Vec3<double> position(const Coord &coord, const double *anchor, std::size_t i) const {
    const double *const a = anchor + 3 * i;
    return at.decode(coord, {a[0], a[1], a[2]});
  }
  __device__ __forceinline__ Vec3<double> position(const double *anchor, std::size_t i) const {
    return position(at.load_coord(i), anchor, i);
  }
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
  static __device__ __forceinline__ Vec3<Velocity> converted(const Vec3<typename Format::Sum> &f) {
    return {static_cast<Velocity>(from_accumulator(f.x)), static_cast<Velocity>(from_accumulator(f.y)),
            static_cast<Velocity>(from_accumulator(f.z))};
  }
  __device__ __forceinline__ Vec3<Velocity> force_on(std::size_t i) const { return converted(force.value(i)); }
  __device__ __forceinline__ void set_force(std::size_t i, const Vec3<double> &f) const {
    force.component(i, 0) = to_accumulator<typename Format::Sum>(f.x);
    force.component(i, 1) = to_accumulator<typename Format::Sum>(f.y);
    force.component(i, 2) = to_accumulator<typename Format::Sum>(f.z);
  }
  /// Sets the force along an axis. Returns false if the force is out of the accumulators' range.
  __device__ __forceinline__ bool set_force(std::size_t i, int axis, double f) const {
    using Sum = typename Format::Sum;
    force.component(i, axis) = to_accumulator<Sum>(f);
    return !std::is_same<Sum, fixed_point::Word>::value || fabs(f) < fixed_point::max_contribution;
  }
  /// f as force_on() returns it after set_force(f).
  __device__ __forceinline__ Vec3<Velocity> as_stored(const Vec3<double> &f) const {
    const auto axis = [](double v) {
      return static_cast<Velocity>(from_accumulator(to_accumulator<typename Format::Sum>(v)));
    };
    return {axis(f.x), axis(f.y), axis(f.z)};
  }
  __device__ __forceinline__ double mass_of(std::size_t i) const { return mass ? mass[i] : uniform_mass; }
  /// half_kick / m, rounded as often as stock rounds it.
  __device__ __forceinline__ Velocity kick(std::size_t i, double half_kick) const {
    return static_cast<Velocity>(half_kick / mass_of(i));
  }
  /// The same without a division if all masses are equal. `uniform_kick`: the result for `uniform_mass`.
  __device__ __forceinline__ Velocity kick(std::size_t i, double half_kick, Velocity uniform_kick) const {
    return mass ? kick(i, half_kick) : uniform_kick;
  }
};

/// v rounded to fp32.
template <class Number>
__device__ __forceinline__ Vec3<float> as_float(const Vec3<Number> &v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// v times a factor, or times a factor per axis.
template <class Velocity>
__device__ __forceinline__ Vec3<Velocity> scaled(const Vec3<Velocity> &v, const Vec3<double> &factor) {
  return {static_cast<Velocity>(factor.x * v.x), static_cast<Velocity>(factor.y * v.y),
          static_cast<Velocity>(factor.z * v.z)};
}
template <class Velocity>
__device__ __forceinline__ Vec3<Velocity> scaled(const Vec3<Velocity> &v, double factor) {
  return scaled(v, {factor, factor, factor});
}

}  // namespace cuda
}  // namespace triad
