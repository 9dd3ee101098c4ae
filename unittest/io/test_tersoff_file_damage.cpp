// Damaged Tersoff files: refused, or read to a sound table, never anything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "io/tersoff_file.h"
#include "tersoff_text.h"

namespace triad {
namespace {

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (auto count = 1 + below(3); count > 0; --count) strike(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void strike(std::string &text) {
    static const Words shards = {"nan",  "-1",     "0",        "1e999",        "\n",   "#", "\r\n",
                                 " ",    "Si",     "C",        "0x1",          "+",    "-", "1e-",
                                 "3.0 ", "\t\t\t", " 1 2 3 4", "\xEF\xBB\xBF", "\xFF", "1", std::string(1, '\0')};
    const auto at = below(text.size() + 1), length = std::min<std::size_t>(below(30), text.size() - at);
    switch (below(6)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, shards[below(shards.size())]);
        break;
      case 3:
        text.replace(at, length, shards[below(shards.size())]);
        break;
      case 4:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  std::mt19937 random_;
};

void expect_sound(const TersoffTable &table) {
  ASSERT_EQ(table.triplets.size(), 8u);
  EXPECT_GT(table.cutmax(), 0);
  for (const auto &e : table.triplets) {
    EXPECT_GT(e.line, 0);
    for (const double value :
         {e.m, e.gamma, e.lam3, e.c, e.d, e.costheta0, e.n, e.beta, e.lam2, e.B, e.R, e.D, e.lam1, e.A})
      EXPECT_TRUE(std::isfinite(value));
    for (const double value : {e.gamma, e.c, e.n, e.beta, e.lam2, e.B, e.R, e.D, e.lam1, e.A, e.R - e.D})
      EXPECT_GE(value, 0);
    EXPECT_GT(e.d, 0);
    EXPECT_TRUE(e.m == 1 || e.m == 3);
  }
}

TEST(DamagedTersoffFile, IsRefusedOrRead) {
  const auto valid = two_elements();
  Damage damage(20251121);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 20000 && !testing::Test::HasFailure(); ++round) {
    const auto text = damage(valid);
    try {
      expect_sound(read_tersoff_table(text, "Si.tersoff", {"Si", "C"}));
      ++accepted;
    } catch (const PotentialFileError &error) {
      EXPECT_TRUE(starts_with(error.what(), "Si.tersoff:")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

TEST(DamagedTersoffFile, OfPureNoiseIsRefused) {
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 600, ' ');
    for (auto &letter : text) letter = static_cast<char>(random());
    EXPECT_THROW(read_tersoff_table(text, "Si.tersoff", {"Si"}), PotentialFileError);
  }
}

}  // namespace
}  // namespace triad
