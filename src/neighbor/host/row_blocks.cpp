#include "neighbor/host/row_blocks.h"

#include <algorithm>

namespace triad {
namespace {

/// FNV-1a hash over words.
std::uint64_t hash_of(const RowTable::Row &row, const int *rank) {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](int word) { hash = (hash ^ std::uint32_t(word)) * 1099511628211u; };
  mix(row.centre_rank);
  mix(row.neighbours);
  for (int s = 0; s < row.neighbours; ++s) mix(rank[s]);
  return hash ^ hash >> 32;
}

}  // namespace

/// Returns the index of the row's kind, from a hash table with open addressing and a load factor of at most one half.
int RowSorter::kind_of(const RowTable &rows, const RowTable::Row &row) {
  const int *rank = rows.rank_of(row);
  const std::uint64_t hash = hash_of(row, rank);
  if (slot_.size() < 2 * (kind_.size() + 1)) {
    slot_.assign(std::max<std::size_t>(64, 2 * slot_.size()), -1);
    for (std::size_t k = 0; k < kind_.size(); ++k) {
      std::size_t at = kind_[k].hash & (slot_.size() - 1);
      while (slot_[at] >= 0) at = (at + 1) & (slot_.size() - 1);
      slot_[at] = static_cast<int>(k);
    }
  }
  for (std::size_t at = hash & (slot_.size() - 1);; at = (at + 1) & (slot_.size() - 1)) {
    if (slot_[at] < 0) {
      slot_[at] = static_cast<int>(kind_.size());
      kind_.push_back({hash, static_cast<std::size_t>(&row - rows.rows().data()), 0});
      return slot_[at];
    }
    const RowTable::Row &other = rows.rows()[kind_[slot_[at]].example];
    if (kind_[slot_[at]].hash == hash && other.neighbours == row.neighbours && other.centre_rank == row.centre_rank &&
        std::equal(rank, rank + row.neighbours, rows.rank_of(other)))
      return slot_[at];
  }
}

void RowSorter::sort(const RowTable &rows, const std::vector<int> &element_of_rank, RowBlocks &blocks) {
  const std::size_t n_rows = rows.rows().size();
  kind_.clear();
  std::fill(slot_.begin(), slot_.end(), -1);
  kind_of_row_.resize(n_rows);
  order_.resize(n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) ++kind_[kind_of_row_[r] = kind_of(rows, rows.rows()[r])].rows;
  next_.assign(kind_.size() + 1, 0);
  for (std::size_t k = 0; k < kind_.size(); ++k) next_[k + 1] = next_[k] + kind_[k].rows;
  for (std::size_t r = 0; r < n_rows; ++r) order_[next_[kind_of_row_[r]]++] = static_cast<int>(r);

  blocks.block.clear();
  blocks.element.clear();
  blocks.longest = 0;
  std::size_t table_begin = 0;
  const int *order = order_.data();
  for (const Kind &kind : kind_) {
    const RowTable::Row &example = rows.rows()[kind.example];
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
        const RowTable::Row &row = rows.rows()[order[first + std::min(l, used - 1)]];
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
