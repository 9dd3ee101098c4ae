// What our fixes do to atoms, wherever these are: in LAMMPS's arrays, or in those of a Stepper.
#pragma once

#include "atom.h"
#include "lammps/resident_fix.h"

namespace LAMMPS_NS {

/// Calls move(i, mass) for every owned atom i of the group, in LAMMPS's arrays.
template <class Move>
void for_each_owned(const Atom *atom, int groupbit, Move &&move) {
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit) move(i, atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]);
}

/// The operations of an integrator on a group. With a stepper they act on its atoms, otherwise on LAMMPS's.
class AtomMotion {
 public:
  AtomMotion(const Atom *atom, int groupbit) : atom_(atom), groupbit_(groupbit) {}

  /// Until the guard goes, atoms are the stepper's.
  class OnStepper {
   public:
    OnStepper(AtomMotion &motion, triad::Stepper &stepper) : motion_(motion) { motion_.stepper_ = &stepper; }
    ~OnStepper() { motion_.stepper_ = nullptr; }
    OnStepper(const OnStepper &) = delete;
    OnStepper &operator=(const OnStepper &) = delete;

   private:
    AtomMotion &motion_;
  };

  /// v += half_kick f / m
  void kick(double half_kick) const {
    if (stepper_) return stepper_->kick(groupbit_, half_kick);
    for_each_owned(atom_, groupbit_, [&](int i, double mass) {
      const double factor = half_kick / mass;
      for (int d = 0; d < 3; ++d) atom_->v[i][d] += factor * atom_->f[i][d];
    });
  }

  /// x += dt v
  void drift(double dt) const {
    if (stepper_) return stepper_->drift(groupbit_, dt);
    for_each_owned(atom_, groupbit_, [&](int i, double) {
      for (int d = 0; d < 3; ++d) atom_->x[i][d] += dt * atom_->v[i][d];
    });
  }

  /// v_d *= factor_d
  void scale_velocities(const double (&factor)[3]) const {
    if (stepper_) return stepper_->scale_velocities(groupbit_, factor);
    for_each_owned(atom_, groupbit_, [&](int i, double) {
      for (int d = 0; d < 3; ++d) atom_->v[i][d] *= factor[d];
    });
  }

  triad::Stepper *stepper() const { return stepper_; }

 private:
  const Atom *atom_;
  int groupbit_;
  triad::Stepper *stepper_ = nullptr;
};

}  // namespace LAMMPS_NS
