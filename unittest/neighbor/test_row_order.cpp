// Order of rows by chunks: every row occurs once, chunks are regions of space, and the order does not depend on the
// number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/tuning.h"
#include "neighbor/host/row_order.h"
#include "testing/systems.h"

namespace triad {
namespace {

/// Rows of n atoms at random positions in a cube.
struct Rows {
  explicit Rows(int n) : centre(n), x(3 * std::size_t(n)) {
    std::iota(centre.begin(), centre.end(), 0);
    Random random(3);
    for (double &c : x) c = random(0, 1);
    rows.n_rows = n;
    rows.centre = centre.data();
    atoms.n_owned = atoms.n_all = n;
    atoms.x = x.data();
  }
  std::vector<int> centre;
  std::vector<double> x;
  NeighborListView rows;
  AtomsView atoms;
};

TEST(RowOrder, HasEveryRowOnce) {
  for (const int n : {1, 255, 5000, 70000}) {
    const Rows rows(n);
    const RowOrder found = order_rows(rows.rows, rows.atoms, 1);
    ASSERT_EQ(found.begin.front(), 0);
    ASSERT_EQ(found.begin.back(), n);
    EXPECT_EQ(found.begin, ordered_rows(n).begin);
    for (int c = 0; c < found.chunks(); ++c) {
      EXPECT_LE(found.begin[c + 1] - found.begin[c], rows_per_chunk(n));
      EXPECT_TRUE(std::is_sorted(found.order.begin() + found.begin[c], found.order.begin() + found.begin[c + 1]));
    }
    std::vector<int> sorted = found.order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, rows.centre);
  }
  EXPECT_TRUE(ordered_rows(0).begin.empty());
}

TEST(RowOrder, IsTheSameWithAnyNumberOfThreads) {
  const Rows rows(70000);
  const RowOrder one = order_rows(rows.rows, rows.atoms, 1);
  for (const int threads : {2, 3}) EXPECT_EQ(order_rows(rows.rows, rows.atoms, threads).order, one.order);
}

/// Every eighth chunk is split into parts, and no chunk is scattered: its bounding box is little larger than its
/// volume.
TEST(RowOrder, MakesRegionsOfFullChunksAndParts) {
  constexpr int whole = tuning::host_rows_per_chunk, parts = tuning::host_parts_of_chunk;
  const int n = 32 * whole;
  const Rows rows(n);
  const RowOrder found = order_rows(rows.rows, rows.atoms, 1);
  int in_parts = 0;
  for (int c = 0; c < found.chunks(); ++c) {
    const int size = found.begin[c + 1] - found.begin[c];
    in_parts += size == whole / parts;
    EXPECT_TRUE(size == whole || size == whole / parts) << size;
    double volume = 1;
    for (int k = 0; k < 3; ++k) {
      double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
      for (int r = found.begin[c]; r < found.begin[c + 1]; ++r) {
        low = std::min(low, rows.x[3 * std::size_t(found.order[r]) + k]);
        high = std::max(high, rows.x[3 * std::size_t(found.order[r]) + k]);
      }
      volume *= high - low;
    }
    EXPECT_LT(volume, 1.1 * size / n);
  }
  EXPECT_EQ(in_parts, parts * 32 / tuning::host_chunks_per_cut);
}

}  // namespace
}  // namespace triad
