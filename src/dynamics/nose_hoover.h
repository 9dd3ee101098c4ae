// Nose-Hoover chains that thermostat atoms or a barostat: the equations of stock fix nvt and fix npt. Also the
// thermostat of a batch of steps, which may be one without a chain.
//
// Sources: G. J. Martyna, M. L. Klein, M. Tuckerman, J. Chem. Phys. 97, 2635 (1992); G. J. Martyna, M. E. Tuckerman, D.
// J. Tobias, M. L. Klein, Mol. Phys. 87, 1117 (1996) (Trotter factorisation); W. Shinoda, M. Shiga, M. Mikami, Phys.
// Rev. B 69, 134103 (2004) (strain energy). The order of operations is that of stock LAMMPS, so trajectories in double
// agree to rounding.
#pragma once

#include <algorithm>

#include "core/portable_math.h"
#include "dynamics/kinetic.h"
#include "dynamics/rescaling.h"
#include "dynamics/temperature_ramp.h"

namespace triad {

/// A chain of `length` thermostats; the caller owns the arrays.
/// Units: position dimensionless, velocity 1/time, mass energy * time^2. `per_mass`: 1 / mass, or 0 where the mass is
/// 0. `damping`: factors of the present half step.
struct ThermostatChain {
  int length;
  double *position, *velocity, *acceleration, *mass, *per_mass, *damping;
};

/// Integration settings of a chain. `drag` multiplies velocities, 1 for none.
struct ChainStep {
  double dt;  // full time step
  int loops;  // Trotter slices of the half step
  double drag;

