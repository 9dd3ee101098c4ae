// Compares the filters of each instruction set with a plain search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "core/aligned_array.h"
#include "neighbor/host/row_blocks.h"
#include "neighbor/host/row_filter.h"
#include "neighbor/host/watched_rows.h"

namespace triad {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Case {
  int n_ranks, n_rows, longest;
};

/// Rows with every number of neighbours up to `longest`, ranks in ascending order, and some distances that are NaN.
struct Rows {
  explicit Rows(const Case &c) : n_ranks(c.n_ranks) {
    std::mt19937 random(1000 * c.n_ranks + c.longest);
    const int n_atoms = 2 * c.longest + c.n_rows;
    std::uniform_real_distribution<double> coordinate(0, 4);
    for (int i = 0; i < n_atoms; ++i)
      for (int k = 0; k < 4; ++k) x.push_back(k == 3 ? not_a_number : coordinate(random));
    x[4 * (n_atoms - 1)] = not_a_number;
    packed.require(x.size());
    std::copy(x.begin(), x.end(), packed.data());
    for (int p = 0; p < n_ranks * n_ranks; ++p) cutoff_squared.push_back(1.0 + p % 7);
    for (int r = 0; r < c.n_rows; ++r) {
      const int n = r % (c.longest + 1);
      listed.open(n);
      for (int s = 0; s < n; ++s) {
        listed.index[s] = s == 3 ? n_atoms - 1 : int(random() % n_atoms);
        listed.rank[s] = s * n_ranks / n;
      }
      listed.close(r, r % n_ranks, n);
    }
  }
  bool keeps(const TableRow &row, int s) const {
    const double *a = x.data() + 4 * row.centre, *b = x.data() + 4 * listed.index_of(row)[s];
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return !(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >=
             cutoff_squared[row.centre_rank * n_ranks + listed.rank_of(row)[s]]);
  }

  int n_ranks;
  std::vector<double> x, cutoff_squared;
  AlignedArray<double> packed;  // x
  RowTable listed;
};

using Row = std::tuple<int, int, std::vector<int>, std::vector<int>>;

class RowFilter : public testing::TestWithParam<Isa> {};

TEST_P(RowFilter, KeepsNeighboursWithinTheCutoff) {
  RowTable kept;
  for (const Case &c : {Case{1, 300, 40}, Case{2, 300, 40}, Case{8, 300, 19}, Case{9, 300, 40}, Case{2, 301, 300}}) {
    const Rows rows(c);
    std::vector<Row> wanted, found;
    for (const TableRow &row : rows.listed.rows()) {
      std::vector<int> index, rank;
      for (int s = 0; s < row.neighbours; ++s)
        if (rows.keeps(row, s)) {
          index.push_back(rows.listed.index_of(row)[s]);
          rank.push_back(rows.listed.rank_of(row)[s]);
        }
      if (!index.empty()) wanted.emplace_back(row.centre, row.centre_rank, index, rank);
    }
    kept.clear();
    kept.append_filtered(row_filters(GetParam()), rows.listed, rows.listed.rows(), rows.packed.data(),
                         rows.cutoff_squared.data(), c.n_ranks);
    for (const TableRow &row : kept.rows()) {
      const int *index = kept.index_of(row), *rank = kept.rank_of(row);
      found.emplace_back(row.centre, row.centre_rank, std::vector<int>(index, index + row.neighbours),
                         std::vector<int>(rank, rank + row.neighbours));
      std::uint64_t content = 0;
      for (int s = 0; s < row.neighbours; ++s) content += content_of(rank[s]);
      EXPECT_EQ(row.content, content);
    }
    ASSERT_FALSE(wanted.empty());
    EXPECT_EQ(found, wanted) << c.n_ranks << " ranks, rows of up to " << c.longest;
  }
}

/// With nine ranks, two rows have the same content and different elements; with rows of 256 entries of one element, the
/// counter of the next one would be hit.
TEST_P(RowFilter, RowsOfDifferentKindsNeverShareABlock) {
  RowTable rows;
  const std::vector<std::vector<int>> ranks = {{0, 1}, {8, 1}, {1, 1}, {0, 1}, {8, 1}, std::vector<int>(256, 0), {1}};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    rows.open(ranks[r].size());
    for (std::size_t s = 0; s < ranks[r].size(); ++s) {
      rows.index[s] = int(100 * r + s);
      rows.rank[s] = ranks[r][s];
    }
    rows.close(int(r), 0, int(ranks[r].size()));
  }
  RowSorter sorter;
  RowBlocks blocks;
  sorter.sort(rows, {0, 1, 2, 3, 4, 5, 6, 7, 8}, blocks);
  int sorted = 0;
  for (const RowBlock &block : blocks.block)
    for (int l = 0; l < block.used; ++l, ++sorted) {
      const std::vector<int> &wanted = ranks[blocks.table[block.table + l]];
      EXPECT_EQ(std::vector<int>(&blocks.element[block.elements], &blocks.element[block.elements] + block.neighbours),
                wanted);
    }
  EXPECT_EQ(sorted, int(ranks.size()));
}

