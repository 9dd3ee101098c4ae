// What the reader of table files accepts, what it refuses, and what it says then.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/pair_table_file.h"

namespace triad {
namespace {

PairTable parse(const std::string &text) { return read_pair_table(text, "a.table", "TWO"); }

TEST(PairTableFile, ReadsDistancesOfLines) {
  const PairTable table =
      parse("ONE\nN 2\n1 1 5 6\n2 2 7 8\nTWO x\nN 3 FPRIME -2 -1\n\n1 1 10 30\n2 1.5 5 9\n3 3 1 2\n");
  EXPECT_EQ(table.r, (std::vector<double>{1, 1.5, 3}));
  EXPECT_EQ(table.energy, (std::vector<double>{10, 5, 1}));
  EXPECT_EQ(table.force, (std::vector<double>{30, 9, 2}));
  EXPECT_TRUE(table.has_slopes);
  EXPECT_EQ(table.slope_low, -2);
  EXPECT_EQ(table.slope_high, -1);
  EXPECT_EQ(table.spacing, TableSpacing::Any);
}

TEST(PairTableFile, ComputesDistances) {
  const PairTable linear = parse("TWO\nN 3 R 1.0 3.0\n1 9 1 1\n2 9 1 1\n3 9 1 1\n");
  EXPECT_EQ(linear.r, (std::vector<double>{1, 2, 3}));
  const PairTable squared = parse("TWO\nRSQ 1 3 N 3\n1 1 1 1\n2 2 1 1\n3 3 1 1\n");
  EXPECT_EQ(squared.spacing, TableSpacing::Squared);
  EXPECT_DOUBLE_EQ(squared.r[1], std::sqrt(5.0));
  EXPECT_EQ(squared.r[2], 3);
}

/// Lines of a BITMAP section are in the order of the bits of r^2, where 1.5^2 = 2.25 follows the largest distance.
TEST(PairTableFile, SortsBitmaps) {
  const BitmapGrid grid = bitmap_grid(1.5, 3, 6).value();
  std::string text = "TWO\nN 64 BITMAP 1.5 3\n";
  for (int line = 0; line < 64; ++line) {
    const int k = (line - int(grid.first >> grid.shift)) & 63;
    const double r = std::sqrt(grid.squared(k));
    text += std::to_string(line + 1) + " 0 " + std::to_string(r) + " " + std::to_string(k) + "\n";
  }
  const PairTable table = parse(text);
  EXPECT_EQ(table.spacing, TableSpacing::Bitmap);
  EXPECT_EQ(table.r[0], 1.5);
  EXPECT_EQ(table.outer(), 3);
  for (int k = 0; k < 64; ++k) {
    EXPECT_EQ(table.force[k], k);
    EXPECT_NEAR(table.energy[k], table.r[k], 1e-6);
  }
}

TEST(PairTableFile, RefusesWithALine) {
  const struct {
    const char *text, *line, *said;
  } cases[] = {
      {"ONE\nN 2\n1 1 1 1\n2 2 1 1\n", "a.table: ", "no section 'TWO'"},
      {"TWO\n", "a.table:1: ", "ends after its keyword"},
      {"TWO\n1 1 1 1\n", "a.table:2: ", "parameter '1'"},
      {"TWO\nN 1\n", "a.table:2: ", "from 2 to 10000000"},
      {"TWO\nN\n", "a.table:2: ", "missing"},
      {"TWO\nR 1 2\n", "a.table:2: ", "N is missing"},
      {"TWO\nN 2 R 2 1\n", "a.table:2: ", "ascending"},
      {"TWO\nN 2 BITMAP 1 2\n", "a.table:2: ", "N is 2, which no BITMAP"},
      {"TWO\nN 63 BITMAP 1 2\n", "a.table:2: ", "N is 63, which no BITMAP"},
      {"\nTWO\nN 3\n1 1 1 1\n2 2 1 1\n", "a.table:2: ", "2 points instead of 3"},
      {"TWO\nN 2\n1 1 1\n", "a.table:3: ", "3 words"},
      {"TWO\nN 2\n1 2 1 1\n2 1 1 1\n", "a.table:4: ", "not greater"},
      {"TWO\nN 2\n1 0 1 1\n", "a.table:3: ", "zero"},
      {"TWO\nN 2\n1 1 nan 1\n", "a.table:3: ", "energy"},
      {"TWO\nN 2\n1 1 1 much\n", "a.table:3: ", "force"},
  };
  for (const auto &c : cases) try {
      parse(c.text);
      ADD_FAILURE() << c.text;
    } catch (const PairTableError &e) {
      const std::string what = e.what();
      EXPECT_EQ(what.rfind(c.line, 0), 0u) << what;
      EXPECT_NE(what.find(c.said), std::string::npos) << what;
    }
}

}  // namespace
}  // namespace triad
