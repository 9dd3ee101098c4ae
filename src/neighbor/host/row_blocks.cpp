#include "neighbor/host/row_blocks.h"

#include <algorithm>

namespace triad {
namespace {

std::uint64_t hash_of(std::uint64_t content, int centre_rank) {
  return ((content + 31 * std::uint64_t(centre_rank)) * 0x9e3779b97f4a7c15u) >> 32;
}

}  // namespace

void RowTable::append_filtered(const RowFilters &filters, const RowTable &from, const std::vector<TableRow> &rows,
                               const double *x, const double *cutoff_squared, int n_ranks) {
  const std::size_t needed = used_ + from.used_ + row_filter_padding, n_kept = row_.size();
  if (index_.size() < needed) {
    index_.resize(2 * needed);
    rank_.resize(2 * needed);
  }
  row_.resize(n_kept + rows.size());
  RowFilterView view = {static_cast<int>(rows.size()),
                        rows.data(),
                        from.index_.data(),
                        from.rank_.data(),
                        x,
                        cutoff_squared,
                        n_ranks,
                        row_.data(),
                        index_.data(),
                        rank_.data(),
                        static_cast<int>(n_kept),
                        used_};
  filters.rows(view);
  row_.resize(view.n_kept);
  used_ = view.kept_entries;
}

/// Returns the index of the row's kind, from a hash table with open addressing and a load factor of at most one half.
/// `counted`: rows with the same number of neighbours of each rank have the same `content`, and no other rows.
int RowSorter::kind_of(const RowTable &rows, const TableRow &row, bool counted) {
  if (slot_.size() < 2 * (kind_.size() + 1)) {
    slot_.assign(std::max<std::size_t>(64, 2 * slot_.size()), -1);
    for (std::size_t k = 0; k < kind_.size(); ++k) {
      std::size_t at = hash_of(kind_[k].content, kind_[k].centre_rank) & (slot_.size() - 1);
      while (slot_[at] >= 0) at = (at + 1) & (slot_.size() - 1);
      slot_[at] = static_cast<int>(k);
    }
  }
  const auto same = [&](const Kind &kind) {
    if (kind.content != row.content || kind.centre_rank != row.centre_rank || kind.neighbours != row.neighbours)
      return false;
    const int *rank = rows.rank_of(row);
    return counted || std::equal(rank, rank + row.neighbours, rows.rank_of(rows.rows()[kind.example]));
  };
  for (std::size_t at = hash_of(row.content, row.centre_rank) & (slot_.size() - 1);;
       at = (at + 1) & (slot_.size() - 1)) {
    if (slot_[at] < 0) {
      slot_[at] = static_cast<int>(kind_.size());
      kind_.push_back(
          {row.content, row.centre_rank, row.neighbours, static_cast<std::size_t>(&row - rows.rows().data()), 0});
    } else if (!same(kind_[slot_[at]])) {
      continue;
    }
    return slot_[at];
  }
}

void RowSorter::sort(const RowTable &rows, const std::vector<int> &element_of_rank, RowBlocks &blocks) {
  const std::size_t n_rows = rows.rows().size();
  kind_.clear();
  std::fill(slot_.begin(), slot_.end(), -1);
  kind_of_row_.resize(n_rows);
  order_.resize(n_rows);
  const bool few_ranks = element_of_rank.size() <= std::size_t(counted_ranks);
  std::uint64_t content = 0;
  int kind = 0, centre_rank = 0;
  for (std::size_t r = 0; r < n_rows; ++r) {
    const TableRow &row = rows.rows()[r];
    const bool counted = few_ranks && row.neighbours <= counted_neighbours;
    // Most rows of a compound are of the kind of the row before.
    if (!counted || row.content != content || row.centre_rank != centre_rank) kind = kind_of(rows, row, counted);
    content = counted ? row.content : 0;
    centre_rank = row.centre_rank;
    kind_of_row_[r] = kind;
    ++kind_[kind].rows;
  }
  next_.assign(kind_.size() + 1, 0);
  for (std::size_t k = 0; k < kind_.size(); ++k) next_[k + 1] = next_[k] + kind_[k].rows;
  for (std::size_t r = 0; r < n_rows; ++r) order_[next_[kind_of_row_[r]]++] = static_cast<int>(r);

  blocks.block.clear();
  blocks.element.clear();
  blocks.longest = 0;
  std::size_t table_begin = 0;
  const int *order = order_.data();
  for (const Kind &kind : kind_) {
    const TableRow &example = rows.rows()[kind.example];
    const int n = example.neighbours, *rank = rows.rank_of(example);
    const auto element = static_cast<std::int64_t>(blocks.element.size());
    blocks.longest = std::max(blocks.longest, n);
    for (int s = 0; s < n; ++s) blocks.element.push_back(element_of_rank[rank[s]]);
    for (int first = 0; first < kind.rows; first += block_rows) {
      const int used = std::min(block_rows, kind.rows - first);
      blocks.block.push_back({used, n, element_of_rank[example.centre_rank], n > 0 && rank[0] == rank[n - 1],
                              static_cast<std::int64_t>(table_begin), element});
      const std::size_t size = std::size_t(1 + n) * block_rows;
      if (blocks.table.size() < table_begin + size) blocks.table.resize(2 * (table_begin + size));
      int *table = blocks.table.data() + table_begin;
      for (int l = 0; l < block_rows; ++l) {
        const TableRow &row = rows.rows()[order[first + std::min(l, used - 1)]];
        const int *index = rows.index_of(row);
        table[l] = row.centre;
        for (int s = 0; s < n; ++s) table[(1 + s) * block_rows + l] = index[s];
      }
      table_begin += size;
    }
    order += kind.rows;
  }
}

}  // namespace triad