/// Watched rows of which every second of the first neighbours is near: each is either reached by a distant neighbour,
/// or it stands in a block of its kind with its near neighbours. With several cutoffs, a block uses the largest.
TEST_P(RowFilter, WatchedRowsAreReachedByDistantNeighbours) {
  constexpr int first_centre = 20, n_rows = 150, n_atoms = 400;
  for (const int n_ranks : {1, 3}) {
    std::mt19937 random(n_ranks);
    std::uniform_real_distribution<double> coordinate(0, 4);
    AlignedArray<double> x;
    x.require(4 * n_atoms);
    for (int k = 0; k < 4 * n_atoms; ++k) x.data()[k] = k == 4 * n_atoms - 1 ? not_a_number : coordinate(random);
    x.data()[4 * (n_atoms - 1)] = not_a_number;
    std::vector<double> cutoff_squared;
    std::vector<int> element_of_rank;
    for (int p = 0; p < n_ranks * n_ranks; ++p) cutoff_squared.push_back(1.0 + p % 3);
    for (int rank = 0; rank < n_ranks; ++rank) element_of_rank.push_back(n_ranks - rank);
    WatchedRows watched;
    std::vector<std::vector<int>> near(n_rows);
    std::vector<bool> is_reached(n_rows);
    for (int r = 0; r < n_rows; ++r) {
      const int n = 5 + r % 9, n_near = std::min(1 + r % 4, (n + 1) / 2), centre_rank = r % n_ranks;
      const auto is_near = [&](int s) { return s % 2 == 0 && s < 2 * n_near; };
      watched.rows.open(n);
      for (int s = 0; s < n; ++s) {
        const int at = r == 3 && s == 1 ? n_atoms - 1 : first_centre + n_rows + int(random() % 200);
        const int rank = s * n_ranks / n;
        watched.rows.index[s] = at;
        watched.rows.rank[s] = rank;
        if (is_near(s)) near[r].push_back(at);
        double squared = 0;
        for (int k = 0; k < 3; ++k) {
          const double d = x.data()[4 * at + k] - x.data()[4 * (first_centre + r) + k];
          squared += d * d;
        }
        if (!is_near(s) && !(squared >= cutoff_squared[centre_rank * n_ranks + rank])) is_reached[r] = true;
      }
      watched.rows.close(first_centre + r, centre_rank, n);
      watched.add_near(n_near, is_near);
    }
    RowSorter sorter;
    watched.make_blocks(first_centre, element_of_rank, cutoff_squared, sorter);
    WatchedRows::Divided divided;
    watched.divide(row_filters(GetParam()), n_atoms, x.data(), divided);
    std::vector<int> seen(n_rows, 0);
    for (const TableRow &row : divided.reached) {
      const int r = row.centre - first_centre;
      ++seen[r];
      EXPECT_EQ(row.neighbours, 5 + r % 9);
      EXPECT_TRUE(is_reached[r] || n_ranks > 1);
    }
    EXPECT_TRUE(seen[3]) << "a distance is not a number";
    for (const RowBlock &block : divided.quiet.block) {
      const int *table = &divided.quiet.table[block.table];
      for (int l = 0; l < block_rows; ++l) {
        const int r = table[l] - first_centre;
        if (l >= block.used) {
          EXPECT_EQ(table[l], table[block.used - 1]);
          continue;
        }
        ++seen[r];
        EXPECT_FALSE(is_reached[r]);
        std::vector<int> found;
        for (int s = 0; s < block.neighbours; ++s) found.push_back(table[(1 + s) * block_rows + l]);
        EXPECT_EQ(found, near[r]);
        EXPECT_EQ(block.centre_element, n_ranks - r % n_ranks);
      }
    }
    EXPECT_EQ(seen, std::vector<int>(n_rows, 1));
    EXPECT_GT(divided.reached.size(), 20u);
    EXPECT_LT(divided.reached.size(), 130u);
  }
}

