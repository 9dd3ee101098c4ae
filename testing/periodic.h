// Periodic images and neighbour lists in the form in which LAMMPS passes them to a pair style:
// ghost atoms in a shell around the box, and a full list with skin for the owned atoms.
#pragma once

#include <cstddef>
#include <vector>

#include "testing/structures.h"

namespace triad {

/// Ghost atoms: copies of owned atoms, shifted by multiples of the box length.
struct GhostImages {
  std::vector<int> owner;     ///< [n] index of the original
  std::vector<double> shift;  ///< [n][3] Angstrom

  std::size_t size() const { return owner.size(); }
};

/// Owned atoms first, then their ghosts.
struct PeriodicAtoms {
  double length = 0;
  int n_owned = 0;
  std::vector<double> x;     ///< [n_all][3]
  std::vector<int> element;  ///< [n_all]
  GhostImages ghosts;

  int n_all() const { return static_cast<int>(element.size()); }
};

/// Full neighbour list, row i for owned atom i.
struct Rows {
  std::vector<long long> offset;  ///< [n_owned + 1]
  std::vector<int> neighbour;     ///< [offset[n_owned]]

  int length(std::size_t i) const { return static_cast<int>(offset[i + 1] - offset[i]); }
};

/// Adds the images of all atoms within `cutoff` of the box. Throws std::invalid_argument if the box is narrower than
/// `cutoff`, because then one image per side is not sufficient.
PeriodicAtoms with_ghosts(const Structure &structure, double cutoff);

/// Returns all neighbours within `cutoff` (Angstrom), found with cells of that size.
Rows neighbour_rows(const PeriodicAtoms &atoms, double cutoff);

/// Returns the same list with every ghost replaced by its original, for kernels that compute the nearest image
/// themselves. The box must be wider than twice the cutoff of the list.
Rows without_ghosts(const Rows &rows, const PeriodicAtoms &atoms);

}  // namespace triad