  /// Length of the slices of full steps; without a division in the usual case, since a GPU waits for the result.
  TRIAD_HD double slice() const { return loops == 1 ? dt : dt / loops; }
};

/// Sets the masses that give every thermostat the frequency `frequency` (1/time): degrees * kT / frequency^2 for the
/// first thermostat, which drives `degrees` degrees of freedom, and kT / frequency^2 for the others.
TRIAD_HD void set_chain_masses(const ThermostatChain &chain, double degrees, double kT, double frequency) {
  for (int k = 0; k < chain.length; ++k) {
    chain.mass[k] = (k == 0 ? degrees : 1.0) * kT / (frequency * frequency);
    chain.per_mass[k] = chain.mass[k] > 0 ? 1 / chain.mass[k] : 0;  // 0: no degree of freedom is driven
  }
}

/// Acceleration of thermostat k > 0 by thermostat k - 1 with this velocity, 1/time^2.
TRIAD_HD double chain_acceleration(const ThermostatChain &chain, int k, double velocity_before, double kT) {
  return (chain.mass[k - 1] * velocity_before * velocity_before - kT) * chain.per_mass[k];
}

/// Initialises the accelerations of all thermostats but the first from the velocities; to be called at the start of a
/// run.
TRIAD_HD void start_chain(const ThermostatChain &chain, double kT) {
  for (int k = 1; k < chain.length; ++k)
    chain.acceleration[k] = chain_acceleration(chain, k, chain.velocity[k - 1], kT);
}

// In the loops below, no store of a thermostat precedes its loads, so that a GPU waits for all of them at once.

/// First part of a slice of the half step, from the end of the chain to its second thermostat. Does not depend on the
/// driven degrees of freedom.
TRIAD_HD void begin_slice(const ThermostatChain &chain, const ChainStep &step) {
  const double slice = step.slice(), quarter = 0.25 * slice, eighth = 0.125 * slice, drag = step.drag;
  double damping = 1;
  for (int k = chain.length - 1; k > 0; --k) {
    const double velocity = (chain.velocity[k] * damping + chain.acceleration[k] * quarter) * (drag * damping);
    chain.velocity[k] = velocity;
    chain.damping[k] = damping;
    damping = math::exp_of_small(-eighth * velocity);
  }
  chain.damping[0] = damping;
}

/// The rest of the half step whose first slice has begun. Arguments and result as of advance_chain().
TRIAD_HD double finish_chain(const ThermostatChain &chain, const ChainStep &step, double kinetic, double target,
                             double kT) {
  const double slice = step.slice(), half = 0.5 * slice, quarter = 0.25 * slice, drag = step.drag;
  double scale = 1.0;
  chain.acceleration[0] = (kinetic - target) * chain.per_mass[0];
  for (int loop = 0; loop < step.loops; ++loop) {
    if (loop > 0) begin_slice(chain, step);
    const double first_damping = chain.damping[0];
    chain.velocity[0] = (chain.velocity[0] * first_damping + chain.acceleration[0] * quarter) * (drag * first_damping);
    const double factor = math::exp_of_small(-half * chain.velocity[0]);
    scale *= factor;
    kinetic *= factor * factor;
    double velocity_before = 0;
    for (int k = 0; k < chain.length; ++k) {
      const double velocity = chain.velocity[k], damping = chain.damping[k], position = chain.position[k];
      const double acceleration =
          k == 0 ? (kinetic - target) * chain.per_mass[0] : chain_acceleration(chain, k, velocity_before, kT);
      velocity_before = (velocity * damping + acceleration * quarter) * damping;
      chain.position[k] = position + half * velocity;
      chain.acceleration[k] = acceleration;
      chain.velocity[k] = velocity_before;
    }
  }
  return scale;
}

/// Advances the chain by half a time step and returns the factor by which the caller scales the driven velocities.
/// `kinetic`: twice the kinetic energy of the driven degrees of freedom; `target`: the mean of `kinetic` at kT.
TRIAD_HD double advance_chain(const ThermostatChain &chain, const ChainStep &step, double kinetic, double target,
                              double kT) {
  begin_slice(chain, step);
  return finish_chain(chain, step, kinetic, target, kT);
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

/// A chain with memory of its own, which can be copied to a device.
struct HeldChain {
  static constexpr int longest = 16;  ///< maximum length
  int length;
  double position[longest], velocity[longest], acceleration[longest], mass[longest], per_mass[longest],
      damping[longest];

  TRIAD_HD ThermostatChain chain() { return {length, position, velocity, acceleration, mass, per_mass, damping}; }
  /// Copies a chain of up to `longest` thermostats.
  void take(const ThermostatChain &from) {
    length = from.length;
    copy_each(from, chain());
  }
  /// Copies to a chain of the same length.
  void give(const ThermostatChain &to) { copy_each(chain(), to); }

 protected:
  // Not inlined, so that all callers on a device get the same bits, and a trajectory does not depend on where batches
  // begin.
  /// As triad::begin_slice().
  TRIAD_HD_NOINLINE void begin_slice(const ChainStep &step) { triad::begin_slice(chain(), step); }
  /// As triad::finish_chain().
  TRIAD_HD_NOINLINE double finish(const ChainStep &step, double kinetic, double target, double kT) {
    return finish_chain(chain(), step, kinetic, target, kT);
  }
  /// As triad::set_chain_masses().
  TRIAD_HD_NOINLINE void set_masses(double degrees, double kT, double frequency) {
    set_chain_masses(chain(), degrees, kT, frequency);
  }

 private:
  static void copy_each(const ThermostatChain &from, const ThermostatChain &to) {
    const double *const source[] = {from.position, from.velocity, from.acceleration,
                                    from.mass,     from.per_mass, from.damping};
    double *const target[] = {to.position, to.velocity, to.acceleration, to.mass, to.per_mass, to.damping};
    for (int array = 0; array < 6; ++array) std::copy_n(source[array], from.length, target[array]);
  }
};

/// A thermostat of a group in the steps of a batch, which may run on a device: a Nose-Hoover chain, or one that scales
/// velocities at the end of steps and does not use the base class. Order of calls in a step: start_step(), kick, drift,
/// forces, kick, see(), end_step().
struct HeldThermostat : HeldChain {
  ThermostatSettings settings;
  TemperatureRamp target;
  double per_degree;   ///< see temperature_of()
  double temperature;  ///< current temperature of the driven atoms
  bool rescales;       ///< `rescaling` acts at the end of each step, and there is no chain and no `settings`
  Rescaling rescaling;
  // of the present half step
  std::int64_t step;
  double kT;  ///< 0 before the first half step

  /// Returns the factor of the velocities at the start of a step.
  TRIAD_HD double start_step(std::int64_t step_number) {
    step = step_number;
    return rescales ? 1 : half_step(step_number);
  }
  /// The part of end_step() that does not depend on the temperature.
  TRIAD_HD void begin_end_of_step() {
    if (rescales)
      rescaling.begin();
    else
      begin_half_step(step);
  }
  /// The rest of end_step().
  TRIAD_HD double finish_end_of_step() {
    if (!rescales) return finish_half_step();
    const double factor = rescaling.factor(temperature, target.at(step));
    temperature *= factor * factor;
    return factor;
  }
  /// Returns the factor of the velocities at the end of the step.
  TRIAD_HD double end_step() {
    begin_end_of_step();
    return finish_end_of_step();
  }

  /// Advances the chain by half of a step; returns the factor of the velocities.
  TRIAD_HD double half_step(std::int64_t step_number) {
    begin_half_step(step_number);
    return finish_half_step();
  }
  /// The part of half_step() that does not depend on the temperature.
  TRIAD_HD void begin_half_step(std::int64_t step_number) {
    step = step_number;
    const double now = settings.boltz * target.at(step);
    if (now != kT) set_masses(settings.degrees, now, settings.frequency);
    kT = now;
    begin_slice(settings.step);
  }
  /// The rest of half_step().
  TRIAD_HD double finish_half_step() {
    const double factor = finish(settings.step, twice_kinetic(), settings.degrees * kT, kT);
    temperature *= factor * factor;
    return factor;
  }
  /// Twice the kinetic energy of the driven atoms.
  TRIAD_HD double twice_kinetic() const { return settings.degrees * settings.boltz * temperature; }
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
