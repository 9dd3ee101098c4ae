// Compares lists built on the device with a brute-force search, in boxes of every kind.
#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "core/device_test.h"
#include "neighbor/cuda/cell_neighbor_list.cuh"
#include "testing/systems.h"

namespace triad {
namespace cuda {
namespace {

struct NamedBox {
  std::string name;
  ListBox box;
  double filled = 1;  ///< fraction of the third edge, from its start, that contains atoms
  long long cells_per_atom = 4;
};
std::ostream &operator<<(std::ostream &out, const NamedBox &box) { return out << box.name; }

ListBox box_of(Vec3<double> lengths, Vec3<double> tilts, bool x, bool y, bool z) {
  ListBox box;
  const double low[3] = {-3.5, 100.25, 0.125};
  const double edge[3][3] = {{lengths.x, 0, 0}, {tilts.x, lengths.y, 0}, {tilts.y, tilts.z, lengths.z}};
  for (int d = 0; d < 3; ++d) {
    box.low[d] = low[d];
    std::copy_n(edge[d], 3, box.edge[d]);
  }
  box.periodic[0] = x;
  box.periodic[1] = y;
  box.periodic[2] = z;
  box.cutoff = 1.7;
  return box;
}

std::vector<NamedBox> boxes() {
  const Vec3<double> none = {0, 0, 0};
  return {{"Wide", box_of({9, 11, 10}, none, true, true, true)},
          {"Slab", box_of({9, 8, 7}, none, true, true, false)},
          {"Droplet", box_of({9, 8, 7}, none, false, false, false)},
          {"Tilted", box_of({9, 8, 10}, {3, -4, 2}, true, true, true)},
          {"TiltedSlab", box_of({9, 8, 10}, {-4, 0, 0}, true, true, false)},
          {"TwoCells", box_of({4, 4, 4}, none, true, true, true)},
          {"OneCell", box_of({1.8, 3, 3}, none, true, true, true)},
          {"NarrowerThanTheCutoff", box_of({0.7, 5, 1.2}, {0.3, 0.2, 1.1}, true, true, true)},
          {"EmptySpace", box_of({9, 8, 400}, none, true, true, true), 0.02},
          {"FewCells", box_of({20, 20, 20}, none, true, true, true), 1, 0}};
}

/// A decoded entry: the atom, and the numbers of edges by which the image is shifted.
using Neighbour = std::tuple<int, int, int, int>;

class CellNeighborListOf : public DeviceTest, public testing::WithParamInterface<NamedBox> {
 protected:
  const ListBox box = GetParam().box;
  std::vector<double> x;  // [n][3]

  int n() const { return static_cast<int>(x.size() / 3); }
  Vec3<double> at(const Vec3<double> &f) const {
    return {box.low[0] + f.x * box.edge[0][0] + f.y * box.edge[1][0] + f.z * box.edge[2][0],
            box.low[1] + f.y * box.edge[1][1] + f.z * box.edge[2][1], box.low[2] + f.z * box.edge[2][2]};
  }
  void add(const Vec3<double> &fraction) {
    const Vec3<double> p = at(fraction);
    x.insert(x.end(), {p.x, p.y, p.z});
  }

  std::vector<std::vector<Neighbour>> expected(const ListCells &cells) const {
    std::vector<std::vector<Neighbour>> rows(n());
    const int *const m = cells.images;
    for (int i = 0; i < n(); ++i)
      for (int j = 0; j < n(); ++j)
        for (int a = -m[0]; a <= m[0]; ++a)
          for (int b = -m[1]; b <= m[1]; ++b)
            for (int c = -m[2]; c <= m[2]; ++c) {
              if (i == j && a == 0 && b == 0 && c == 0) continue;
              double squared = 0;
              for (int d = 0; d < 3; ++d) {
                const double shift = a * box.edge[0][d] + b * box.edge[1][d] + c * box.edge[2][d];
                squared += std::pow(x[3 * j + d] + shift - x[3 * i + d], 2);
              }
              if (squared < box.cutoff * box.cutoff) rows[i].push_back({j, a, b, c});
            }
    return rows;
  }

