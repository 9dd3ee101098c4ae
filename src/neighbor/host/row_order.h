// Assignment of rows to chunks by regions of space, which minimises the number of atoms that several chunks need.
#pragma once

#include <vector>

#include "core/views.h"

namespace triad {

/// Order of rows, and its division into chunks: chunk c holds order[begin[c]] to order[begin[c + 1] - 1].
struct RowOrder {
  std::vector<int> order;  ///< [n_rows], ascending within a chunk
  std::vector<int> begin;  ///< [chunks + 1], empty without rows

  int chunks() const { return begin.empty() ? 0 : static_cast<int>(begin.size()) - 1; }
};

/// Maximum number of rows of a chunk. Some chunks are split into parts, which are chunks themselves and which threads
/// can steal at the end of a step.
int rows_per_chunk(int n_rows);

/// Recursively halves the rows by the positions of their centres along the longest axis, until there are as many groups
/// as chunks. The result depends only on rows and positions, not on `threads`.
RowOrder order_rows(const NeighborListView &rows, const AtomsView &atoms, int threads);

/// Returns the chunks of n_rows rows that are in this order already.
RowOrder ordered_rows(int n_rows);

}  // namespace triad
