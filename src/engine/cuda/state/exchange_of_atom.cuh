// What an exchange of heat sums over one atom, and what it does to the atom.
#pragma once

#include "dynamics/heat_exchange.h"
#include "engine/cuda/state/device_state.cuh"

namespace triad {
namespace cuda {

/// Adds an atom of mass m with the velocity v and the force f to `sums`, in the order of ExchangeSums.
template <class Velocity>
__device__ __forceinline__ void add_exchange(double (&sums)[ExchangeSums::size], double m, const Vec3<Velocity> &v,
                                             const Vec3<Velocity> &f) {
  const double velocity[3] = {v.x, v.y, v.z}, force[3] = {f.x, f.y, f.z};
  ExchangeSums mine;
  mine.add(m, velocity, force);
  TRIAD_UNROLL
  for (int k = 0; k < ExchangeSums::size; ++k) sums[k] += mine[k];
}

/// The velocity of an atom after an exchange.
template <class Velocity>
__device__ __forceinline__ Vec3<Velocity> velocity_after(const HeatExchange &exchange, const Vec3<Velocity> &v) {
  return {static_cast<Velocity>(exchange.velocity(0, v.x)), static_cast<Velocity>(exchange.velocity(1, v.y)),
          static_cast<Velocity>(exchange.velocity(2, v.z))};
}

/// Moves an atom of mass m, which has the velocity v and the force f before the exchange, if HeatExchange::moves.
template <class Format, class Velocity>
__device__ __forceinline__ void move_by(const HeatExchange &exchange, const Coordinates<Format> &at, double m,
                                        const Vec3<Velocity> &v, const Vec3<Velocity> &f,
                                        typename Coordinates<Format>::Coord &coord) {
  if (!exchange.moves) return;
  const double unit = at.step(1.0);
  Coordinates<Format>::move(coord, {static_cast<Velocity>(unit * exchange.displacement(0, m, v.x, f.x)),
                                    static_cast<Velocity>(unit * exchange.displacement(1, m, v.y, f.y)),
                                    static_cast<Velocity>(unit * exchange.displacement(2, m, v.z, f.z))});
}

}  // namespace cuda
}  // namespace triad
