// Which rows make a chunk: those of a region of space, so that chunks share few atoms.
#pragma once

#include <vector>

#include "core/views.h"

namespace triad {

/// Rows, in the order in which they are cut into chunks: chunk c takes order[begin[c]] to order[begin[c + 1]].
struct RowOrder {
  std::vector<int> order;  ///< [n_rows], ascending within a chunk
  std::vector<int> begin;  ///< [chunks + 1], empty without rows

  int chunks() const { return begin.empty() ? 0 : static_cast<int>(begin.size()) - 1; }
};

/// Rows of a whole chunk at most. Some chunks are cut into parts, chunks themselves, for threads to take at the end.
int rows_per_chunk(int n_rows);

/// Halves the rows by the positions of their centres, the longest axis first, until there are as many groups as
/// chunks. Depends on rows and positions alone, not on `threads`.
RowOrder order_rows(const NeighborListView &rows, const AtomsView &atoms, int threads);

/// The same of rows that are in this order.
RowOrder ordered_rows(int n_rows);

}  // namespace triad
