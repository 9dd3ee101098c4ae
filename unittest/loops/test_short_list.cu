// The short list against a filter by brute force: both tables, their order and their offsets.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "loops/cuda/shortlist.cuh"
#include "loops/device_test.h"
#include "loops/systems.h"

namespace triad {
namespace cuda {
namespace {

/// Atoms at random and rows that list them with skin, as they come from LAMMPS.
struct Input {
  int nelements = 1;
  std::vector<double> x, reach_squared;
  std::vector<int> element, centre, neighbour;
  std::vector<long long> offset = {0};
  bool identity = true;  // centre[row] = row is passed as a null pointer

  int n_all() const { return int(element.size()); }
  bool keeps(int i, int j) const {
    if (element[i] < 0 || element[j] < 0) return false;
    double square = 0;
    for (int axis = 0; axis < 3; ++axis)
      square += (x[3 * j + axis] - x[3 * i + axis]) * (x[3 * j + axis] - x[3 * i + axis]);
    return square < reach_squared[element[i] * nelements + element[j]];
  }
};

Input random_input(int n_all, int n_rows, int nelements, double edge, bool permuted, Random &random) {
  Input in;
  in.nelements = nelements;
  for (int i = 0; i < 3 * n_all; ++i) in.x.push_back(random(0, edge));
  for (int i = 0; i < n_all; ++i) in.element.push_back(nelements > 1 ? random.below(nelements + 1) - 1 : 0);
  for (int pair = 0; pair < nelements * nelements; ++pair) in.reach_squared.push_back(random(1.0, 2.0));
  in.identity = !permuted;
  for (int row = 0; row < n_rows; ++row) in.centre.push_back(permuted ? n_rows - 1 - row : row);
  for (const int i : in.centre) {
    for (int j = 0; j < n_all; ++j)
      if (j != i && random.below(10) != 0) in.neighbour.push_back(j);
    in.offset.push_back((long long)in.neighbour.size());
  }
  return in;
}

/// What the list should hold.
struct Expected {
  std::vector<int> four_centre, general_centre, general_neighbour;
  std::vector<std::vector<int>> four_neighbour = std::vector<std::vector<int>>(4);
  std::vector<long long> general_offset = {0};
  int longest = 0;

  explicit Expected(const Input &in) {
    for (std::size_t row = 0; row < in.centre.size(); ++row) {
      std::vector<int> kept;
      for (long long s = in.offset[row]; s < in.offset[row + 1]; ++s)
        if (in.keeps(in.centre[row], in.neighbour[s])) kept.push_back(in.neighbour[s]);
      longest = std::max(longest, int(kept.size()));
      if (kept.size() == 4) {
        four_centre.push_back(in.centre[row]);
        for (int slot = 0; slot < 4; ++slot) four_neighbour[slot].push_back(kept[slot]);
      } else {
        general_centre.push_back(in.centre[row]);
        general_neighbour.insert(general_neighbour.end(), kept.begin(), kept.end());
        general_offset.push_back((long long)general_neighbour.size());
      }
    }
  }
};

class ShortLists : public DeviceTest {
 protected:
  void expect_filtered(const Input &in) {
    const DeviceVector<double> x(in.x), reach_squared(in.reach_squared);
    const DeviceVector<int> element(in.element), centre(in.centre), neighbour(in.neighbour);
    const DeviceVector<long long> offset(in.offset);
    const Stream stream;
    list.build({int(in.centre.size()), in.identity ? nullptr : centre.data(), offset.data(), neighbour.data()},
               {in.n_all(), x.data(), element.data(), reach_squared.data(), in.nelements}, stream);
    stream.wait("building");

    const Expected expected(in);
    const ShortListView view = list.view();
    ASSERT_EQ(view.n_four, int(expected.four_centre.size()));
    ASSERT_EQ(view.n_general, int(expected.general_centre.size()));
    EXPECT_EQ(list.longest(), expected.longest);
    EXPECT_EQ(list.general_entries(), expected.general_offset.back());
    if (in.centre.empty()) return;

    if (view.four_centre) {
      EXPECT_EQ(to_host(view.four_centre, view.n_four), expected.four_centre);
    } else {
      for (int t = 0; t < view.n_four; ++t) ASSERT_EQ(expected.four_centre[t], t);
    }
    for (int slot = 0; slot < 4; ++slot)
      EXPECT_EQ(to_host(view.four_neighbour + slot * view.four_stride, view.n_four), expected.four_neighbour[slot])
          << "slot " << slot;
    EXPECT_EQ(to_host(view.general_centre, view.n_general), expected.general_centre);
    EXPECT_EQ(to_host(view.general_offset, view.n_general + 1), expected.general_offset);
    EXPECT_EQ(to_host(view.general_neighbour, list.general_entries()), expected.general_neighbour);
  }

