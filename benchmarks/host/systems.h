// The systems of the host benchmark, with neighbour lists in the form in which LAMMPS passes them.
#pragma once

#include <string>
#include <vector>

#include "forces/tersoff/tersoff_backend.h"
#include "testing/periodic.h"

namespace triad {
namespace bench {

/// Atoms, ghosts, a list with skin, and views for a backend. The views point into the object.
class HostSystem {
 public:
  HostSystem(const Structure &structure, const TersoffTable &table, double skin);
  HostSystem(const HostSystem &) = delete;
  HostSystem &operator=(const HostSystem &) = delete;

  TersoffSetup setup(Precision precision) const;
  AtomsView atoms() const;
  NeighborListView rows() const;
  double *positions() { return atoms_.x.data(); }
  const GhostImages &ghosts() const { return atoms_.ghosts; }

  /// Mean number of neighbours within the cutoff of the potential.
  double mean_neighbours() const;

 private:
  TersoffTable table_;
  PeriodicAtoms atoms_;
  Rows rows_;
  std::vector<int> type_, centre_, length_;
  std::vector<const int *> neighbour_;
};

/// 32,768 silicon atoms of a crystal at about 300 K: 4 neighbours.
Structure warm_silicon();
/// 32,768 silicon atoms, a melt at 3000 K replicated from 512 atoms: 5 to 6 neighbours, many of them in the taper.
Structure liquid_silicon();
/// 32,768 atoms of zincblende silicon carbide at about 300 K: two elements, 4 bonds, and those silicon atoms of the
/// second shell (3.06 A) that come within the cutoff of 3.0 A.
Structure warm_silicon_carbide();

}  // namespace bench
}  // namespace triad
