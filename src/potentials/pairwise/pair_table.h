// Energies and forces of a table file, and their interpolation to the points of a TableLaw.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "potentials/pairwise/law_settings.h"

namespace triad {

/// How the distances of a table file are spaced.
enum class TableSpacing { Any, Squared, Bitmap };

/// A section of a table file in LAMMPS's format (pair_style table), with ascending distances.
struct PairTable {
  std::vector<double> r, energy, force;      ///< [points] distance, energy, and force -dV/dr
  bool has_slopes = false;                   ///< true if the section has FPRIME
  double slope_low = 0, slope_high = 0;      ///< dF/dr at the first and the last point
  TableSpacing spacing = TableSpacing::Any;  ///< Squared: RSQ, equidistant in r^2. Bitmap: those of a BitmapGrid
  double low = 0, high = 0;                  ///< the distances after R, RSQ or BITMAP; otherwise 0

  double inner() const { return r.front(); }
  double outer() const { return spacing == TableSpacing::Bitmap ? high : r.back(); }
  /// Multiplies the energies and what follows from them.
  void scale(double factor) {
    for (double &e : energy) e *= factor;
    for (double &f : force) f *= factor;
    slope_low *= factor;
    slope_high *= factor;
  }
};

/// Squared distances whose bit patterns, as IEEE floats, are equidistant.
struct BitmapGrid {
  std::uint32_t first = 0;  ///< bit pattern of the first one
  int shift = 0;            ///< two neighbours differ by 2^shift

  double squared(int k) const;
};

/// Returns the grid of LAMMPS's bitmapped tables (Pair::init_bitmap): 2^bits squared distances that begin at or just
/// above inner^2 and reach outer^2, or end one interval before it. Returns nothing if `bits` are too few or too many
/// for these distances. Requires 0 < inner < outer.
std::optional<BitmapGrid> bitmap_grid(double inner, double outer, int bits);

/// Appends the points of a table up to `cutoff` to `points` and returns the entry that refers to them. As in LAMMPS's
/// pair_style table, cubic splines of the table give the values, unless the points are those of the table. `n` is the
/// number of points, with Bitmap its logarithm to base 2, for which bitmap_grid() must have a grid. Requires n >= 2 and
/// inner() < cutoff <= outer().
TableSettings::Entry add_points(const PairTable &table, double cutoff, TableStyle style, int n,
                                TableSettings::Points &points);

}  // namespace triad
