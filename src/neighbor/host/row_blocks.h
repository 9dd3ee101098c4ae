// Rows with their neighbours, and their grouping for the kernels into blocks of rows of the same kind (chunk.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "neighbor/host/chunk.h"
#include "neighbor/host/row_filter.h"

namespace triad {

/// Rows with variable length. Neighbours are sorted by the rank of their element (pruned_list.h).
class RowTable {
 public:
  void clear() {
    row_.clear();
    used_ = 0;
  }
  /// Reserves memory for a row of up to n neighbours. The caller fills index[] and rank[] and passes their number to
  /// close().
  void open(std::size_t n) {
    if (index_.size() < used_ + n) {
      index_.resize(2 * (used_ + n));
      rank_.resize(2 * (used_ + n));
    }
    index = index_.data() + used_;
    rank = rank_.data() + used_;
  }
  void close(int centre, int centre_rank, int n) {
    std::uint64_t content = 0;
    for (int s = 0; s < n; ++s) content += content_of(rank[s]);
    row_.push_back({centre, centre_rank, n, used_, content});
    used_ += n;
  }
  int *index = nullptr, *rank = nullptr;

  /// Appends rows of `from` with the neighbours within the cutoff. x is [atoms][4], cutoff_squared [n_ranks^2].
  void append_filtered(const RowFilters &filters, const RowTable &from, const std::vector<TableRow> &rows,
                       const double *x, const double *cutoff_squared, int n_ranks);

  const std::vector<TableRow> &rows() const { return row_; }
  std::vector<TableRow> &rows() { return row_; }
  const int *index_of(const TableRow &row) const { return index_.data() + row.begin; }
  int *index_of(const TableRow &row) { return index_.data() + row.begin; }
  const int *rank_of(const TableRow &row) const { return rank_.data() + row.begin; }
  double bytes() const {
    return sizeof(TableRow) * double(row_.capacity()) + 2 * sizeof(int) * double(index_.capacity());
  }

 private:
  std::vector<TableRow> row_;
  std::vector<int> index_, rank_;
  std::size_t used_ = 0;
};

/// Blocks and the tables to which they refer.
struct RowBlocks {
  std::vector<RowBlock> block;
  std::vector<int> table, element;
  int longest = 0;  ///< number of neighbours of the longest row

  double bytes() const {
    return sizeof(RowBlock) * double(block.capacity()) + sizeof(int) * double(table.capacity() + element.capacity());
  }
};

/// Groups rows into blocks. Rows of a kind keep their order; kinds have the order of their first rows.
class RowSorter {
 public:
  void sort(const RowTable &rows, const std::vector<int> &element_of_rank, RowBlocks &blocks);

 private:
  int kind_of(const RowTable &rows, const TableRow &row, bool counted);

  struct Kind {
    std::uint64_t content;
    int centre_rank, neighbours;
    std::size_t example;  // index of a row of this kind
    int rows;
  };
  std::vector<Kind> kind_;
  std::vector<int> slot_;  // hash table: kind, or -1
  std::vector<int> kind_of_row_, order_, next_;
};

}  // namespace triad
