#include "lammps/run/atom_motion.h"

#include "atom.h"
#include "comm.h"
#include "lammps/util/atom_arrays.h"
#include "lammps/util/thread_choice.h"

using namespace LAMMPS_NS;

/// The group's atoms in LAMMPS's arrays.
triad::GroupMotion AtomMotion::on_host() const { return {atom_arrays(atom), groupbit_, threads_of(lmp)}; }

void AtomMotion::kick(double half_kick) const {
  if (engine_) return engine_->queue_kick(groupbit_, half_kick);
  on_host().kick(half_kick);
}

void AtomMotion::drift(double dt) const {
  if (engine_) return engine_->queue_drift(groupbit_, dt);
  on_host().drift(dt);
}

void AtomMotion::scale_velocities(const double (&factor)[3]) const {
  if (engine_) return engine_->queue_scale_velocities(groupbit_, factor);
  on_host().scale_velocities(factor);
}

void AtomMotion::add_velocity(const double (&difference)[3]) const {
  if (engine_) return engine_->add_velocity(groupbit_, difference);
  on_host().add_velocity(difference);
}

void AtomMotion::add_langevin(triad::LangevinForce thermostat, std::vector<double> &kept) const {
  thermostat.group_bit = groupbit_;
  if (engine_) return engine_->add_langevin(thermostat);
  if (thermostat.tally >= 0) kept.resize(3 * std::size_t(atom->nlocal));
  on_host().add_langevin(
      thermostat, [tag = atom->tag](int i) { return tag[i]; }, thermostat.tally >= 0 ? kept.data() : nullptr);
}

double AtomMotion::langevin_power(int tally, const std::vector<double> &kept) const {
  return engine_ ? engine_->langevin_power(groupbit_, tally) : on_host().power(kept.data());
}

std::vector<triad::SlabSums> AtomMotion::sum_slabs(const triad::Slabs &slabs) const {
  return engine_ ? engine_->sum_slabs(groupbit_, slabs) : on_host().sum_slabs(slabs);
}

double AtomMotion::longest_step(const triad::StepLimits &limits) const {
  return engine_ ? engine_->longest_step(groupbit_, limits) : on_host().longest_step(limits);
}

triad::ExchangeSums AtomMotion::sum_exchange(const triad::BlockRegion &block) const {
  return engine_ ? engine_->sum_exchange(groupbit_, block) : on_host().sum_exchange(block);
}

void AtomMotion::exchange_heat(const triad::BlockRegion &block, const triad::HeatExchange &exchange) const {
  if (engine_) return engine_->exchange_heat(groupbit_, block, exchange);
  on_host().exchange_heat(block, exchange);
}

triad::KineticSums AtomMotion::kinetic() const { return engine_ ? engine_->kinetic(groupbit_) : on_host().kinetic(); }

void AtomMotion::place(triad::LinearMotion motion) const {
  motion.group_bit = groupbit_;
  if (engine_) return engine_->place(motion);
  on_host().place(motion);
}

void AtomMotion::reflect(triad::ReflectingWalls walls) const {
  walls.group_bit = groupbit_;
  if (engine_) return engine_->reflect(walls);
  on_host().reflect(walls);
}

triad::MomentSums AtomMotion::sum_moments(int number, const double *points) const {
  return engine_ ? engine_->sum_moments(groupbit_, number) : on_host().sum_moments(points);
}

triad::ForceSums AtomMotion::sum_stretch(const triad::ForceChange &spring) const {
  return engine_ ? engine_->sum_stretch(spring) : on_host().sum_stretch(spring);
}

triad::ForceSums AtomMotion::sum_forces(bool positions) const {
  return engine_ ? engine_->sum_forces(groupbit_, positions) : on_host().sum_forces();
}

void AtomMotion::change_forces(const triad::ForceChange &change) const {
  if (engine_) return engine_->change_forces(change);
  on_host().change_forces(change);
}
