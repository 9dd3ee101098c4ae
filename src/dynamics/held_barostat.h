// A barostat with its chain and the box, for steps that run on a device. The order of operations is that of fix npt,
// whose hooks call the same functions of barostat.h with the pressure that a compute of LAMMPS measures.
#pragma once

#include <cstdint>

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
  /// Three threads call `call` with an axis each.
  template <class Axis>
  TRIAD_HD void axes(const Axis &call) const {
    for (int d = 0; d < 3; ++d) call(d);
  }
  /// Does three pieces of work at the same time, none of which may read or write what another one writes: a part of the
  /// team, which has the functions above, calls `by_team` with itself, and one thread each calls `second` and `third`.
  template <class ByTeam, class Second, class Third>
  TRIAD_HD void at_once(const ByTeam &by_team, const Second &second, const Third &third) const {
    by_team(*this);
    second();
    third();
  }
};

/// The barostat of all atoms, beside a HeldThermostat of all atoms. The base HeldChain is the barostat's own chain.
/// Order of calls in a batch: start_chains() before the first step, and in each step start_step(), half kick, dilation,
/// drift, dilation, forces, half kick, end_step(). `team`: OneThread, or a class with the same functions.
struct HeldBarostat : HeldChain {
  bool acts = false;  ///< false: there is no barostat, and nothing else is set
  Barostat state;
  PressureTargets targets;
  ChainStep chain_step;  ///< of the barostat's chain; its `drag` is also that of the rates
  double energy_per_pv;  ///< energy per pressure times volume
  double mvv2e;          ///< energy per m v v
  double tail = 0;       ///< pressure of the long-range tails of pair forces times the squared volume, energy * volume
  double kT;             ///< target of the last step, energy units
  double fixed[3];       ///< the point that does not move, length units
  std::int64_t step;     ///< output: the last step that start_step() has begun
  Box box;               ///< between steps, the caller may change edges without control, if the box is orthogonal
  Box box_of_atoms;      ///< the box in which the atoms are until they make `motion`; then that after it
  double virial[3];      ///< input: xx yy zz of the last forces, energy
  double kinetic[3];     ///< m v v, xx yy zz, energy: input before a batch; in a batch still to be scaled by scaled_^2
  BoxMotion motion;      ///< output

  /// Takes the box in which the atoms are.
  void start(const Box &present) { box = box_of_atoms = present; }

  /// Makes the first half steps of both chains of the first step, and finds its targets.
  template <class Team>
  TRIAD_HD void start_chains(const Team &team, HeldThermostat &thermostat) {
    team.one([&] { step = thermostat.step; });
    start_chains_of_next_step(
        team, [](const auto &) {}, [&] { scaled_ = 1; }, thermostat);
  }

  /// Begins a step: everything before the first half kick. Sets the box after the step, and all of `motion` but its
  /// end.
  template <class Team>
  TRIAD_HD void start_step(const Team &team, const HeldThermostat &thermostat) {
    team.one([&] {
      kT = thermostat.kT;
      ++step;
      state.target = next_target_;
      if (targets.renews_reference(state, step)) set_reference_box(state, box);
      for (double &k : kinetic) k *= scaled_ * scaled_;
      take_work(thermostat.twice_kinetic());
    });
    team.axes([&](int d) { advance_rate_of(d); });
    team.axes([&](int d) {
      velocity_factor_[d] = barostat_velocity_factor(state, d, chain_step.dt);
      motion.start[d] = factor_ * velocity_factor_[d];
      const double half_step = barostat_edge_factor(state, d, chain_step.dt);
      dilate_edge(state, d, chain_step.dt, half_step * half_step, fixed[d], box);
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

  /// The part of the own chain's half step at the end of a step that depends on nothing else.
  TRIAD_HD void begin_last_half_step() { begin_slice(chain_step); }
  /// Ends a step for whose second half step HeldThermostat::begin_half_step() and begin_last_half_step() were called.
  /// Sets motion.end. `sums`: kinetic sums with the velocities after the second half kick, which become those that fix
  /// npt measures. `follows`: another step follows, for which start_step() may be called.
  template <class Team>
  TRIAD_HD void end_step(const Team &team, HeldThermostat &thermostat, KineticSums &sums, bool follows) {
    team.one([&] {
      scale(sums, velocity_factor_);
      for (int d = 0; d < 3; ++d) kinetic[d] = mvv2e * sums.mvv[d];
      thermostat.see(sums.mvv);
      take_work(thermostat.twice_kinetic());
    });
    const auto end_own_chain = [&](const auto &part) {
      part.axes([&](int d) { advance_rate_of(d); });
      part.one([&] { finish_own_chain(); });
    };
    const auto end_thermostat = [&] {
      scaled_ = thermostat.finish_half_step();
      for (int d = 0; d < 3; ++d) motion.end[d] = scaled_ * velocity_factor_[d];
    };
    if (follows) return start_chains_of_next_step(team, end_own_chain, end_thermostat, thermostat);
    team.at_once(end_own_chain, end_thermostat, [] {});
    team.one([&] {
      for (double &k : kinetic) k *= scaled_ * scaled_;
    });
  }

 private:
  double factor_;              // of the velocities, by the thermostat in the first half step
  double scaled_;              // product of the factors of the thermostat that `kinetic` does not yet contain
  double velocity_factor_[3];  // of the velocities, by the barostat in each half step of the present step
  double work_[3], driving_;   // arguments of advance_rate()
  TargetPressures next_target_;

  /// Makes the first half steps of both chains of the next step, behind the end of the present step, and finds the
  /// targets of that step.
  template <class Team, class EndOwn, class EndThermostat>
  TRIAD_HD void start_chains_of_next_step(const Team &team, const EndOwn &end_own, const EndThermostat &end_thermostat,
                                          HeldThermostat &thermostat) {
    team.at_once(
        [&](const auto &part) {
          end_own(part);
          part.one([&] {
            begin_slice(chain_step);
            finish_own_chain();
          });
        },
        [&] {
          end_thermostat();
          factor_ = thermostat.half_step(thermostat.step + 1);
          scaled_ *= factor_;
        },
        [&] { next_target_ = targets.at(state, step + 1); });
  }
  /// The rest of a half step of the own chain, and the scaling of the rates.
  TRIAD_HD void finish_own_chain() {
    if (length > 0)
      scale_rates(state, finish(chain_step, barostat_kinetic(state), mean_barostat_kinetic(state, kT), kT));
  }
  /// Sets the arguments of advance_rate() for the present velocities and the last forces. `thermal`:
  /// HeldThermostat::twice_kinetic().
  TRIAD_HD_NOINLINE void take_work(double thermal) {
    const double of_tail = tail == 0 ? 0 : tail / box.volume();
    for (int d = 0; d < 3; ++d) work_[d] = kinetic[d] + virial[d] + of_tail;
    if (isotropic(state))
      work_[0] = work_[1] = work_[2] = (work_[0] + work_[1] + work_[2]) * (1.0 / 3);
    else
      couple(state.coupling, work_);
    driving_ = driving_kinetic(state, kinetic, thermal);
  }
  /// Half a step of the rate of edge d.
  TRIAD_HD_NOINLINE void advance_rate_of(int d) {
    advance_rate(state, d, box, work_[d], driving_, energy_per_pv, chain_step.dt, chain_step.drag);
  }
};

}  // namespace triad
