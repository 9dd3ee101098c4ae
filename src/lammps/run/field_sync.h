// Synchronisation of fields between LAMMPS's arrays and the engine: records which copy of a field is current, and
// copies stale fields.
#pragma once

#include <vector>

#include "engine/md_engine.h"
#include "pointers.h"

namespace LAMMPS_NS {

class FieldSync final : protected Pointers {
 public:
  explicit FieldSync(LAMMPS *lmp) : Pointers(lmp) {}

  /// Starts synchronisation with `engine`. Only LAMMPS's fields are current.
  void start(triad::MdEngine *engine);

  /// LAMMPS has moved atoms between ranks or sorted them: no field of the engine is current.
  void all_on_host();
  /// The engine has taken over LAMMPS's arrays after MdEngine::set_atoms(): both are current.
  void both_current();

  /// Makes fields current on the host, with positions also those of ghosts. Collective.
  void sync_host(unsigned fields);
  /// The same without ghosts, for use before LAMMPS makes new ghosts.
  void sync_host_owned(unsigned fields);
  /// LAMMPS has made ghosts from its present positions.
  void ghosts_are_new() { ghosts_ = true; }
  /// Makes fields current on the engine.
  void sync_engine(unsigned fields);

  /// True if LAMMPS has current positions of owned atoms and ghosts.
  bool positions_on_host() const { return (host_ & triad::field_x) && ghosts_; }

  bool need_sync_host(unsigned fields) const { return fields & ~host_; }

  /// AtomArrays::crossings, [nlocal][3], which sync_host() of positions adds to LAMMPS's image flags.
  int *crossings();

  void modify_host(unsigned fields);
  void modify_engine(unsigned fields);

 private:
  triad::MdEngine *engine_ = nullptr;
  unsigned host_ = triad::field_all, on_engine_ = 0;  // current fields of each
  std::vector<int> crossings_;
  bool ghosts_ = false;  // LAMMPS's ghosts have the positions of their owners
};

}  // namespace LAMMPS_NS
