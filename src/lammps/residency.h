// Which copy of the atoms is current: LAMMPS's arrays, the stepper's, or both. Copies only what is stale.
#pragma once

#include "md/stepper.h"
#include "pointers.h"

namespace LAMMPS_NS {

class Residency final : protected Pointers {
 public:
  explicit Residency(LAMMPS *lmp) : Pointers(lmp) {}

  /// From now on moves fields between LAMMPS and `stepper`; only LAMMPS's are current.
  void start(triad::Stepper *stepper);

  /// LAMMPS has moved atoms between ranks or sorted them: nothing at the stepper is current.
  void all_on_host();
  /// LAMMPS's arrays are new, and the stepper has taken them over.
  void taken_over();

  /// Makes fields current on the host; with positions, those of ghosts follow. Collective.
  void to_host(unsigned fields);
  /// Makes fields current at the stepper.
  void to_stepper(unsigned fields);

  bool stale_on_host(unsigned fields) const { return fields & ~host_; }

  void changed_on_host(unsigned fields);
  void changed_at_stepper(unsigned fields);

 private:
  triad::Stepper *stepper_ = nullptr;
  unsigned host_ = triad::field_all, at_stepper_ = 0;  // fields that are current
  bool ghosts_ = false;                                // positions of LAMMPS's ghosts are those of their owners
};

}  // namespace LAMMPS_NS
