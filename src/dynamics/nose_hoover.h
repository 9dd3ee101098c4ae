// Nose-Hoover chains that thermostat atoms or a barostat: the equations of stock fix nvt and fix npt.
//
// Sources: G. J. Martyna, M. L. Klein, M. Tuckerman, J. Chem. Phys. 97, 2635 (1992); G. J. Martyna, M. E. Tuckerman, D.
// J. Tobias, M. L. Klein, Mol. Phys. 87, 1117 (1996) (Trotter factorisation); W. Shinoda, M. Shiga, M. Mikami, Phys.
// Rev. B 69, 134103 (2004) (strain energy). The order of operations is that of stock LAMMPS, so trajectories in double
// agree to rounding.
#pragma once

#include "core/portable_math.h"
#include "dynamics/kinetic.h"
#include "dynamics/temperature_ramp.h"

namespace triad {

/// A chain of `length` thermostats; the caller owns the arrays. `velocity` has one additional element, which stays 0.
/// Units: position dimensionless, velocity 1/time, mass energy * time^2.
struct ThermostatChain {
  int length;
  double *position, *velocity, *acceleration, *mass;
};

/// Integration settings of a chain. `drag` multiplies velocities, 1 for none.
struct ChainStep {
  double dt;  // full time step
  int loops;  // Trotter slices of the half step
  double drag;
};

/// Sets the masses that give every thermostat the frequency `frequency` (1/time): degrees * kT / frequency^2 for the
/// first thermostat, which drives `degrees` degrees of freedom, and kT / frequency^2 for the others.
TRIAD_HD void set_chain_masses(const ThermostatChain &chain, double degrees, double kT, double frequency) {
  for (int k = 0; k < chain.length; ++k) chain.mass[k] = (k == 0 ? degrees : 1.0) * kT / (frequency * frequency);
}

/// Acceleration of thermostat k > 0 by thermostat k - 1, 1/time^2.
TRIAD_HD double chain_acceleration(const ThermostatChain &chain, int k, double kT) {
  return (chain.mass[k - 1] * chain.velocity[k - 1] * chain.velocity[k - 1] - kT) / chain.mass[k];
}

/// Initialises the accelerations of all thermostats but the first from the velocities; to be called at the start of a
/// run.
TRIAD_HD void start_chain(const ThermostatChain &chain, double kT) {
  for (int k = 1; k < chain.length; ++k) chain.acceleration[k] = chain_acceleration(chain, k, kT);
}

/// Advances the chain by half a time step and returns the factor by which the caller scales the driven velocities.
/// `kinetic`: twice the kinetic energy of the driven degrees of freedom; `target`: the mean of `kinetic` at kT.
TRIAD_HD double advance_chain(const ThermostatChain &chain, const ChainStep &step, double kinetic, double target,
                              double kT) {
  const int last = chain.length - 1;
  const double slice = 1.0 / step.loops, half = 0.5 * step.dt * slice, quarter = 0.25 * step.dt * slice,
               eighth = 0.125 * step.dt * slice;
  const auto first_acceleration = [&] {
    return chain.mass[0] > 0.0 ? (kinetic - target) / chain.mass[0] : 0.0;  // 0: no degree of freedom is driven
  };
  const auto damping_by = [&](int k) { return k > last ? 1.0 : math::exp(-eighth * chain.velocity[k]); };
  double scale = 1.0;
  chain.acceleration[0] = first_acceleration();
  for (int loop = 0; loop < step.loops; ++loop) {
    for (int k = last; k >= 0; --k) {
      const double damping = damping_by(k + 1);
      chain.velocity[k] *= damping;
      chain.velocity[k] += chain.acceleration[k] * quarter;
      chain.velocity[k] *= step.drag * damping;
    }
    const double factor = math::exp(-half * chain.velocity[0]);
    scale *= factor;
    kinetic *= factor * factor;
    chain.acceleration[0] = first_acceleration();
    for (int k = 0; k <= last; ++k) chain.position[k] += half * chain.velocity[k];
    for (int k = 0; k <= last; ++k) {
      const double damping = damping_by(k + 1);
      chain.velocity[k] *= damping;
      if (k > 0) chain.acceleration[k] = chain_acceleration(chain, k, kT);
      chain.velocity[k] += chain.acceleration[k] * quarter;
      chain.velocity[k] *= damping;
    }
  }
  return scale;
}

/// The degrees of freedom that a chain drives, and its integration.
struct ThermostatSettings {
  double degrees;    ///< number of degrees of freedom
  double boltz;      ///< energy per temperature
  double frequency;  ///< of the thermostats, 1/time
  ChainStep step;
};

/// Advances the chain by half a time step towards kT, and returns the factor of the velocities. Updates `temperature`,
/// the temperature of the driven atoms, accordingly.
TRIAD_HD double advance_thermostat(const ThermostatChain &chain, const ThermostatSettings &s, double kT,
                                   double &temperature) {
  set_chain_masses(chain, s.degrees, kT, s.frequency);
  const double factor = advance_chain(chain, s.step, s.degrees * s.boltz * temperature, s.degrees * kT, kT);
  temperature *= factor * factor;
  return factor;
}

/// A thermostat that owns its chain, for steps that run on a device. Order of calls in a step: half_step(), kick,
/// drift, forces, kick, see(), half_step().
struct HeldThermostat {
  static constexpr int longest = 16;  ///< maximum length of a chain
  int length;
  double position[longest], velocity[longest + 1], acceleration[longest], mass[longest];
  ThermostatSettings settings;
  TemperatureRamp target;
  double per_degree;   ///< see temperature_of()
  double temperature;  ///< current temperature of the driven atoms

  TRIAD_HD ThermostatChain chain() { return {length, position, velocity, acceleration, mass}; }
  /// Advances the chain by half of step number `step`; returns the factor of the velocities.
  TRIAD_HD double half_step(std::int64_t step) {
    return advance_thermostat(chain(), settings, settings.boltz * target.at(step), temperature);
  }
  TRIAD_HD void see(const double *mvv) { temperature = temperature_of(mvv, per_degree); }
};

/// Potential energy of thermostat k; the first thermostat counts for target / kT degrees of freedom.
TRIAD_HD double chain_potential(const ThermostatChain &chain, int k, double target, double kT) {
  return (k == 0 ? target : kT) * chain.position[k];
}

TRIAD_HD double chain_kinetic(const ThermostatChain &chain, int k) {
  return 0.5 * chain.mass[k] * chain.velocity[k] * chain.velocity[k];
}

/// Contribution of the chain to the conserved energy.
TRIAD_HD double chain_energy(const ThermostatChain &chain, double target, double kT) {
  double energy = 0;
  for (int k = 0; k < chain.length; ++k) energy += chain_potential(chain, k, target, kT) + chain_kinetic(chain, k);
  return energy;
}

}  // namespace triad