  /// Checks that the rows hold all pairs.
  void expect_all(const ListCells &cells, int index_bits, const DeviceNeighborList &rows) const {
    ASSERT_EQ(rows.n_rows, n());
    EXPECT_EQ(rows.cutoff, box.cutoff);
    EXPECT_EQ(rows.centre, nullptr);
    std::vector<long long> first(n()), last(n());
    if (rows.offset) {
      const auto offset = sync_host(rows.offset, std::size_t(n()) + 1);
      std::copy(offset.begin(), offset.end() - 1, first.begin());
      std::copy(offset.begin() + 1, offset.end(), last.begin());
    } else {
      EXPECT_EQ(rows.entry_stride, 1u);
      const auto length = sync_host(rows.length, n());
      for (int i = 0; i < n(); ++i) {
        first[i] = i * static_cast<long long>(rows.row_stride);
        last[i] = first[i] + length[i];
      }
    }
    const auto entry = sync_host(rows.neighbour, std::size_t(last.back()));
    std::vector<std::array<int, 3>> edges_of(cells.n_images());
    for (int c = -cells.images[2]; c <= cells.images[2]; ++c)
      for (int b = -cells.images[1]; b <= cells.images[1]; ++b)
        for (int a = -cells.images[0]; a <= cells.images[0]; ++a) edges_of[cells.image(a, b, c)] = {a, b, c};
    const auto all = expected(cells);
    std::size_t pairs = 0;
    for (int i = 0; i < n(); ++i) {
      std::vector<Neighbour> found;
      for (long long k = first[i]; k < last[i]; ++k) {
        const auto &edges = edges_of.at(static_cast<unsigned>(entry[k]) >> index_bits);
        found.push_back({entry[k] & ((1 << index_bits) - 1), edges[0], edges[1], edges[2]});
      }
      std::sort(found.begin(), found.end());
      auto wanted = all[i];
      std::sort(wanted.begin(), wanted.end());
      ASSERT_EQ(found, wanted) << "row " << i;
      pairs += wanted.size();
    }
    EXPECT_GT(pairs, 0u);
  }
};

INSTANTIATE_TEST_SUITE_P(, CellNeighborListOf, testing::ValuesIn(boxes()),
                         [](const auto &info) { return info.param.name; });

TEST_P(CellNeighborListOf, HoldAllPairs) {
  Random random(17);
  const double filled = GetParam().filled;
  for (int i = 0; i < 400; ++i) add({random(0, 1), random(0, 1), filled * random(0, 1)});
  for (const double face : {0.0, 0.5 * ListBox::face, 1.0}) add({face, face, face * filled});  // rounding may do that

  const ListCells cells = ListCells::of(box, GetParam().cells_per_atom * n() + 1);
  EXPECT_LE(cells.count(), GetParam().cells_per_atom * n() + 1);
  const int index_bits = 16;
  const DeviceVector<double> x_device(x);
  for (const auto &[table, most_by_warps] : {std::pair(false, 0), {false, n()}, {true, 0}, {true, n()}}) {
    SCOPED_TRACE(testing::Message() << (table ? "table" : "rows") << (most_by_warps ? " by warps" : " by threads"));
    CellNeighborList made(table, most_by_warps);
    for (int again = 0; again < 3; ++again) {
      made.build({box, cells, index_bits}, n(), n(), x_device.data(), false, nullptr);
      check(cudaDeviceSynchronize(), "building the list");
      if (!table || again == 0) {
        EXPECT_TRUE(made.rows().offset);
      }
      expect_all(cells, index_bits, made.rows());
    }
  }
}

/// The order of a row follows from positions and atom indices, whether a warp or a thread makes the row: entries of a
/// cell and image stand together, and their indices rise.
TEST_P(CellNeighborListOf, HaveTheSameOrderInEachBuild) {
  for (const unsigned seed : {21u, 22u, 23u}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    x.clear();
    for (int i = 0; i < 1000; ++i) add({random(0, 1), random(0, 1), GetParam().filled * random(0, 1)});
    const ListCells cells = ListCells::of(box, GetParam().cells_per_atom * n() + 1);
    const DeviceVector<double> x_device(x);
    const auto build = [&](int most_by_warps) {
      CellNeighborList made(false, most_by_warps);
      made.build({box, cells, 16}, n(), n(), x_device.data(), false, nullptr);
      check(cudaDeviceSynchronize(), "building the list");
      const auto offset = sync_host(made.rows().offset, std::size_t(n()) + 1);
      return std::make_pair(offset, sync_host(made.rows().neighbour, std::size_t(offset.back())));
    };
    std::vector<int> cell_of;
    for (int i = 0; i < n(); ++i) {
      const Vec3<double> f = box.fraction({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
      const double along[3] = {f.x, f.y, f.z};
      int cell = 0;
      for (int d = 2; d >= 0; --d)
        cell = cell * cells.n[d] + std::clamp(static_cast<int>(along[d] * cells.n[d]), 0, cells.n[d] - 1);
      cell_of.push_back(cell);
    }
    const auto first = build(0);
    for (const int most_by_warps : {0, n(), n()}) ASSERT_EQ(build(most_by_warps), first);
    for (int i = 0; i < n(); ++i)
      for (long long k = first.first[i] + 1; k < first.first[i + 1]; ++k) {
        const unsigned before = first.second[k - 1], now = first.second[k];
        const int j = int(before & 0xffff), m = int(now & 0xffff);
        if (before >> 16 == now >> 16 && cell_of[j] == cell_of[m]) ASSERT_LT(j, m) << "row " << i;
      }
  }
}

/// After many atoms have moved to one place, rows are too long for the table.
TEST_P(CellNeighborListOf, GrowWithTheirRows) {
  Random random(19);
  for (int i = 0; i < 300; ++i) add({random(0, 1), random(0, 1), random(0, 1)});
  const ListCells cells = ListCells::of(box, 1000);
  CellNeighborList made(true);
  for (const double filled : {1.0, 1.0, 0.4, 0.4, 1.0}) {
    SCOPED_TRACE(filled);
    const std::vector<double> kept = x;
    for (int i = 0; i < n(); ++i)
      for (int d = 0; d < 3; ++d) x[3 * i + d] = box.low[d] + filled * (x[3 * i + d] - box.low[d]);
    const DeviceVector<double> x_device(x);
    made.build({box, cells, 16}, n(), n(), x_device.data(), false, nullptr);
    check(cudaDeviceSynchronize(), "building the list");
    expect_all(cells, 16, made.rows());
    x = kept;
  }
}

/// The number of images suffices for all pairs within the cutoff: no pair is nearer across more edges.
TEST_P(CellNeighborListOf, KnowHowManyImagesThereAre) {
  Random random(18);
  for (int i = 0; i < 30; ++i) add({random(0, 1), random(0, 1), random(0, 1)});
  const ListCells cells = ListCells::of(box, 1000);
  ListCells more = cells;
  for (int d = 0; d < 3; ++d) more.images[d] += box.periodic[d] ? 1 : 0;
  EXPECT_EQ(expected(cells), expected(more));
  const std::vector<double> shifts = cells.shifts(box);
  for (int d = 0; d < 3; ++d) EXPECT_EQ(shifts[d], 0) << "the first image is the box itself";
}

TEST(ListBoxes, PutBackWhatIsOutside) {
  EXPECT_EQ(ListBox::edges_back(0.5), 0);
  EXPECT_EQ(ListBox::edges_back(-0.25), 1);
  EXPECT_EQ(ListBox::edges_back(1.25), -1);
  EXPECT_EQ(ListBox::edges_back(-2.5), 3);
  for (const double rounding : {-1e-16, 0.0, 1.0, 1 + 1e-15}) EXPECT_EQ(ListBox::edges_back(rounding), 0);
  const ListBox box = box_of({9, 8, 10}, {3, -4, 2}, true, true, true);
  const Vec3<double> f =
      box.fraction({box.low[0] + 0.3 * 9 + 0.7 * 3 - 0.2 * 4, box.low[1] + 0.7 * 8 + 0.2 * 2, box.low[2] + 0.2 * 10});
  EXPECT_NEAR(f.x, 0.3, 1e-14);
  EXPECT_NEAR(f.y, 0.7, 1e-14);
  EXPECT_NEAR(f.z, 0.2, 1e-14);
}

}  // namespace
}  // namespace cuda
}  // namespace triad