  ShortList list;
};

TEST_F(ShortLists, HoldWhatIsWithinReach) {
  Random random(70);
  for (const int n : {5, 40, 300})
    for (const double neighbours : {0.5, 4.0, 12.0, 60.0}) {  // on average, within a reach of 1.2
      SCOPED_TRACE(std::to_string(n) + " atoms, " + std::to_string(neighbours) + " neighbours");
      expect_filtered(random_input(n, n, 1, std::cbrt(n * 7.2 / neighbours), false, random));
    }
}

TEST_F(ShortLists, TellElementsApart) {
  Random random(71);
  for (const int nelements : {2, 3, 5}) expect_filtered(random_input(200, 200, nelements, 7, false, random));
}

TEST_F(ShortLists, KeepTheOrderOfRows) {
  Random random(72);
  expect_filtered(random_input(200, 150, 3, 6, true, random));
  expect_filtered(random_input(200, 1, 1, 6, true, random));
}

/// Blocks of the filter end within, at and after the last row.
TEST_F(ShortLists, HoldAnyNumberOfRows) {
  Random random(73);
  for (const int rows : {1, 7, 31, 32, 33, 255, 256, 257}) {
    SCOPED_TRACE(rows);
    expect_filtered(random_input(260, rows, 1, 8, false, random));
  }
}

/// Every row has four neighbours, as in a crystal: no table of centres is needed unless rows are permuted.
TEST_F(ShortLists, NeedNoCentresInACrystal) {
  Random random(74);
  for (const bool permuted : {false, true}) {
    Input in = random_input(100, 100, 1, 1, permuted, random);  // all within reach of each other
    in.neighbour.clear();
    in.offset = {0};
    in.reach_squared = {3.1};
    for (const int i : in.centre) {
      for (int k = 1; k <= 4; ++k) in.neighbour.push_back((i + 7 * k) % 100);
      in.offset.push_back((long long)in.neighbour.size());
    }
    expect_filtered(in);
    EXPECT_EQ(list.view().n_four, 100);
    EXPECT_EQ(list.view().four_centre == nullptr, !permuted);
  }
}

TEST_F(ShortLists, HoldNothingWithoutRows) {
  Random random(75);
  expect_filtered(random_input(10, 0, 1, 3, false, random));
  expect_filtered(random_input(0, 0, 1, 3, false, random));
}

TEST_F(ShortLists, HoldEmptyRows) {
  Random random(76);
  Input in = random_input(50, 50, 1, 3, false, random);
  in.neighbour.clear();
  in.offset.assign(51, 0);
  expect_filtered(in);
  in = random_input(50, 50, 2, 3, false, random);
  in.element.assign(50, -1);
  expect_filtered(in);
}

/// One list object over changing sizes, as in a run.
TEST_F(ShortLists, AreBuiltAgain) {
  Random random(77);
  for (const int n : {100, 10, 0, 300, 50}) {
    SCOPED_TRACE(n);
    expect_filtered(random_input(n, n, 2, 5, n == 50, random));
  }
}

}  // namespace
}  // namespace cuda
}  // namespace triad
