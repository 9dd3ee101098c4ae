// Damaged Tersoff files: refused with a sound message, or read to a sound table, never anything else. The fuzz target
// (fuzz_tersoff_file.cpp) does the same for as long as it is given.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "damage.h"
#include "tersoff_formats.h"

namespace triad {
namespace {

class DamagedTersoffFile : public testing::TestWithParam<Format> {
 protected:
  const Format &format = GetParam();
  TersoffTable parse(const std::string &text, const Words &elements) const {
    return read_tersoff_table(text, format.file, elements, 1.0, format.variant);
  }
};

INSTANTIATE_TEST_SUITE_P(, DamagedTersoffFile, testing::ValuesIn(formats()), testing::PrintToStringParamName());

TEST_P(DamagedTersoffFile, IsRefusedOrRead) {
  const auto valid = format.all_of_two_elements();
  Damage damage(20251121);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 10000 && !testing::Test::HasFailure(); ++round) {
    const auto text = damage(valid);
    try {
      EXPECT_EQ(fault_of(parse(text, {"Si", "C"}), format, 2), "") << text;
      ++accepted;
    } catch (const PotentialFileError &error) {
      EXPECT_EQ(fault_of(error.what(), format.file), "") << error.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 250);
  EXPECT_GT(refused, 250);
}

TEST_P(DamagedTersoffFile, OfPureNoiseIsRefused) {
  std::mt19937 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 600, ' ');
    for (auto &letter : text) letter = static_cast<char>(random());
    EXPECT_THROW(parse(text, {"Si"}), PotentialFileError);
  }
}

}  // namespace
}  // namespace triad
