// What the reader of Tersoff files accepts, what it refuses, and what it says then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "io/tersoff_file.h"
#include "tersoff_text.h"

namespace triad {
namespace {

/// Position of each number among the words of an entry.
const std::map<std::string, std::size_t> position = {
    {"m", 3},     {"gamma", 4},    {"lambda3", 5}, {"c", 6},  {"d", 7},  {"costheta0", 8}, {"n", 9},
    {"beta", 10}, {"lambda2", 11}, {"B", 12},      {"R", 13}, {"D", 14}, {"lambda1", 15},  {"A", 16}};

/// The silicon entry with some of its numbers replaced, on line 2 of a file.
std::string with(const std::map<std::string, std::string> &changes) {
  auto words = silicon;
  for (const auto &[name, value] : changes) words[position.at(name)] = value;
  return "# silicon\n" + joined(words) + "\n";
}

TersoffTable parse(const std::string &text, const Words &elements = {"Si"}) {
  return read_tersoff_table(text, "Si.tersoff", elements);
}

/// The message with which a file is refused; empty, and a failure, if it is accepted.
std::string refusal(const std::string &text, const Words &elements = {"Si"}) {
  try {
    parse(text, elements);
  } catch (const PotentialFileError &error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted:\n" << text;
  return {};
}

void expect_silicon(const TersoffEntry &e) {
  for (const auto &element : e.element) EXPECT_EQ(element, "Si");
  EXPECT_EQ(e.m, 3);
  EXPECT_EQ(e.gamma, 1);
  EXPECT_EQ(e.lam3, 0);
  EXPECT_EQ(e.c, 100390);
  EXPECT_EQ(e.d, 16.217);
  EXPECT_EQ(e.costheta0, -0.59825);
  EXPECT_EQ(e.n, 0.78734);
  EXPECT_EQ(e.beta, 1.0999e-6);
  EXPECT_EQ(e.lam2, 1.7322);
  EXPECT_EQ(e.B, 471.18);
  EXPECT_EQ(e.R, 2.85);
  EXPECT_EQ(e.D, 0.15);
  EXPECT_EQ(e.lam1, 2.4799);
  EXPECT_EQ(e.A, 1830.8);
}

// ---- accepted files

struct Case {
  const char *name;
  std::string text;
  int line = 1;     ///< accepted: where the entry starts; refused: the line in the message, 0 for none
  Words said = {};  ///< refused: what the message must contain
  Words elements = {"Si"};
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }
std::string name_of(const testing::TestParamInfo<Case> &info) { return info.param.name; }

class AcceptedLayout : public testing::TestWithParam<Case> {};

TEST_P(AcceptedLayout, ReadsSilicon) {
  const auto table = parse(GetParam().text);
  ASSERT_EQ(table.triplets.size(), 1u);
  expect_silicon(table.at(0, 0, 0));
  EXPECT_EQ(table.at(0, 0, 0).line, GetParam().line);
}

const Case accepted_layouts[] = {
    {"one_line", joined(silicon) + "\n"},
    {"no_final_newline", joined(silicon)},
    {"a_word_per_line", joined(silicon, "\n") + "\n"},
    {"windows_line_ends", "# silicon\r\n" + joined(silicon, "\r\n") + "\r\n", 2},
    {"tabs_and_form_feeds", "\t" + joined(silicon, "\t\f ") + "\t\n"},
    {"byte_order_mark", "\xEF\xBB\xBF" + joined(silicon) + "\n"},
    {"byte_order_mark_before_comment", "\xEF\xBB\xBF# silicon\n" + joined(silicon), 2},
    {"comments_and_blanks_inside", "#\n\n" + joined(silicon, " # 1 2 3\n\n \t\n#x\n"), 3},
    {"comment_touches_last_word", joined(silicon) + "#Si Si Si"},
    {"utf8_in_comment", "# \xC3\x85ngstr\xC3\xB6m\n" + joined(silicon), 2},
    {"long_comment", "#" + std::string(100000, 'x') + "\n" + joined(silicon), 2},
    {"long_line", joined(silicon, std::string(5000, ' ')) + std::string(5000, ' ')},
    {"unused_entry_with_bad_numbers",
     "C C C" + std::string(" x y z w q r s").append(" a b c d e f g\n") + joined(silicon), 2},
    {"unused_entry_twice", entry("C", "C", "C") + entry("C", "C", "C") + joined(silicon), 3},
    {"entries_partly_in_use", entry("Si", "Si", "C") + entry("C", "Si", "Si") + joined(silicon), 3},
};
INSTANTIATE_TEST_SUITE_P(TersoffFile, AcceptedLayout, testing::ValuesIn(accepted_layouts), name_of);

TEST(TersoffFile, NumbersInEverySpelling) {
  const std::pair<const char *, double> spellings[] = {
      {"1", 1},       {"+1", 1},           {"1.", 1},       {".5", 0.5},        {"+.5e1", 5}, {"1e5", 1e5},
      {"1E+05", 1e5}, {"12.5e-3", 0.0125}, {"00.250", .25}, {"1e-310", 1e-310}, {"-0", 0}};
  for (const auto &[text, value] : spellings)
    EXPECT_EQ(parse(with({{"gamma", text}})).at(0, 0, 0).gamma, value) << text;
}

TEST(TersoffFile, AllowsWhatStockAllows) {
  EXPECT_EQ(parse(with({{"m", "1.0"}})).at(0, 0, 0).m, 1);
  EXPECT_EQ(parse(with({{"lambda3", "-1.3258"}})).at(0, 0, 0).lam3, -1.3258);
  EXPECT_EQ(parse(with({{"costheta0", "-7"}})).at(0, 0, 0).costheta0, -7);
  for (const auto &[name, place] : position)
    if (name != "m" && name != "d" && name != "n" && name != "R") {
      EXPECT_NO_THROW(parse(with({{name, "0"}}))) << name;
    }
  EXPECT_EQ(parse(with({{"D", "2.85"}})).at(0, 0, 0).D, 2.85) << "D = R: taper from zero on";
  EXPECT_EQ(parse(with({{"c", "0"}, {"d", "1"}})).at(0, 0, 0).c, 0);
}

TEST(TersoffFile, EnergyFactorScalesAAndBOnly) {
  const auto table = read_tersoff_table(joined(silicon), "Si.tersoff", {"Si"}, 23.060549);
  auto e = table.at(0, 0, 0);
  EXPECT_EQ(e.A, 1830.8 * 23.060549);
  EXPECT_EQ(e.B, 471.18 * 23.060549);
  e.A = 1830.8;
  e.B = 471.18;
  expect_silicon(e);
}

TEST(TersoffFile, TripletsStandInTheOrderOfTheElements) {
  const Words elements = {"C", "Si"};
  const auto table = parse(two_elements(), elements);
  ASSERT_EQ(table.triplets.size(), 8u);
  EXPECT_EQ(table.elements, elements);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k) {
        const auto &e = table.at(i, j, k);
        EXPECT_EQ(Words(e.element, e.element + 3), (Words{elements[i], elements[j], elements[k]}));
        EXPECT_EQ(e.line, 10 - 4 * i - 2 * j - k);  // the file has Si before C, and starts on line 3
      }
}

TEST(TersoffFile, ElementNamesAreComparedExactly) {
  const auto text = entry("Si(B)", "Si(B)", "Si(B)") + joined(silicon) + "\n" + entry("si", "si", "si");
  EXPECT_EQ(parse(text).at(0, 0, 0).line, 2);
  EXPECT_EQ(parse(text, {"si"}).at(0, 0, 0).line, 3);
  EXPECT_EQ(parse(text, {"Si(B)"}).at(0, 0, 0).line, 1);
}

TEST(TersoffFile, ACutoffOfZeroSwitchesOneTripletOff) {
  auto words = silicon;
  words[0] = words[1] = words[2] = "C";
  words[position.at("R")] = words[position.at("D")] = "0";
  auto text = two_elements();
  const auto carbon = entry("C", "C", "C");
  text.replace(text.find(carbon), carbon.size(), joined(words));
  EXPECT_EQ(parse(text, {"Si", "C"}).at(1, 1, 1).cutoff(), 0);
}

/// As files for hybrid styles have them. No number of such an entry may be undefined.
TEST(TersoffFile, AnEntryWithoutInteractionMayBeAllZero) {
  auto words = silicon;
  words[0] = words[1] = words[2] = "C";
  std::fill(words.begin() + 4, words.end(), "0");
  auto text = two_elements();
  const auto carbon = entry("C", "C", "C");
  text.replace(text.find(carbon), carbon.size(), joined(words));
  const TersoffEntry zero = parse(text, {"Si", "C"}).at(1, 1, 1);
  EXPECT_EQ(zero.cutoff(), 0);
  EXPECT_TRUE(std::isfinite(zero.c * zero.c / (zero.d * zero.d)));
}

// ---- refused files

class RefusedFile : public testing::TestWithParam<Case> {};

TEST_P(RefusedFile, NamesFileLineAndReason) {
  const auto &c = GetParam();
  const auto message = refusal(c.text, c.elements);
  EXPECT_TRUE(starts_with(message, c.line ? "Si.tersoff:" + std::to_string(c.line) + ": " : "Si.tersoff: ")) << message;
  EXPECT_NE(message.find("; "), std::string::npos) << "says what to do: " << message;
  for (const auto &said : c.said) EXPECT_NE(message.find(said), std::string::npos) << said << " in: " << message;
}

Words first_words(std::size_t n) { return Words(silicon.begin(), silicon.begin() + n); }

const Case refused_parameters[] = {
    {"gamma", with({{"gamma", "-1"}}), 2, {"gamma = '-1'", "negative"}},
    {"c", with({{"c", "-100390"}}), 2, {"parameter c = '-100390'", "negative"}},
    {"d", with({{"d", "-16.217"}}), 2, {"parameter d = '-16.217'", "negative"}},
    {"n", with({{"n", "-0.7"}}), 2, {"parameter n = '-0.7'", "negative"}},
    {"beta", with({{"beta", "-1e-6"}}), 2, {"parameter beta = '-1e-6'", "negative"}},
    {"lambda2", with({{"lambda2", "-1.7"}}), 2, {"parameter lambda2 = '-1.7'", "negative"}},
    {"B", with({{"B", "-471.18"}}), 2, {"parameter B = '-471.18'", "negative"}},
    {"R", with({{"R", "-2.85"}, {"D", "-3"}}), 2, {"parameter R = '-2.85'", "negative"}},
    {"D", with({{"D", "-0.15"}}), 2, {"parameter D = '-0.15'", "negative"}},
    {"lambda1", with({{"lambda1", "-2.4799"}}), 2, {"parameter lambda1 = '-2.4799'", "negative"}},
    {"A", with({{"A", "-1830.8"}}), 2, {"parameter A = '-1830.8'", "negative"}},
    {"m_two", with({{"m", "2"}}), 2, {"parameter m = '2'", "1 or 3"}},
    {"m_fraction", with({{"m", "3.0001"}}), 2, {"parameter m = '3.0001'", "1 or 3"}},
    {"m_negative", with({{"m", "-3"}}), 2, {"parameter m = '-3'", "1 or 3"}},
    {"m_beyond_int", with({{"m", "1e20"}}), 2, {"parameter m = '1e20'", "1 or 3"}},
    {"D_above_R", with({{"R", "2.85"}, {"D", "2.86"}}), 2, {"parameter D = '2.86'", "R = '2.85'", "D <= R"}},
    {"D_without_R", with({{"R", "0"}}), 2, {"parameter D = '0.15'", "R = '0'"}},
    {"d_zero", with({{"d", "0"}}), 2, {"parameter d = '0'", "c = '100390'", "c^2/d^2"}},
    {"c_and_d_zero", with({{"c", "0"}, {"d", "0"}}), 2, {"parameter d = '0'", "c = '0'", "c^2/d^2"}},
    {"d_underflows_when_squared", with({{"c", "1e-200"}, {"d", "1e-200"}}), 2, {"parameter d", "c^2/d^2"}},
    {"d_overflows_when_squared", with({{"c", "1"}, {"d", "1e200"}}), 2, {"parameter d", "c^2/d^2"}},
    {"no_cutoff_at_all", with({{"R", "0"}, {"D", "0"}}), 0, {"R + D", "zero"}},
    {"on_a_later_line_of_the_entry",
     joined(first_words(10)) + "\n# rest\n1.0999e-6 1.7322 -3 2.85 0.15 2.4799 1830.8",
     3,
     {"parameter B = '-3'"}},
};
INSTANTIATE_TEST_SUITE_P(Parameter, RefusedFile, testing::ValuesIn(refused_parameters), name_of);

const Case refused_structure[] = {
    {"empty_file", "", 0, {"no entry for Si Si Si", "no entries"}},
    {"byte_order_mark_only", "\xEF\xBB\xBF", 0, {"no entry for Si Si Si", "no entries"}},
    {"comments_only", "# DATE: 2007-10-25\n#\n", 0, {"no entry for Si Si Si", "no entries"}},
    {"old_mac_line_ends", "# silicon\r" + joined(silicon, "\r"), 0, {"no entries"}},
    {"other_element", entry("Ge", "Ge", "Ge"), 0, {"no entry for Si Si Si", "entries for 'Ge'"}},
    {"wrong_case", entry("si", "SI", "sI"), 0, {"no entry for Si Si Si", "entries for 'si'"}},
    {"mixed_triplets_missing",
     joined(silicon),
     0,
     {"no entry for Si Si C", "6 more", "'Si'", "ordered triplet"},
     {"Si", "C"}},
    {"one_triplet_missing",
     two_elements().substr(0, two_elements().rfind("C C C")),
     0,
     {"no entry for C C C (", "'Si' 'C'"},
     {"Si", "C"}},
    {"duplicate", "#\n" + joined(silicon) + "\n\n" + joined(silicon, "\n"), 4, {"second entry for Si Si Si", "line 2"}},
    {"short_last_entry",
     joined(silicon) + "\n" + joined(first_words(12)),
     2,
     {"12 of 17", "add B", "a file for this pair style"}},
    {"short_by_one", joined(first_words(16)) + "\n", 1, {"16 of 17", "add A"}},
    {"only_elements", "\nSi Si\n", 2, {"2 of 17", "add element 3"}},
    {"short_entry_before_another", "#\n" + joined(first_words(16)) + "\n" + joined(silicon), 2, {"33 words", "line 3"}},
    {"extra_word", joined(silicon) + " junk\n", 1, {"18 words", "'junk'", "#"}},
    {"extra_word_in_unused_entry", "C C C 3 1 0 1 1 0 1 1 1 1 2 0 1 1 // carbon\n" + joined(silicon), 1, {"'//'", "#"}},
    {"two_entries_on_a_line", joined(silicon) + " " + joined(silicon), 1, {"34 words", "'Si'", "line of its own"}},
    {"extra_word_on_continued_line",
     joined(first_words(10)) + "\n1e-6 1.7 471 2.85 .15 2.4 1830 7\n",
     1,
     {"18 words", "line 2"}},
    {"text_without_hash", "Parameters for silicon\n" + joined(silicon), 1, {"20 words", "line 2", "comment"}},
    {"nul_byte", "#\n" + joined(silicon) + std::string(1, '\0') + "\n", 2, {"NUL"}},
    {"nul_byte_in_comment", "#\n# " + std::string(1, '\0') + "\n" + joined(silicon), 2, {"NUL"}},
    {"utf16", std::string("\xFF\xFE#\0 \0", 6), 1, {"NUL"}},
    {"zero_bytes", std::string(4096, '\0'), 1, {"NUL"}},
    {"no_elements", joined(silicon), 0, {"no elements"}, {}},
    {"element_listed_twice", joined(silicon), 0, {"Si is listed twice"}, {"Si", "Si"}},
    {"vertical_tab", joined(silicon, "\v"), 1, {"1 of 17"}},
    {"long_word", joined(silicon) + "\n" + std::string(1000000, 'x'), 2, {"1 of 17"}},
};
INSTANTIATE_TEST_SUITE_P(Structure, RefusedFile, testing::ValuesIn(refused_structure), name_of);

TEST(TersoffFile, RefusesWhatIsNotANumber) {
  for (const char *text : {"1e",
                           "1e+",
                           "0x10",
                           "0x1p3",
                           "1.0d0",
                           "1,5",
                           "--1",
                           "+-1",
                           "-+1",
                           "++1",
                           "+",
                           "-",
                           ".",
                           "e5",
                           "1.2.3",
                           "1_0",
                           "Si",
                           "\xE2\x88\x92"
                           "1",
                           "1\xC2\xA0",
                           "1e400x"}) {
    for (const auto &[name, place] : position) {
      const auto message = refusal(with({{name, text}}));
      EXPECT_TRUE(starts_with(message, "Si.tersoff:2: parameter " + name + " = '")) << message;
      EXPECT_NE(message.find("is not a number"), std::string::npos) << message;
    }
  }
}

TEST(TersoffFile, RefusesNumbersThatAreNotFinite) {
  for (const char *text :
       {"nan", "NaN", "-nan", "nan(1)", "inf", "-inf", "+inf", "INFINITY", "1e400", "-1e400", "1e-400"}) {
    for (const auto &[name, place] : position) {
      const auto message = refusal(with({{name, text}}));
      EXPECT_TRUE(starts_with(message, "Si.tersoff:2: parameter " + name + " = '" + text)) << message;
      EXPECT_NE(message.find("range"), std::string::npos) << message;
    }
  }
}

TEST(TersoffFile, RefusesAnEnergyThatOverflowsInTheUnitsOfTheRun) {
  EXPECT_NO_THROW(read_tersoff_table(with({{"A", "1e308"}}), "Si.tersoff", {"Si"}));
  EXPECT_THROW(read_tersoff_table(with({{"A", "1e308"}}), "Si.tersoff", {"Si"}, 23.060549), PotentialFileError);
}

TEST(TersoffFile, MessagesArePrintableAndShort) {
  const auto hostile = "\x1b[31m" + std::string(100000, 'x');
  for (const auto &message : {refusal(with({{"beta", hostile}})), refusal(joined(silicon) + " " + hostile),
                              refusal(entry(hostile, "Si", "Si"))}) {
    EXPECT_LT(message.size(), 400u);
    EXPECT_NE(message.find("\\x1b[31mxxx"), std::string::npos) << message;
    EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; })) << message;
  }
}

TEST(TersoffFile, ManyElementsAreListedInPart) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += entry("E" + std::to_string(i), "X", "X");
  const auto message = refusal(text);
  EXPECT_NE(message.find("'E0' 'E1' 'E2' 'E3' 'E4' 'E5' 'E6' 'E7' 'E8' 'E9' and more"), std::string::npos) << message;
}

}  // namespace
}  // namespace triad
