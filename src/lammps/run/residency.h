// Which copy of the atoms is current: LAMMPS's arrays, the stepper's, or both. Copies only what is stale.
#pragma once

#include <vector>

#include "engine/md_engine.h"
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
  /// The same, where LAMMPS is about to have other ghosts: those of now stay where they are.
  void owned_to_host(unsigned fields);
  /// LAMMPS has new ghosts of the positions that it has.
  void ghosts_are_new() { ghosts_ = true; }
  /// Makes fields current at the stepper.
  void to_stepper(unsigned fields);

  /// Whether LAMMPS has all positions, those of ghosts too.
  bool positions_on_host() const { return (host_ & triad::field_x) && ghosts_; }

  bool stale_on_host(unsigned fields) const { return fields & ~host_; }

  /// [nlocal][3] for AtomArrays: crossings of the box, which image flags take up when positions come to the host.
  int *crossings();

  void changed_on_host(unsigned fields);
  void changed_at_stepper(unsigned fields);

 private:
  triad::Stepper *stepper_ = nullptr;
  unsigned host_ = triad::field_all, at_stepper_ = 0;  // fields that are current
  std::vector<int> crossings_;
  bool ghosts_ = false;  // positions of LAMMPS's ghosts are those of their owners
};

}  // namespace LAMMPS_NS
