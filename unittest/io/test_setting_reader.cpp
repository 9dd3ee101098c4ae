// The values that the reader of settings returns, and the text of each kind of error.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "io/setting_reader.h"

namespace triad {
namespace {

using Words = std::vector<std::string>;

enum class Range { All, List };

/// Settings of an invented command: fix x/triad eps [range all|list] [cutoff r] [loops n] [shift yes|no] [scale type s]
struct Settings {
  double eps = 0, cutoff = 0, scale = 0;
  int loops = 0, type = 0;
  bool shift = false;
  Range range = Range::All;
  bool has_cutoff = false;
};

Settings read(SettingReader &words) {
  Settings s;
  s.eps = words.not_negative("eps");
  const auto read_scale = [&] {
    s.type = words.whole_number("scale type");
    s.scale = words.number();
  };
  words.keywords({{"range",
                   [&] {
                     s.range = words.choice<Range>({{"all", Range::All}, {"list", Range::List}});
                   }},
                  {"cutoff", [&] { s.cutoff = words.positive(); }},
                  {"loops", [&] { s.loops = words.whole_number_from(1); }},
                  {"shift", [&] { s.shift = words.logical(); }},
                  {"scale", read_scale},
                  {"tally", [&] { words.reject_unsupported("tally"); }}});
  s.has_cutoff = words.given("cutoff");
  if (s.range == Range::List && !s.has_cutoff) words.reject("range list needs the keyword cutoff");
  return s;
}

Settings read(const Words &words) {
  SettingReader reader("fix x/triad", words);
  return read(reader);
}

std::string error_of(const std::function<void()> &work) {
  try {
    work();
  } catch (const SettingError &e) {
    return e.what();
  }
  return "no error";
}

TEST(SettingReader, ReadsAllKindsOfValues) {
  const Settings s =
      read(Words{"0.5", "range", "list", "cutoff", "+3.5e0", "loops", "2", "shift", "on", "scale", "-7", ".25"});
  EXPECT_EQ(s.eps, 0.5);
  EXPECT_EQ(s.range, Range::List);
  EXPECT_EQ(s.cutoff, 3.5);
  EXPECT_EQ(s.loops, 2);
  EXPECT_TRUE(s.shift);
  EXPECT_EQ(s.type, -7);
  EXPECT_EQ(s.scale, 0.25);
  EXPECT_TRUE(s.has_cutoff);
}

TEST(SettingReader, KeepsDefaultsOfKeywordsThatAreNotGiven) {
  const Settings s = read(Words{"0"});
  EXPECT_EQ(s.range, Range::All);
  EXPECT_EQ(s.cutoff, 0);
  EXPECT_FALSE(s.has_cutoff);
}

TEST(SettingReader, TakesTheLastOfRepeatedKeywords) {
  EXPECT_EQ(read(Words{"0", "cutoff", "1", "cutoff", "2"}).cutoff, 2);
}

TEST(SettingReader, ReadsTruthValuesLikeLammps) {
  for (const char *const yes : {"yes", "on", "true", "1"}) EXPECT_TRUE(read(Words{"0", "shift", yes}).shift) << yes;
  for (const char *const no : {"no", "off", "false", "0"}) EXPECT_FALSE(read(Words{"0", "shift", no}).shift) << no;
}

TEST(SettingReader, ReadsWholeNumbersUpToTheLargest) {
  EXPECT_EQ(read(Words{"0", "loops", "2147483647"}).loops, std::numeric_limits<int>::max());
  EXPECT_EQ(read(Words{"0", "scale", "+5", "1"}).type, 5);
}

TEST(SettingReader, PeekLeavesTheWord) {
  SettingReader words("fix x/triad", {"0.5"});
  EXPECT_EQ(words.peek(), "0.5");
  EXPECT_FALSE(words.done());
  EXPECT_EQ(words.number("eps"), 0.5);
  EXPECT_TRUE(words.done());
}

struct Case {
  Words words;
  const char *error;
};

class WrongSettings : public testing::TestWithParam<Case> {};

TEST_P(WrongSettings, AreNamed) {
  EXPECT_EQ(error_of([] { read(GetParam().words); }), GetParam().error);
}

const Case missing[] = {
    {{}, "Missing eps in fix x/triad"},
    {{"0", "cutoff"}, "Missing value after fix x/triad keyword: cutoff"},
    {{"0", "scale"}, "Missing scale type after fix x/triad keyword: scale"},
    {{"0", "scale", "1"}, "Missing value after fix x/triad keyword: scale"},
    {{"0", "range"}, "Missing value after fix x/triad keyword: range (known: all, list)"},
    {{"0", "shift"}, "Missing value after fix x/triad keyword: shift (known: yes, no)"},
};
INSTANTIATE_TEST_SUITE_P(Missing, WrongSettings, testing::ValuesIn(missing));

const Case unknown[] = {
    {{"0", "colour"}, "Unknown fix x/triad keyword: colour (known: range, cutoff, loops, shift, scale, tally)"},
    {{"0", "cutoff", "1", "2"}, "Unknown fix x/triad keyword: 2 (known: range, cutoff, loops, shift, scale, tally)"},
    {{"0", "Cutoff", "1"}, "Unknown fix x/triad keyword: Cutoff (known: range, cutoff, loops, shift, scale, tally)"},
    {{"0", "range", "near"}, "Unknown fix x/triad range: near (known: all, list)"},
};
INSTANTIATE_TEST_SUITE_P(Unknown, WrongSettings, testing::ValuesIn(unknown));

const Case not_a_number[] = {
    {{"heavy"}, "fix x/triad eps is heavy; give a finite number"},
    {{""}, "fix x/triad eps is ; give a finite number"},
    {{"nan"}, "fix x/triad eps is nan; give a finite number"},
    {{"-inf"}, "fix x/triad eps is -inf; give a finite number"},
    {{"1e400"}, "fix x/triad eps is 1e400; give a finite number"},
    {{"1d5"}, "fix x/triad eps is 1d5; give a finite number"},
    {{"0x10"}, "fix x/triad eps is 0x10; give a finite number"},
    {{"+-1"}, "fix x/triad eps is +-1; give a finite number"},
    {{"0", "loops", "2.5"}, "fix x/triad loops is 2.5; give a whole number"},
    {{"0", "loops", "2147483648"},
     "fix x/triad loops is 2147483648; give a whole number of at most 2147483647 in size"},
    {{"0", "shift", "perhaps"}, "fix x/triad shift is perhaps; give yes or no (or 1 or 0)"},
    {{"0", "shift", "2"}, "fix x/triad shift is 2; give yes or no (or 1 or 0)"},
};
INSTANTIATE_TEST_SUITE_P(NotANumber, WrongSettings, testing::ValuesIn(not_a_number));

const Case out_of_range[] = {
    {{"-0.1"}, "fix x/triad eps is -0.1; give zero or more"},
    {{"0", "cutoff", "0.0"}, "fix x/triad cutoff is 0.0; give a positive number"},
    {{"0", "cutoff", "-2"}, "fix x/triad cutoff is -2; give a positive number"},
    {{"0", "loops", "0"}, "fix x/triad loops is 0; give a whole number of at least 1"},
};
INSTANTIATE_TEST_SUITE_P(OutOfRange, WrongSettings, testing::ValuesIn(out_of_range));

const Case refused[] = {
    {{"0", "range", "list"}, "fix x/triad range list needs the keyword cutoff"},
    {{"0", "tally"}, "fix x/triad does not support tally; use fix x"},
};
INSTANTIATE_TEST_SUITE_P(Refused, WrongSettings, testing::ValuesIn(refused));

TEST(SettingReader, RefusesArgumentsOfACommandWithoutSettings) {
  EXPECT_NO_THROW(SettingReader("fix x/triad", {}).no_arguments());
  EXPECT_EQ(error_of([] {
              SettingReader("fix x/triad", {"5", "6"}).no_arguments();
            }),
            "fix x/triad takes no arguments, but 2 were given");
}

TEST(SettingReader, ListsTheKnownValuesOfAMissingFirstWord) {
  SettingReader words("fix x/triad", {});
  EXPECT_EQ(error_of([&] {
              words.choice<int>({{"gravity", 0}, {"lj", 1}}, "law");
            }),
            "Missing law in fix x/triad (known: gravity, lj)");
}

TEST(StockCommand, IsTheCommandWithoutTheSuffix) {
  EXPECT_EQ(stock_command("fix nvt/triad"), "fix nvt");
  EXPECT_EQ(stock_command("tersoff/mod/triad/kk"), "tersoff/mod");
  EXPECT_EQ(stock_command("fix nvt"), "fix nvt");
}

}  // namespace
}  // namespace triad
