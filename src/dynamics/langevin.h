// The Langevin thermostat: friction, and noise of the strength that keeps the temperature.
//
// T. Schneider, E. Stoll, Phys. Rev. B 17, 1302 (1978); with velocity Verlet as in B. Duenweg, W. Paul, Int. J. Mod.
// Phys. C 2, 817 (1991), who show that uniform noise does as well as Gaussian noise.
#pragma once

#include "dynamics/philox.h"

namespace triad {

/// Friction per mass and velocity, and noise per square root of mass and of temperature, for uniform noise of width 1.
struct LangevinTerms {
  double friction, noise;
};

/// `damping`: time in which friction takes the velocity to 1/e; `boltz`, `mvv2e` and `ftm2v` convert LAMMPS's units.
inline LangevinTerms langevin_terms(double damping, double dt, double boltz, double mvv2e, double ftm2v) {
  return {-1.0 / (damping * ftm2v), std::sqrt(24.0 * boltz / (damping * dt * mvv2e)) / ftm2v};
}

/// Noise in (-1/2, 1/2) for each axis of the atom with ID `tag` in step `step`: the same on any rank and in any order.
template <class Real>
TRIAD_HD Vec3<Real> langevin_noise(std::int64_t tag, std::int64_t step, std::uint32_t seed) {
  const Philox r = philox({static_cast<std::uint32_t>(tag), static_cast<std::uint32_t>(tag >> 32),
                           static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)},
                          {seed, 0x4c616e67u});  // a key of its own among the users of the generator
  return {centred_uniform<Real>(r.word[0]), centred_uniform<Real>(r.word[1]), centred_uniform<Real>(r.word[2])};
}

/// The thermostat's force on one atom. `root_temperature`: square root of the target temperature.
template <class Real>
TRIAD_HD Vec3<Real> langevin_force(const LangevinTerms &terms, double mass, double root_temperature,
                                   const Vec3<Real> &v, const Vec3<Real> &noise) {
  return static_cast<Real>(terms.friction * mass) * v +
         static_cast<Real>(terms.noise * root_temperature * std::sqrt(mass)) * noise;
}

}  // namespace triad
