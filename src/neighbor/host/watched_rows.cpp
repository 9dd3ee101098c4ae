#include "neighbor/host/watched_rows.h"

#include <algorithm>
#include <cmath>

namespace triad {

void WatchedRows::make_blocks(int first_centre, const std::vector<int> &element_of_rank,
                              const std::vector<double> &cutoff_squared, RowSorter &sorter) {
  first_centre_ = first_centre;
  sorter.sort(near_rows_, element_of_rank, near_);
  const std::size_t n_ranks = element_of_rank.size();
  begin_.assign(1, 0);
  distant_.clear();
  cutoff_.clear();
  for (const RowBlock &block : near_.block) {
    const int *centre = near_.table.data() + block.table;
    const std::size_t first = cutoff_.size();
    for (int l = 0; l < block_rows; ++l) {
      const TableRow &row = rows.rows()[centre[l] - first_centre];
      const int *index = rows.index_of(row), *rank = rows.rank_of(row);
      const double *squared = cutoff_squared.data() + row.centre_rank * n_ranks;
      std::size_t at = first;
      int near = 0;
      for (int s = 0; s < row.neighbours; ++s) {
        if (near < block.neighbours && index[s] == centre[(1 + near) * block_rows + l]) {
          ++near;
          continue;
        }
        if (at == cutoff_.size()) {
          cutoff_.push_back(0);
          distant_.insert(distant_.end(), block_rows, -1);
        }
        distant_[at * block_rows + l] = index[s];
        cutoff_[at] = std::max(cutoff_[at], std::sqrt(squared[rank[s]]));
        ++at;
      }
    }
    // Shorter rows repeat their first distant neighbour.
    for (std::size_t at = first; at < cutoff_.size(); ++at)
      for (int l = 0; l < block_rows; ++l)
        if (distant_[at * block_rows + l] < 0) distant_[at * block_rows + l] = distant_[first * block_rows + l];
    begin_.push_back(static_cast<int>(cutoff_.size()));
  }
}

void WatchedRows::divide(const RowFilters &filters, int n_atoms, const double *x, Divided &divided) const {
  RowBlocks &quiet = divided.quiet;
  divided.lanes.resize(near_.block.size());
  divided.reached.clear();
  quiet.block.clear();
  divided.relative.require(4 * std::size_t(n_atoms));
  if (near_.block.empty()) return;
  filters.watch({static_cast<int>(near_.block.size()), near_.block.data(), near_.table.data(), begin_.data(),
                 distant_.data(), cutoff_.data(), n_atoms, x, divided.relative.data(), divided.lanes.data()});
  quiet.table.resize(near_.table.size());
  quiet.element = near_.element;
  quiet.longest = near_.longest;
  std::size_t end = 0;
  // Rows of blocks with reached rows fill new blocks of the same kind. The last row of a block is repeated.
  int open = -1;
  const auto add_block = [&](RowBlock block, int used) {
    block.table = static_cast<std::int64_t>(end);
    block.used = used;
    quiet.block.push_back(block);
    end += std::size_t(1 + block.neighbours) * block_rows;
    return quiet.table.data() + block.table;
  };
  const auto close = [&] {
    if (open < 0) return;
    const RowBlock &block = quiet.block[open];
    for (int s = 0; s <= block.neighbours; ++s) {
      int *column = quiet.table.data() + block.table + s * block_rows;
      std::fill(column + block.used, column + block_rows, column[block.used - 1]);
    }
    open = -1;
  };
  for (std::size_t b = 0; b < near_.block.size(); ++b) {
    const RowBlock &block = near_.block[b];
    const int *from = near_.table.data() + block.table;
    const unsigned lanes = divided.lanes[b];
    if (lanes == 0) {
      std::copy_n(from, (1 + block.neighbours) * block_rows, add_block(block, block.used));
      continue;
    }
    for (int l = 0; l < block.used; ++l) {
      if (lanes >> l & 1) {
        divided.reached.push_back(rows.rows()[from[l] - first_centre_]);
        continue;
      }
      if (open >= 0 && (quiet.block[open].used == block_rows || quiet.block[open].elements != block.elements)) close();
      if (open < 0) {
        open = static_cast<int>(quiet.block.size());
        add_block(block, 0);
      }
      RowBlock &to = quiet.block[open];
      int *column = quiet.table.data() + to.table + to.used++;
      for (int s = 0; s <= block.neighbours; ++s) column[s * block_rows] = from[s * block_rows + l];
    }
  }
  close();
}

double WatchedRows::bytes() const {
  return rows.bytes() + near_rows_.bytes() + near_.bytes() +
         sizeof(int) * double(begin_.capacity() + distant_.capacity()) + sizeof(double) * double(cutoff_.capacity());
}

}  // namespace triad
