// A barostat with its chain and the box, for steps that run on a device. The order of operations is that of fix npt,
// whose hooks call the same functions of barostat.h with the pressure that a compute of LAMMPS measures.
#pragma once

#include <cmath>

#include "dynamics/barostat.h"
#include "dynamics/kinetic.h"

namespace triad {

/// What a step that changes the box does to an atom: at its end v_d *= end[d]; at the start of the next step v_d *=
/// start[d], a half kick, and then x += change.displacement(x) + drift (dt v), which is a drift between two changes of
/// the box.
struct BoxMotion {
  double end[3], start[3];
  BoxChange change;
  UpperTriangular drift;
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

/// The barostat of all atoms, beside a HeldThermostat of all atoms. Order of calls in a step:
/// start_step(), half kick, dilation, drift, dilation, forces, half kick, end_step(). The base HeldChain is the
/// barostat's own chain. `team`: OneThread, or a class with the same functions.
struct HeldBarostat : HeldChain {
  bool acts = false;  ///< false: there is no barostat, and nothing else is set
  Barostat state;
  PressureTargets targets;
  ChainStep chain_step;  ///< of the barostat's chain; its `drag` is also that of the rates
  double n_atoms;
  double nktv2p;      ///< pressure times volume per energy
  double mvv2e;       ///< energy per m v v
  double tail = 0;    ///< pressure of the long-range tails of pair forces times the squared volume, energy * volume
  double kT;          ///< target of the last step, energy units
  double fixed[3];    ///< the point that does not move, length units
  Box box;            ///< between steps, the caller may change edges without control, if the box is orthogonal
  Box box_of_atoms;   ///< the box in which the atoms are until they make `motion`; then that after it
  double virial[3];   ///< input: xx yy zz of the last forces, energy
  double factor;      ///< of the velocities, by the thermostat in the last half step
  double kinetic[3];  ///< m v v of the present velocities, xx yy zz, energy
  BoxMotion motion;   ///< output

  /// Takes the box in which the atoms are.
  void start(const Box &present) { box = box_of_atoms = present; }

  /// Begins a step, including the half step of the thermostat: everything before the first half kick. Sets the box
  /// after the step, and all of `motion` but its end.
  template <class Team>
  TRIAD_HD void start_step(const Team &team, HeldThermostat &thermostat) {
    team.both([&] { with_chain([&](auto &chain) { advance_barostat_chain(state, chain, chain_step, kT); }); },
              [&] { scale_kinetic(thermostat.half_step(thermostat.step + 1)); });
    team.one([&] {
      kT = thermostat.kT;
      targets.set(state, thermostat.step, box);
    });
    advance_rates(team, thermostat);
    team.axes([&](int d) {
      motion.start[d] = factor * barostat_velocity_factor(state, d, chain_step.dt);
      const double half_step = barostat_edge_factor(state, d, chain_step.dt);
      for (int half = 0; half < 2; ++half) dilate_edge(state, d, chain_step.dt, half_step, fixed[d], box);
      motion.drift.diagonal(d) = half_step;
      const double before = box_of_atoms.high[d] - box_of_atoms.low[d], edge = box.high[d] - box.low[d];
      const double growth = state.controls[d] ? half_step * half_step - 1 : (edge - before) / before;
      motion.change.growth.diagonal(d) = growth;
      motion.change.offset[d] = box.low[d] - box_of_atoms.low[d] - growth * box_of_atoms.low[d];
      if (box.triclinic) return;
      box_of_atoms.low[d] = box.low[d];
      box_of_atoms.high[d] = box.high[d];
    });
    if (!box.triclinic) return;
    team.one([&] {
      complete_scaling(motion.change.growth, box.edges());
      complete_scaling(motion.drift, box.edges());
      motion.change.set_offset(box_of_atoms.low, box.low);
      box_of_atoms = box;
    });
  }
  /// The part of the second half step of the own chain that depends on nothing else.
  TRIAD_HD void begin_end() {
    with_chain([&](auto &chain) { begin_slice(chain, chain_step); });
  }
  /// Ends a step for whose second half step HeldThermostat::begin_half_step() and begin_end() were called. `sums`:
  /// kinetic sums with the velocities after the second half kick, which only the thread needs that calls the argument
  /// of Team::one(); they become those that fix npt measures. Sets motion.end.
  template <class Team>
  TRIAD_HD void end_step(const Team &team, HeldThermostat &thermostat, KineticSums &sums) {
    team.axes([&](int d) { motion.end[d] = barostat_velocity_factor(state, d, chain_step.dt); });
    team.one([&] {
      scale(sums, motion.end);
      for (int d = 0; d < 3; ++d) kinetic[d] = mvv2e * sums.mvv[d];
      thermostat.see(sums.mvv);
    });
    advance_rates(team, thermostat);
    team.both([&] { with_chain([&](auto &chain) { finish_barostat_chain(state, chain, chain_step, kT); }); },
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
  /// Half a step of the rates of all edges.
  template <class Team>
  TRIAD_HD void advance_rates(const Team &team, const HeldThermostat &thermostat) {
    team.axes([&](int d) { advance_rate_of(d, thermostat); });
    team.one([&] { state.velocity_coupling = velocity_coupling_of(state, n_atoms); });
  }
  /// Half a step of the rate of edge d, with the pressure of the present velocities and of the last forces.
  TRIAD_HD void advance_rate_of(int d, const HeldThermostat &thermostat) {
    double pressure[3];
    const double per_volume = 1 / box.volume(), of_energy = nktv2p * per_volume, of_tail = tail * per_volume;
    if (isotropic(state)) {
      pressure[0] = of_tail * of_energy;
      for (int k = 0; k < 3; ++k) pressure[0] += (kinetic[k] + virial[k]) / 3 * of_energy;
      pressure[1] = pressure[2] = pressure[0];
    } else {
      for (int k = 0; k < 3; ++k) pressure[k] = (kinetic[k] + virial[k] + of_tail) * of_energy;
      couple(state.coupling, pressure);
    }
    const double thermal = thermostat.settings.degrees * thermostat.settings.boltz * thermostat.temperature;
    const double driving = driving_kinetic(state, kinetic, thermal);
    advance_rate(state, d, box, pressure[d], driving, n_atoms, 1 / nktv2p, chain_step.dt, chain_step.drag);
  }
};

}  // namespace triad
