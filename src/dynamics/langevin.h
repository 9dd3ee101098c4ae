// The Langevin thermostat: friction, and the random force that balances the friction at the target temperature.
//
// Sources: T. Schneider, E. Stoll, Phys. Rev. B 17, 1302 (1978); with velocity Verlet as in B. Duenweg, W. Paul, Int.
// J. Mod. Phys. C 2, 817 (1991), who show that uniform noise is as good as Gaussian noise.
#pragma once

#include "dynamics/philox.h"

namespace triad {

/// Prefactors of the forces: friction per mass and velocity; noise per sqrt(mass * temperature), for uniform random
/// numbers of width 1.
struct LangevinTerms {
  double friction, noise;
};

/// `damping`: time in which friction reduces a velocity to 1/e. `boltz`, `mvv2e` and `ftm2v` are LAMMPS's unit
/// conversions.
inline LangevinTerms langevin_terms(double damping, double dt, double boltz, double mvv2e, double ftm2v) {
  return {-1.0 / (damping * ftm2v), std::sqrt(24.0 * boltz / (damping * dt * mvv2e)) / ftm2v};
}

/// Returns random numbers in (-1/2, 1/2), one per axis, for the atom with ID `tag` in step `step`. The result does not
/// depend on the rank or on the order of atoms.
template <class Real>
TRIAD_HD Vec3<Real> langevin_noise(std::int64_t tag, std::int64_t step, std::uint32_t seed) {
  const Philox r = philox({static_cast<std::uint32_t>(tag), static_cast<std::uint32_t>(tag >> 32),
                           static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)},
                          {seed, 0x4c616e67u});  // a key that no other user of the generator has
  return {centred_uniform<Real>(r.word[0]), centred_uniform<Real>(r.word[1]), centred_uniform<Real>(r.word[2])};
}

/// Force of the thermostat on one atom, in force units. `root_temperature`: square root of the target temperature.
template <class Real>
TRIAD_HD Vec3<Real> langevin_force(const LangevinTerms &terms, double mass, double root_temperature,
                                   const Vec3<Real> &v, const Vec3<Real> &noise) {
  return static_cast<Real>(terms.friction * mass) * v +
         static_cast<Real>(terms.noise * root_temperature * std::sqrt(mass)) * noise;
}

}  // namespace triad
