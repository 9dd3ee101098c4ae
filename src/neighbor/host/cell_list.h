// Construction of a full neighbour list like LAMMPS's with several threads.
#pragma once

#include <cstddef>
#include <vector>

#include "core/aligned_array.h"
#include "core/views.h"
#include "neighbor/host/row_filter.h"

namespace triad {

/// Returns the cutoff of a list that is built at an arbitrary time between two list builds of LAMMPS and holds all
/// pairs that can come within the potential's cutoff before the next of these builds. `listed` is cutoff + skin.
///
/// LAMMPS rebuilds lists when an atom has moved half of the skin from its position at the last build. A pair that comes
/// within the cutoff was within cutoff + skin at that build, and is within cutoff + 2 skins at any time. An additional
/// half skin allows for fixes that displace atoms temporarily while the list is built (numdiff).
inline double late_list_cutoff(double listed, double skin) { return listed + 1.5 * skin; }

class CellList {
 public:
  /// Builds the rows of all owned atoms. A row holds every other atom, including ghosts, that is nearer than the cutoff
  /// of the two types or whose position is NaN. cutoff_squared is [types][types], with types from 0. The order of
  /// neighbours depends only on positions, not on `threads`.
  void build(const AtomsView &atoms, const std::vector<double> &cutoff_squared, int threads);

  /// Returns the rows of the last build; valid until the next one.
  NeighborListView rows() const;

  double bytes() const;

 private:
  /// Division of an axis into slabs that are at least as thick as the cutoff. Of consecutive empty slabs only one is
  /// kept, so that a few distant atoms do not enlarge all cells.
  struct Axis {
    double low, per_length;
    std::vector<int> number;  // [slabs] numbers after the removal of empty slabs
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
  void fill_span(const AtomsView &atoms, const RowFilters &filters, const double *cutoff_squared, int n_types,
                 int span);

  Grid grid_ = {};
  std::vector<int> begin_;                 // [cells + 1] first atom of each cell in the sorted order:
  AlignedArray<int> cell_, atom_, type_;   // [n_all] cell of an atom; index and type (from 0) in the sorted order
  AlignedArray<double> x_[3];              // [n_all] coordinates in the sorted order
  std::vector<std::vector<int>> entries_;  // entries of the rows of each span of atoms
  std::vector<int> centre_, length_;       // [n_owned]
  std::vector<const int *> first_;         // [n_owned]
  double cutoff_ = 0;
};

}  // namespace triad
