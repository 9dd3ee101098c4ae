// Langevin thermostats on the device.
#pragma once

#include <cmath>

#include "dynamics/langevin.h"
#include "dynamics/temperature_ramp.h"
#include "engine/cuda/state/device_state.cuh"
#include "engine/step_batch.h"

namespace triad {
namespace cuda {

/// A Langevin thermostat, with pointers to device memory.
struct DeviceLangevin {
  int bit;                     ///< bit of the group; 0 for all atoms
  const int *type;             ///< [n]
  const std::int64_t *tag;     ///< [n]
  const LangevinTerms *terms;  ///< [n_types + 1]
  std::uint32_t seed;
  TemperatureRamp target;   ///< target temperature in whole steps
  std::int64_t first_step;  ///< number of the first step that the guard counts
  LangevinWork *work;       ///< [blocks of the kernel with noise] output, or null

  /// f plus the thermostat's force on atom i, which has velocity v, in a step.
  template <class State, class Velocity>
  __device__ __forceinline__ Vec3<Velocity> add(const State &state, std::size_t i, const Vec3<Velocity> &v,
                                                const Vec3<Velocity> &f, std::int64_t step,
                                                double root_temperature) const {
    const auto noise = langevin_noise<Velocity>(tag[i], step, seed);
    const auto force = langevin_force<Velocity>(terms[type[i]], state.mass_of(i), root_temperature, v, noise);
    return state.as_stored({double(f.x) + force.x, double(f.y) + force.y, double(f.z) + force.z});
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

}  // namespace cuda
}  // namespace triad
