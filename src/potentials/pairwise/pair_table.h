// Energies and forces of a table file, and their interpolation to the points of a TableLaw.
#pragma once

#include <vector>

#include "potentials/pairwise/law_settings.h"

namespace triad {

/// A section of a table file in LAMMPS's format (pair_style table), with ascending distances.
struct PairTable {
  std::vector<double> r, energy, force;  ///< [points] distance, energy, and force -dV/dr
  bool has_slopes = false;               ///< true if the section has FPRIME
  double slope_low = 0, slope_high = 0;  ///< dF/dr at the first and the last point
  bool squared = false;                  ///< true if the distances are equidistant in r^2 (RSQ)

  double inner() const { return r.front(); }
  double outer() const { return r.back(); }
};

/// Appends `n` points up to `cutoff` to `points` and returns the entry that refers to them. As in LAMMPS's pair_style
/// table linear, cubic splines of the table give the values, unless the points are those of the table. Requires n >= 2
/// and inner() < cutoff <= outer().
TableSettings::Entry add_points(const PairTable &table, double cutoff, int n, TableSettings::Points &points);

}  // namespace triad
