// Operations of our fixes and computes on atoms, in LAMMPS's arrays or in those of an MdEngine.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/host/group_motion.h"
#include "lammps/run/engine_fix.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// Operations on a group. With an engine they act on the engine's atoms, otherwise on LAMMPS's arrays of this rank.
class AtomMotion : protected Pointers {
 public:
  AtomMotion(LAMMPS *lmp, int groupbit) : Pointers(lmp), groupbit_(groupbit) {}

  /// While the guard exists, operations act on the atoms of `engine`, or with null on LAMMPS's arrays.
  class OnEngine {
   public:
    OnEngine(AtomMotion &motion, triad::MdEngine *engine) : motion_(motion) { motion_.engine_ = engine; }
    ~OnEngine() { motion_.engine_ = nullptr; }
    OnEngine(const OnEngine &) = delete;
    OnEngine &operator=(const OnEngine &) = delete;

   private:
    AtomMotion &motion_;
  };

  triad::MdEngine *engine() const { return engine_; }

  /// v += half_kick f / m
  void kick(double half_kick) const;
  /// x += dt v
  void drift(double dt) const;
  /// v_d *= factor_d
  void scale_velocities(const double (&factor)[3]) const;
  /// v += difference
  void add_velocity(const double (&difference)[3]) const;
  /// Adds the force of a Langevin thermostat on this group to f, and keeps the added force if thermostat.tally says so:
  /// in the engine, or in `kept`, [n_owned][3], which must stay valid for langevin_power()
  void add_langevin(triad::LangevinForce thermostat, std::vector<double> &kept) const;
  /// Power of the force that was kept, of this rank's atoms; force times velocity
  double langevin_power(int tally, const std::vector<double> &kept) const;
  triad::KineticSums kinetic() const;
  /// Sums of this rank's atoms in each slab
  std::vector<triad::SlabSums> sum_slabs(const triad::Slabs &slabs) const;
  /// The longest time step that the limits allow for this rank's atoms
  double longest_step(const triad::StepLimits &limits) const;
  /// Sums of this rank's atoms in a block, and the change of these atoms
  triad::ExchangeSums sum_exchange(const triad::BlockRegion &block) const;
  void exchange_heat(const triad::BlockRegion &block, const triad::HeatExchange &exchange) const;
  /// Puts the atoms of this group at their tethers plus a displacement, and sets their velocities
  void place(triad::LinearMotion motion) const;
  /// Reflects positions and velocities
  void reflect(triad::ReflectingWalls walls) const;
  /// Sums of this rank's atoms relative to points: those of set_tethers() under `number`, or without an engine
  /// `points`, [n_owned][3]; -1 and null stand for the origin
  triad::MomentSums sum_moments(int number, const double *points) const;
  /// ForceSums::stretch of a change of the kind Spring, of this rank's atoms
  triad::ForceSums sum_stretch(const triad::ForceChange &spring) const;
  /// Sums of forces, and if `positions` is true, of positions; of this rank's atoms
  triad::ForceSums sum_forces(bool positions) const;
  /// Changes the forces of this group; not for ForceChange::Kind::Average
  void change_forces(const triad::ForceChange &change) const;

 private:
  triad::GroupMotion on_host() const;

  int groupbit_;
  triad::MdEngine *engine_ = nullptr;
};

}  // namespace LAMMPS_NS
