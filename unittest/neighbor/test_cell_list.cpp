// Compares the cell list with a brute-force search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "neighbor/host/cell_list.h"
#include "testing/systems.h"

namespace triad {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<std::vector<int>> rows_of(const NeighborListView &view) {
  std::vector<std::vector<int>> rows;
  for (int r = 0; r < view.n_rows; ++r) {
    EXPECT_EQ(view.centre[r], r);
    rows.emplace_back(view.neighbour[r], view.neighbour[r] + view.length[r]);
  }
  return rows;
}

std::vector<std::vector<int>> by_cells(const System &system, const std::vector<double> &cutoff, int threads = 1) {
  std::vector<double> squared;
  for (const double r : cutoff) squared.push_back(r * r);
  CellList list;
  list.build(system.atoms(), squared, threads);
  EXPECT_DOUBLE_EQ(list.rows().cutoff, *std::max_element(cutoff.begin(), cutoff.end()));
  return rows_of(list.rows());
}

/// cutoff: [types][types]
void expect_right(const System &system, const std::vector<double> &cutoff) {
  const int n_types = int(system.type_to_element.size()) - 1;
  std::vector<std::vector<int>> rows = by_cells(system, cutoff);
  ASSERT_EQ(int(rows.size()), system.n_owned);
  for (int i = 0; i < system.n_owned; ++i) {
    std::vector<int> wanted;
    for (int j = 0; j < system.n_all(); ++j)
      if (j != i && !(system.distance(i, j) >= cutoff[n_types * (system.type[i] - 1) + system.type[j] - 1]))
        wanted.push_back(j);
    std::sort(rows[i].begin(), rows[i].end());
    ASSERT_EQ(rows[i], wanted) << "row " << i;
  }
}

TEST(CellList, HoldsAllWithinCutoff) {
  System crystal = diamond(silicon_t3(), 3, 0.2);
  crystal.n_owned = 150;  // the others are ghosts
  for (const double cutoff : {0.5, 2.5, 4.0, 40.0}) expect_right(crystal, {cutoff});
}

TEST(CellList, UsesCutoffsOfTypes) {
  const System cluster = random_cluster(three_elements(), 400, 16, 1.2, 31);
  expect_right(cluster, {3.0, 2.0, 4.5, 2.0, 1.0, 0.0, 4.5, 0.0, 2.5});
}

/// With a very large volume per atom, cells become larger instead of more numerous.
TEST(CellList, TakesSparseAtoms) {
  System sparse(one_element(silicon_t3()));
  for (const double x : {0.0, 1.0, 3.5, 4e6}) {
    sparse.add({x, -x, 2 * x});
    sparse.add({x, 3 * x, 0});
  }
  expect_right(sparse, {3.0});
  System line(one_element(silicon_t3()));
  for (int i = 0; i < 40; ++i) line.add({0.7 * i, 0, 0});
  expect_right(line, {2.0});
  System none(one_element(silicon_t3()));
  EXPECT_TRUE(by_cells(none, {2.0}).empty());
}

/// A crystal, and atoms at a distance for which a uniform grid would have a thousand times as many cells as atoms.
TEST(CellList, SkipsEmptySlabs) {
  System crystal = diamond(silicon_t3(), 4, 0.2);
  for (const double x : {-900.0, 1e3, 1002.0, 1e7}) {
    crystal.add({x, 5, 5});
    crystal.add({5, -x, x});
  }
  expect_right(crystal, {3.0});
  expect_right(crystal, {6.0});
}

/// An atom with a NaN position has the neighbours of the first cell, so that a later check finds it.
TEST(CellList, KeepsAtomsWithoutAPosition) {
  System system = diamond(silicon_t3(), 2, 0.1);
  system.x[3 * 5 + 1] = not_a_number;
  EXPECT_FALSE(by_cells(system, {3.0})[5].empty());
}

/// Moves every atom randomly by less than `most` from `origin`.
void walk(System &system, const std::vector<double> &origin, double most, Random &random) {
  for (std::size_t i = 0; i < system.type.size(); ++i) {
    double *x = system.x.data() + 3 * i;
    double next[3], squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
      next[axis] = x[axis] + random(-0.5, 0.5) * most;
      squared += std::pow(next[axis] - origin[3 * i + axis], 2);
    }
    if (squared < most * most) std::copy_n(next, 3, x);
  }
}

/// Random walk within half the skin. Counts the pairs that come within `cutoff` but are missing from a list with cutoff
/// `range` that was built during the walk while one atom was displaced by a quarter of the skin.
int missing_pairs(double cutoff, double skin, double range, unsigned seed) {
  Random random(seed);
  System system = random_cluster(one_element(silicon_t3()), 60, 7, 1.5, seed);
  const std::vector<double> built = system.x;
  for (int step = 0; step < 30; ++step) walk(system, built, 0.5 * skin, random);
  const int displaced = random.below(system.n_owned);
  system.x[3 * displaced] += 0.25 * skin;
  const std::vector<std::vector<int>> rows = by_cells(system, {range});
  system.x[3 * displaced] -= 0.25 * skin;
  int missing = 0;
  for (int step = 0; step < 40; ++step) {
    walk(system, built, 0.5 * skin, random);
    for (int i = 0; i < system.n_owned; ++i)
      for (int j = 0; j < system.n_all(); ++j)
        missing += j != i && system.distance(i, j) < cutoff && std::count(rows[i].begin(), rows[i].end(), j) == 0;
  }
  return missing;
}

/// LAMMPS's cutoff is sufficient only for the positions at LAMMPS's own list build.
TEST(CellList, MadeLateReachesFarEnough) {
  constexpr double cutoff = 2.5, skin = 1.6;
  int short_of = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    ASSERT_EQ(missing_pairs(cutoff, skin, late_list_cutoff(cutoff + skin, skin), seed), 0) << "seed " << seed;
    short_of += missing_pairs(cutoff, skin, cutoff + skin, seed);
  }
  EXPECT_GT(short_of, 0);  // the walk brings distant pairs within the cutoff
}

TEST(CellList, IsTheSameWithAnyNumberOfThreads) {
  const System system = random_cluster(three_elements(), 9000, 40, 1.2, 32);
  const std::vector<double> cutoff(9, 3.3);
  const auto one = by_cells(system, cutoff);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(by_cells(system, cutoff, threads), one);
}

}  // namespace
}  // namespace triad