TEST_P(RowFilter, KeepsAtomsOfACellWithinTheCutoff) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  for (const int n_types : {1, 3, 8, 11})
    for (int n = 0; n < 40; ++n) {
      std::vector<double> x[3], squared;
      std::vector<int> atom, type, wanted, entry(n + row_filter_padding);
      for (int k = 0; k < n; ++k) {
        for (auto &component : x) component.push_back(k == 5 ? not_a_number : coordinate(random));
        atom.push_back(3 * k);
        type.push_back(k % n_types);
      }
      for (int t = 0; t < n_types; ++t) squared.push_back(1.0 + t % 4);
      const SpanFilterView view = {x[0].data(), x[1].data(), x[2].data(), atom.data(),    type.data(),
                                   n,           6,           {0, 0, 0},   squared.data(), n_types};
      for (int k = 0; k < n; ++k)
        if (atom[k] != 6 && !(x[0][k] * x[0][k] + x[1][k] * x[1][k] + x[2][k] * x[2][k] >= squared[type[k]]))
          wanted.push_back(atom[k]);
      entry.resize(row_filters(GetParam()).span(view, entry.data()));
      EXPECT_EQ(entry, wanted) << n << " atoms, " << n_types << " types";
    }
}

TEST_P(RowFilter, KeepsListedAtomsWithinTheCutoff) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> coordinate(-2, 2);
  for (const int n_types : {1, 3, 8, 11})
    for (int n = 0; n < 40; ++n) {
      const int n_atoms = 2 * n + 1;
      AlignedArray<double> x;
      x.require(4 * std::size_t(n_atoms));
      for (int k = 0; k < 4 * n_atoms; ++k) x[k] = k % 4 == 3 ? k / 4 % n_types : coordinate(random);
      if (n > 5) x[4 * 5] = not_a_number;
      std::vector<double> squared;
      for (int t = 0; t < n_types; ++t) squared.push_back(t == 1 ? 0.0 : 1.0 + t % 4);
      std::vector<int> atom, wanted, type(n + row_filter_padding), wanted_type;
      for (int k = 0; k < n; ++k) atom.push_back(k == 3 && n > 5 ? 5 : int(random() % n_atoms));
      const double *self = x.data() + 4 * std::size_t(2 * n);
      for (const int j : atom) {
        const double *b = x.data() + 4 * std::size_t(j);
        const double d[3] = {b[0] - self[0], b[1] - self[1], b[2] - self[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= squared[j % n_types]) continue;
        wanted.push_back(j);
        wanted_type.push_back(j % n_types);
      }
      atom.resize(n + row_filter_padding);
      const ListFilterView view = {n, x.data(), self, squared.data(), n_types};
      const int kept = row_filters(GetParam()).list(view, atom.data(), type.data());
      atom.resize(kept);
      type.resize(kept);
      EXPECT_EQ(atom, wanted) << n << " atoms, " << n_types << " types";
      EXPECT_EQ(type, wanted_type) << n << " atoms, " << n_types << " types";
    }
}

INSTANTIATE_TEST_SUITE_P(Isas, RowFilter, testing::ValuesIn(usable_isas()),
                         [](const auto &isa) { return std::string(name_of(isa.param)); });

}  // namespace
}  // namespace triad
