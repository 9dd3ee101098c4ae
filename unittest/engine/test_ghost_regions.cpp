// Ghosts that the engines of several ranks find themselves: all pairs within the cutoff, with atoms outside the parts.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/exchange/ghost_regions.h"
#include "testing/systems.h"

namespace triad {
namespace {

struct Case {
  std::string name;
  int ranks[3];
  double tilt[3];  ///< xy, xz, yz
  bool periodic[3];
  double cutoff = 4;
  int outside = 1;  ///< cutoffs by which atoms may leave their parts
};

std::ostream &operator<<(std::ostream &out, const Case &c) { return out << c.name; }

std::vector<Case> cases() {
  return {{"two", {2, 1, 1}, {0, 0, 0}, {true, true, true}},
          {"three", {1, 3, 1}, {0, 0, 0}, {true, true, true}, 4, 2},
          {"eight", {2, 2, 2}, {0, 0, 0}, {true, true, true}},
          {"tilted", {2, 1, 2}, {5, -4, 6}, {true, true, true}},
          {"slab", {2, 1, 2}, {0, 0, 0}, {true, true, false}},
          {"far", {2, 1, 1}, {0, 0, 0}, {true, true, true}, 2.5, 2},
          {"far_tilted", {1, 2, 2}, {5, -4, 6}, {true, true, true}, 2.3, 2}};
}

class GhostRegions : public testing::TestWithParam<Case> {
 protected:
  GhostRegions() {
    const Case &c = GetParam();
    const double edge[3][3] = {{30, 0, 0}, {c.tilt[0], 32, 0}, {c.tilt[1], c.tilt[2], 28}};
    for (int d = 0; d < 3; ++d) {
      box.low[d] = -3 * d;
      for (int k = 0; k < 3; ++k) box.edge[d][k] = edge[d][k];
      box.periodic[d] = c.periodic[d];
      box.divided[d] = c.ranks[d] > 1;
    }
    box.cutoff = c.cutoff;
  }

  /// The box as rank r sees it. Parts differ in width, as after balance.
  ListBox box_of(int r) const {
    ListBox mine = box;
    int rest = r;
    for (int d = 0; d < 3; ++d) {
      const int n = GetParam().ranks[d], at = rest % n;
      rest /= n;
      const auto begin = [&](int k) { return k == 0 ? 0.0 : k == n ? 1.0 : (k + 0.05) / n; };
      mine.part[d][0] = begin(at);
      mine.part[d][1] = begin(at + 1);
    }
    return mine;
  }
  std::array<double, 3> place(const Vec3<double> &f) const {
    std::array<double, 3> x;
    for (int k = 0; k < 3; ++k) x[k] = box.low[k] + f.x * box.edge[0][k] + f.y * box.edge[1][k] + f.z * box.edge[2][k];
    return x;
  }

  ListBox box;
};

INSTANTIATE_TEST_SUITE_P(, GhostRegions, testing::ValuesIn(cases()), [](const auto &info) { return info.param.name; });

/// Each atom has left its part by as far as is allowed; every atom or image within the cutoff of an atom must be known
/// to the rank of that atom.
TEST_P(GhostRegions, HoldAllNeighbours) {
  const Case &c = GetParam();
  const int ranks = c.ranks[0] * c.ranks[1] * c.ranks[2];
  Random random(31);
  struct Atom {
    int rank;
    Vec3<double> f;
  };
  std::vector<Atom> atoms;
  std::vector<BoxExtent> extents;
  for (int r = 0; r < ranks; ++r) {
    const ListBox mine = box_of(r);
    ASSERT_EQ(cutoffs_outside(mine), c.outside);
    const std::array<double, 3> cutoff = cutoff_fractions(mine);
    double low[3], high[3];
    for (int d = 0; d < 3; ++d) {
      const bool outside = mine.divided[d];
      const double far = 0.99 * c.outside * cutoff[d];
      low[d] = mine.part[d][0] - (outside && (mine.periodic[d] || mine.part[d][0] > 0) ? far : 0);
      high[d] = mine.part[d][1] + (outside && (mine.periodic[d] || mine.part[d][1] < 1) ? far : 0);
    }
    BoxExtent extent;
    for (int d = 0; d < 3; ++d)
      if (mine.divided[d]) {
        extent.low[d] = low[d];
        extent.high[d] = high[d];
      }
    extents.push_back(extent);
    for (int n = 0; n < 800 / ranks; ++n)
      atoms.push_back({r, {random(low[0], high[0]), random(low[1], high[1]), random(low[2], high[2])}});
  }
  using Image = std::array<int, 3>;
  std::set<std::tuple<int, std::size_t, Image>> ghosts;  // of rank, atom, image
  for (int r = 0; r < ranks; ++r)
    for (const GhostRegion &region : ghost_regions(box_of(r), extents, r))
      for (std::size_t a = 0; a < atoms.size(); ++a)
        if (atoms[a].rank == r && region.holds(atoms[a].f)) {
          const bool fresh = ghosts.emplace(region.rank, a, region.image).second;
          EXPECT_TRUE(fresh) << "no ghost twice";
        }
  std::size_t pairs = 0;
  for (const Atom &own : atoms)
    for (std::size_t b = 0; b < atoms.size(); ++b)
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
          for (int k = -1; k <= 1; ++k) {
            const Image image = {i, j, k};
            bool exists = true;
            Image divided = {0, 0, 0};  // along other edges the list itself has the images
            for (int d = 0; d < 3; ++d) {
              exists = exists && (image[d] == 0 || c.periodic[d]);
              if (box.divided[d]) divided[d] = image[d];
            }
            if (!exists) continue;
            const std::array<double, 3> x = place(own.f);
            const std::array<double, 3> y = place({atoms[b].f.x + i, atoms[b].f.y + j, atoms[b].f.z + k});
            if (std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) >= box.cutoff) continue;
            if (atoms[b].rank == own.rank) {
              EXPECT_EQ(divided, (Image{0, 0, 0})) << "a rank has no ghosts of its own";
              continue;
            }
            ++pairs;
            ASSERT_TRUE(ghosts.count({own.rank, b, divided})) << "rank " << own.rank << " misses atom " << b;
          }
  EXPECT_GT(pairs, 100u);
}

/// In narrow boxes and parts LAMMPS makes the lists.
TEST(GhostRegionsOfNarrowBoxes, DoNotSuffice) {
  ListBox box;
  for (int d = 0; d < 3; ++d) box.edge[d][d] = 30;
  box.cutoff = 4;
  EXPECT_EQ(cutoffs_outside(box), tuning::most_cutoffs_outside) << "one rank";
  box.divided[1] = true;
  box.part[1][1] = 0.5;
  EXPECT_EQ(cutoffs_outside(box), 1);
  box.part[1][1] = 0.65;
  EXPECT_EQ(cutoffs_outside(box), 0) << "the other part is too narrow";
  box.periodic[1] = false;
  EXPECT_EQ(cutoffs_outside(box), tuning::most_cutoffs_outside) << "there are no images";
  box.part[1][0] = 0.4;
  EXPECT_EQ(cutoffs_outside(box), 1) << "this part has less than two cutoffs";
  box.part[1][0] = 0.5;
  EXPECT_EQ(cutoffs_outside(box), 0) << "atoms move on until they change the rank";
}

}  // namespace
}  // namespace triad
