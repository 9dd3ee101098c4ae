// A full neighbour list like LAMMPS's, built on all threads.
#pragma once

#include <cstddef>
#include <vector>

#include "core/aligned_array.h"
#include "core/views.h"

namespace triad {

/// How far a list must reach that is made from positions of any time between two builds of lists by LAMMPS, to hold all
/// pairs that can come within the cutoff before the next of these builds. `listed` is cutoff + skin.
///
/// LAMMPS builds lists anew when an atom has moved half of the skin from its position at the last build. A pair that
/// comes within the cutoff was within cutoff + skin then, and is within cutoff + 2 skins at any time. Half a skin more
/// is for fixes that displace atoms for a moment when the list is made (numdiff).
inline double late_list_cutoff(double listed, double skin) { return listed + 1.5 * skin; }

class CellList {
 public:
  /// The rows of all owned atoms: every other atom, ghosts included, nearer than the cutoff of the two types, or with a
  /// position that is not a number. cutoff_squared is [types][types], types counted from 0. Neighbours stand in an
  /// order that positions alone set, not `threads`.
  void build(const AtomsView &atoms, const std::vector<double> &cutoff_squared, int threads);

  /// Of the last build; valid until the next one.
  NeighborListView rows() const;

  double bytes() const;

 private:
  /// Along an axis space is cut into slabs at least as thick as the cutoff. Of empty slabs in a row one is kept, so
  /// that a few atoms far away from the others do not make the cells of all larger.
  struct Axis {
    double low, per_length;
    std::vector<int> number;  // [slabs] without those that are left out
    int n = 1;
    int slab(double x) const;
    int cell(double x) const { return number[slab(x)]; }
  };
  struct Grid {
    Axis axis[3];
    int of(const double *x) const {
      return (axis[2].cell(x[2]) * axis[1].n + axis[1].cell(x[1])) * axis[0].n + axis[0].cell(x[0]);
    }
    double cells() const { return double(axis[0].n) * axis[1].n * axis[2].n; }
  };
  static Axis make_axis(const AtomsView &atoms, int axis, const double bounds[2], double edge, int threads);
  static Grid make_grid(const AtomsView &atoms, double cutoff, int threads);
  void sort_atoms(const AtomsView &atoms, int threads);
  void fill_span(const AtomsView &atoms, const double *cutoff_squared, int n_types, int span);

  Grid grid_ = {};
  std::vector<int> begin_;                 // [cells + 1] of a cell's atoms in the order of cells:
  AlignedArray<int> cell_, atom_, type_;   // [n_all] cell by atom; atom and its type from 0 in that order
  AlignedArray<double> x_;                 // [n_all][3] likewise
  std::vector<std::vector<int>> entries_;  // of the rows of a span of atoms
  std::vector<int> centre_, length_;       // [n_owned]
  std::vector<const int *> first_;         // [n_owned]
  double cutoff_ = 0;
};

}  // namespace triad
