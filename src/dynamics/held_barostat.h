// A barostat with its chain and the box, for steps that run on a device. The order of operations is that of fix npt,
// whose hooks call the same functions of barostat.h with the pressure that a compute of LAMMPS measures.
#pragma once

#include <cmath>

#include "dynamics/barostat.h"
#include "dynamics/kinetic.h"

namespace triad {

/// What a step with a barostat does to an atom: at its end v_d *= end[d]; at the start of the next step v_d *=
/// start[d], a half kick, and then x_d += (x_d - fixed[d]) * growth[d] + dt * v_d * factor[d], which is a drift between
/// two dilations by `factor`.
struct BoxMotion {
  double end[3], start[3], factor[3], growth[3], fixed[3];
};

/// How far the box may change before displacements must be compared with the limit of the neighbour list: LAMMPS
/// shortens the limit by the displacements of two corners of the box.
struct CornerLimit {
  bool limits = false;
  double low[3], high[3];  ///< corners at the list
  double most = 0;         ///< largest allowed sum of their displacements, length units

  TRIAD_HD bool exceeded(const double *low_now, const double *high_now) const {
    if (!limits) return false;
    double squared[2] = {0, 0};
    for (int d = 0; d < 3; ++d) {
      squared[0] += (low_now[d] - low[d]) * (low_now[d] - low[d]);
      squared[1] += (high_now[d] - high[d]) * (high_now[d] - high[d]);
    }
    return !(std::sqrt(squared[0]) + std::sqrt(squared[1]) <= most);
  }
};

/// A team of threads that share the work of a step, which is a long chain of arithmetic on objects that all of them
/// see. All threads of a team call its functions, which return when the work of all is done. This is the team of one
/// thread.
struct OneThread {
  /// One thread calls `call`.
  template <class Call>
  TRIAD_HD void one(const Call &call) const {
    call();
  }
  /// One thread calls `call`, and at the same time another one `other`. Neither may read what the other one writes.
  template <class Call, class Other>
  TRIAD_HD void both(const Call &call, const Other &other) const {
    call();
    other();
  }
  /// Three threads call `call` with an axis each.
  template <class Call>
  TRIAD_HD void axes(const Call &call) const {
    for (int d = 0; d < 3; ++d) call(d);
  }
};

/// The barostat of all atoms in an orthogonal box, beside a HeldThermostat of all atoms. Order of calls in a step:
/// start_step(), half kick, dilation, drift, dilation, forces, half kick, end_step(). The base HeldChain is the
/// barostat's own chain. `team`: OneThread, or a class with the same functions.
struct HeldBarostat : HeldChain {
  bool acts = false;  ///< false: there is no barostat, and nothing else is set
  Barostat state;
  PressureTargets targets;
  ChainStep chain_step;  ///< of the barostat's chain; its `drag` is also that of the rates
  double n_atoms;
  double nktv2p;           ///< pressure times volume per energy
  double mvv2e;            ///< energy per m v v
  double kT;               ///< target of the last step, energy units
  double fixed[3];         ///< the point that does not move, length units
  double low[3], high[3];  ///< corners of the box, length units
  double virial[3];        ///< input: xx yy zz of the last forces, energy
  double factor;           ///< of the velocities, by the thermostat in the last half step
  double kinetic[3];       ///< m v v of the present velocities, xx yy zz, energy
  CornerLimit corners;
  BoxMotion motion;  ///< output

  /// Begins a step, including the half step of the thermostat: everything before the first half kick. Sets the box
  /// after the step, and all of `motion` but its end.
  template <class Team>
  TRIAD_HD void start_step(const Team &team, HeldThermostat &thermostat) {
    team.both([&] { advance_own_chain(); }, [&] { scale_kinetic(thermostat.half_step(thermostat.step + 1)); });
    team.one([&] {
      kT = thermostat.kT;
      targets.set(state, thermostat.step, low, high);
    });
    advance_rates(team, thermostat);
    team.axes([&](int d) {
      motion.start[d] = factor * barostat_velocity_factor(state, d, chain_step.dt);
      motion.factor[d] = barostat_edge_factor(state, d, chain_step.dt);
      motion.growth[d] = motion.factor[d] * motion.factor[d] - 1;
      motion.fixed[d] = fixed[d];
      for (int half = 0; half < 2; ++half)  // a whole step of the box
        dilate_edge(state, d, chain_step.dt, motion.factor[d], fixed[d], low[d], high[d]);
    });
  }
  /// Ends a step in which HeldThermostat::begin_half_step() was called for the second half step. `sums`: kinetic sums
  /// with the velocities after the second half kick, which only the thread needs that calls the argument of
  /// Team::one(); they become those that fix npt measures. Sets motion.end.
  template <class Team>
  TRIAD_HD void end_step(const Team &team, HeldThermostat &thermostat, KineticSums &sums) {
    team.axes([&](int d) { motion.end[d] = barostat_velocity_factor(state, d, chain_step.dt); });
    team.one([&] {
      scale(sums, motion.end);
      for (int d = 0; d < 3; ++d) kinetic[d] = mvv2e * sums.mvv[d];
      thermostat.see(sums.mvv);
    });
    advance_rates(team, thermostat);
    team.both([&] { advance_own_chain(); },
              [&] {
                scale_kinetic(thermostat.finish_half_step());
                for (int d = 0; d < 3; ++d) motion.end[d] *= factor;
              });
  }

 private:
  TRIAD_HD void scale_kinetic(double by) {
    factor = by;
    for (int d = 0; d < 3; ++d) kinetic[d] *= by * by;
  }
  TRIAD_HD void advance_own_chain() {
    with_chain([&](auto &chain) { advance_barostat_chain(state, chain, chain_step, kT); });
  }
  /// Half a step of the rates of all edges.
  template <class Team>
  TRIAD_HD void advance_rates(const Team &team, const HeldThermostat &thermostat) {
    team.axes([&](int d) { advance_rate_of(d, thermostat); });
    team.one([&] { state.velocity_coupling = velocity_coupling_of(state, n_atoms); });
  }
  /// Half a step of the rate of edge d, with the pressure of the present velocities and of the last forces.
  TRIAD_HD void advance_rate_of(int d, const HeldThermostat &thermostat) {
    double edge[3], pressure[3];
    for (int k = 0; k < 3; ++k) edge[k] = high[k] - low[k];
    const double per_volume = nktv2p / (edge[0] * edge[1] * edge[2]);
    if (isotropic(state)) {
      pressure[0] = 0;
      for (int k = 0; k < 3; ++k) pressure[0] += (kinetic[k] + virial[k]) / 3 * per_volume;
      pressure[1] = pressure[2] = pressure[0];
    } else {
      for (int k = 0; k < 3; ++k) pressure[k] = (kinetic[k] + virial[k]) * per_volume;
      couple(state.coupling, pressure);
    }
    const double thermal = thermostat.settings.degrees * thermostat.settings.boltz * thermostat.temperature;
    const double driving = driving_kinetic(state, kinetic, thermal);
    advance_rate(state, d, edge, pressure[d], driving, n_atoms, 1 / nktv2p, chain_step.dt, chain_step.drag);
  }
};

}  // namespace triad
