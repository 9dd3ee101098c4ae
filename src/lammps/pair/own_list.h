// The pair style's own neighbour list, which all threads make in place of LAMMPS's list.
#pragma once

#include "lammps/util/list_stamp.h"
#include "neighbor/host/cell_list.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// A list of all pairs that stays complete while LAMMPS's lists are in force. In a step in which LAMMPS builds lists,
/// the list has LAMMPS's cutoff and skin; later, its cutoff is late_list_cutoff(). LAMMPS's ghost atoms suffice for
/// both.
class OwnList : protected Pointers {
 public:
  explicit OwnList(LAMMPS *lmp) : Pointers(lmp) {}

  /// To be called when a run is initialised: discards the list, and takes the present skin for later lists.
  void init();
  /// Discards the list, where LAMMPS's counts do not show that it is out of date.
  void forget() { stamp_ = ListStamp(); }

  /// Positions for which a list is made.
  enum class Positions {
    OfBuild,  ///< those for which LAMMPS has built its lists in this step
    Later     ///< atoms may have moved since, or the caller has displaced them
  };

  /// True if the list belongs to LAMMPS's present lists.
  bool is_current() const;

  /// Makes a list of `atoms`. Lengths are in the units of the run.
  void make(const triad::AtomsView &atoms, Positions positions);

  /// Number of calls of make() so far. rows() has changed if this number has.
  bigint count() const { return count_; }
  triad::NeighborListView rows() const { return cells_.rows(); }
  double bytes() const { return cells_.bytes(); }

 private:
  ListStamp stamp_;
  double skin_ = 0;  // skin at the last init(); a script may change LAMMPS's skin before `run pre no`
  bigint count_ = 0;
  triad::CellList cells_;
};

}  // namespace LAMMPS_NS
