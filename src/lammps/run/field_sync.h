// Which copy of the atoms is current: LAMMPS's arrays, the engine's, or both. Copies only what is stale.
#pragma once

#include <vector>

#include "engine/md_engine.h"
#include "pointers.h"

namespace LAMMPS_NS {

class FieldSync final : protected Pointers {
 public:
  explicit FieldSync(LAMMPS *lmp) : Pointers(lmp) {}

  /// From now on moves fields between LAMMPS and `engine`; only LAMMPS's are current.
  void start(triad::MdEngine *engine);

  /// LAMMPS has moved atoms between ranks or sorted them: nothing at the engine is current.
  void all_on_host();
  /// LAMMPS's arrays are new, and the engine has taken them over.
  void taken_over();

  /// Makes fields current on the host; with positions, those of ghosts follow. Collective.
  void sync_host(unsigned fields);
  /// The same, where LAMMPS is about to have other ghosts: those of now stay where they are.
  void sync_host_owned(unsigned fields);
  /// LAMMPS has new ghosts of the positions that it has.
  void ghosts_are_new() { ghosts_ = true; }
  /// Makes fields current at the engine.
  void sync_engine(unsigned fields);

  /// Whether LAMMPS has all positions, those of ghosts too.
  bool positions_on_host() const { return (host_ & triad::field_x) && ghosts_; }

  bool need_sync_host(unsigned fields) const { return fields & ~host_; }

  /// [nlocal][3] for AtomArrays: crossings of the box, which image flags take up when positions come to the host.
  int *crossings();

  void modify_host(unsigned fields);
  void modify_engine(unsigned fields);

 private:
  triad::MdEngine *engine_ = nullptr;
  unsigned host_ = triad::field_all, on_engine_ = 0;  // fields that are current
  std::vector<int> crossings_;
  bool ghosts_ = false;  // positions of LAMMPS's ghosts are those of their owners
};

}  // namespace LAMMPS_NS
