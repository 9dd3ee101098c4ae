// What our fixes and computes do to atoms, wherever these are: in LAMMPS's arrays, or in those of a Stepper.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamics/langevin.h"
#include "lammps/run/resident_fix.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// The operations on a group. With a stepper they act on its atoms, otherwise on LAMMPS's arrays of this rank.
class AtomMotion : protected Pointers {
 public:
  AtomMotion(LAMMPS *lmp, int groupbit) : Pointers(lmp), groupbit_(groupbit) {}

  /// Until the guard goes, atoms are the stepper's; null: LAMMPS's.
  class OnStepper {
   public:
    OnStepper(AtomMotion &motion, triad::Stepper *stepper) : motion_(motion) { motion_.stepper_ = stepper; }
    ~OnStepper() { motion_.stepper_ = nullptr; }
    OnStepper(const OnStepper &) = delete;
    OnStepper &operator=(const OnStepper &) = delete;

   private:
    AtomMotion &motion_;
  };

  triad::Stepper *stepper() const { return stepper_; }

  /// v += half_kick f / m
  void kick(double half_kick) const;
  /// x += dt v
  void drift(double dt) const;
  /// v_d *= factor_d
  void scale_velocities(const double (&factor)[3]) const;
  /// v += difference
  void add_velocity(const double (&difference)[3]) const;
  /// f += the force of a Langevin thermostat; `terms` by type
  void add_langevin(const std::vector<triad::LangevinTerms> &terms, double root_temperature, std::int64_t step,
                    std::uint32_t seed) const;
  triad::KineticSums kinetic() const;

 private:
  double mass(int i) const;
  template <class Work>
  void for_group(Work &&work) const;

  int groupbit_;
  triad::Stepper *stepper_ = nullptr;
};

}  // namespace LAMMPS_NS
