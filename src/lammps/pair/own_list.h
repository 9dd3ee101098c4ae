// The pair style's own neighbour list, made on all threads in place of one by LAMMPS.
#pragma once

#include "lammps/util/list_stamp.h"
#include "neighbor/host/cell_list.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// A list of all pairs that stays complete for as long as the lists of LAMMPS are in force.
/// A list made in the step of a build by LAMMPS reaches as far as LAMMPS's; one made later as far as
/// late_list_cutoff(). The ghost atoms, which are those of the build, are enough for both.
class OwnList : protected Pointers {
 public:
  explicit OwnList(LAMMPS *lmp) : Pointers(lmp) {}

  /// To be called when a run is initialised: the present list is forgotten, and later ones belong to the present skin.
  void init();
  /// The present list is out of date, though LAMMPS's counts do not tell.
  void forget() { stamp_ = ListStamp(); }

  /// Where the atoms are when a list is asked for.
  enum class Positions {
    OfBuild,  ///< where LAMMPS's lists were built, if that was in this step
    Later     ///< moved since, or displaced by whoever asks
  };

  /// True if the present list was made for the present lists of LAMMPS.
  bool is_current() const;

  /// Makes a list of the atoms that `atoms` holds. Lengths in the units of the run.
  void make(const triad::AtomsView &atoms, Positions positions);

  /// The number of lists made so far: it tells whether rows() has changed.
  bigint count() const { return count_; }
  triad::NeighborListView rows() const { return cells_.rows(); }
  double bytes() const { return cells_.bytes(); }

 private:
  ListStamp stamp_;
  double skin_ = 0;  // of the last init(): the script may change that of LAMMPS before `run pre no`
  bigint count_ = 0;
  triad::CellList cells_;
};

}  // namespace LAMMPS_NS
