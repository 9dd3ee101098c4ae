// Rows that a crystal's next shell makes long: a few neighbours are within the cutoff, and more lie just beyond it.
#pragma once

#include <cstddef>
#include <vector>

#include "core/aligned_array.h"
#include "neighbor/host/row_blocks.h"

namespace triad {

/// Rows whose near neighbours are computed in every step, and whose distant ones are only watched. A row that a distant
/// neighbour has reached is filtered and sorted anew in that step.
class WatchedRows {
 public:
  void clear() {
    near_rows_.clear();
    rows.clear();
  }
  /// Adds the row that was added to `rows` last. is_near(s) says whether its neighbour s is near; n_near of them are.
  template <class F>
  void add_near(int n_near, F &&is_near) {
    const TableRow &row = rows.rows().back();
    near_rows_.open(n_near);
    int n = 0;
    for (int s = 0; s < row.neighbours; ++s) {
      if (!is_near(s)) continue;
      near_rows_.index[n] = rows.index_of(row)[s];
      near_rows_.rank[n++] = rows.rank_of(row)[s];
    }
    near_rows_.close(row.centre, row.centre_rank, n);
  }
  /// Calls f(table) for the tables whose atoms receive the indices of the chunk. The centres must receive consecutive
  /// ones, from first_centre on.
  template <class F>
  void for_tables(F &&f) {
    f(rows);
    f(near_rows_);
  }
  /// Makes the blocks, after atoms received their indices.
  void make_blocks(int first_centre, const std::vector<int> &element_of_rank, const std::vector<double> &cutoff_squared,
                   RowSorter &sorter);

  /// Scratch memory of divide().
  struct Divided {
    RowBlocks quiet;                ///< near neighbours of the rows that no distant neighbour has reached
    std::vector<TableRow> reached;  ///< the other rows
    std::vector<unsigned> lanes;    ///< WatchView::reached
    AlignedArray<float> relative;
  };
  /// x is [n_atoms][4], the fourth number 0.
  void divide(const RowFilters &filters, int n_atoms, const double *x, Divided &divided) const;

  double bytes() const;

  RowTable rows;  ///< with all neighbours

 private:
  RowTable near_rows_;
  RowBlocks near_;
  std::vector<int> begin_, distant_;  // WatchView
  std::vector<double> cutoff_;
  int first_centre_ = 0;
};

}  // namespace triad
