// What the reader of pair lists accepts, what it refuses, and what it says then.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "io/pair_list_file.h"

namespace triad {
namespace {

constexpr std::int64_t largest = 2147483647;

std::vector<ListedPair> parse(const std::string &text) { return read_pair_list(text, "net.pairs", largest); }

struct Case {
  const char *name;
  std::string text;
  std::string line;               ///< "net.pairs:2: " or "net.pairs: " of the message
  std::vector<std::string> said;  ///< what the message must contain
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }
std::string name_of(const testing::TestParamInfo<Case> &info) { return info.param.name; }

// ---- accepted files

class AcceptedPairList : public testing::TestWithParam<Case> {};

TEST_P(AcceptedPairList, ReadsTheTwoPairs) {
  const auto pairs = parse(GetParam().text);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].first, 7);
  EXPECT_EQ(pairs[0].second, 3);
  EXPECT_EQ(pairs[0].constants.p[0], 1.5);
  EXPECT_EQ(pairs[0].constants.p[1], 0);
  EXPECT_EQ(pairs[1].first, 1);
  EXPECT_EQ(pairs[1].second, largest);
  EXPECT_EQ(pairs[1].constants.p[0], 0);
  EXPECT_EQ(pairs[1].constants.p[1], 2e-3);
}

const Case accepted[] = {
    {"plain", "7 3 1.5 0\n1 2147483647 0 2e-3\n", "", {}},
    {"no_final_newline", "7 3 1.5 0\n1 2147483647 0 2e-3", "", {}},
    {"windows_line_ends", "7 3 1.5 0\r\n1 2147483647 0 2e-3\r\n", "", {}},
    {"byte_order_mark", "\xEF\xBB\xBF# net\n7 3 1.5 0\n1 2147483647 0 2e-3\n", "", {}},
    {"comments_and_blanks", "# a net\n\n \t\n7\t3 +1.5 -0 # spring\n\n1 2147483647 0. .002#x\n#\n", "", {}},
};
INSTANTIATE_TEST_SUITE_P(PairList, AcceptedPairList, testing::ValuesIn(accepted), name_of);

TEST(PairList, KeepsTheLineOfEachPair) {
  const auto pairs = parse("# net\n1 2 1 1\n\n3 2 1 1\n");
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].line, 2);
  EXPECT_EQ(pairs[1].line, 4);
}

TEST(PairList, AcceptsIdsBeyond32BitsWhereTheRunHasThem) {
  const auto pairs = read_pair_list("1 9000000000 1 1", "net.pairs", std::int64_t(1) << 60);
  EXPECT_EQ(pairs.at(0).second, 9000000000);
}

// ---- refused files

class RefusedPairList : public testing::TestWithParam<Case> {};

TEST_P(RefusedPairList, NamesFileLineAndReason) {
  const auto &c = GetParam();
  try {
    parse(c.text);
    ADD_FAILURE() << "accepted:\n" << c.text;
  } catch (const PairListError &error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind(c.line, 0), 0u) << message;
    EXPECT_NE(message.find("; "), std::string::npos) << "says what to do: " << message;
    for (const auto &said : c.said) EXPECT_NE(message.find(said), std::string::npos) << said << " in: " << message;
  }
}

const Case refused[] = {
    {"empty", "", "net.pairs: ", {"no pair"}},
    {"comments_only", "# net\n\n", "net.pairs: ", {"no pair"}},
    {"too_few_words", "1 2 1 1\n3 4 1\n", "net.pairs:2: ", {"3 words", "ID1 ID2 K r0"}},
    {"too_many_words", "1 2 1 1 1\n", "net.pairs:1: ", {"5 words"}},
    {"pair_over_two_lines", "1 2\n1 1\n", "net.pairs:1: ", {"2 words"}},
    {"word_as_id", "1 2 1 1\n\none 2 1 1\n", "net.pairs:3: ", {"atom ID 'one'"}},
    {"fraction_as_id", "1.0 2 1 1\n", "net.pairs:1: ", {"atom ID '1.0'"}},
    {"id_zero", "1 0 1 1\n", "net.pairs:1: ", {"atom ID '0'", "from 1"}},
    {"negative_id", "-1 2 1 1\n", "net.pairs:1: ", {"atom ID '-1'"}},
    {"id_beyond_the_run", "1 2147483648 1 1\n", "net.pairs:1: ", {"'2147483648'", "2147483647"}},
    {"id_beyond_64_bits", "1 99999999999999999999 1 1\n", "net.pairs:1: ", {"atom ID '99999999999999999999'"}},
    {"itself", "1 2 1 1\n5 5 1 1\n", "net.pairs:2: ", {"atom 5", "itself"}},
    {"twice", "1 2 1 1\n3 4 1 1\n1 2 1 1\n", "net.pairs:3: ", {"pair 1 2", "line 1"}},
    {"twice_in_the_other_order", "1 2 1 1\n2 1 1 1\n", "net.pairs:2: ", {"pair 2 1", "line 1"}},
    {"the_first_of_several_repetitions",
     "8 9 1 1\n1 2 1 1\n9 8 1 1\n2 1 1 1\n",
     "net.pairs:3: ",
     {"pair 9 8", "line 1"}},
    {"negative_K", "1 2 -1 1\n", "net.pairs:1: ", {"K = '-1'", "negative"}},
    {"negative_r0", "1 2 1 -1\n", "net.pairs:1: ", {"r0 = '-1'", "negative"}},
    {"word_as_K", "1 2 stiff 1\n", "net.pairs:1: ", {"K = 'stiff'", "not a number"}},
    {"infinite_K", "1 2 inf 1\n", "net.pairs:1: ", {"K = 'inf'", "finite"}},
    {"undefined_r0", "1 2 1 nan\n", "net.pairs:1: ", {"r0 = 'nan'", "finite"}},
    {"overflowing_r0", "1 2 1 1e999\n", "net.pairs:1: ", {"r0 = '1e999'", "double precision"}},
    {"nul_byte", std::string("1 2 1 1\n3 4 1 1\0\n", 17), "net.pairs:2: ", {"NUL"}},
    {"binary", "\x01\x02\xFF\n", "net.pairs:1: ", {"1 words"}},
};
INSTANTIATE_TEST_SUITE_P(PairList, RefusedPairList, testing::ValuesIn(refused), name_of);

// ---- lines with the name of a law

std::vector<ListedPair> parse_any(const std::string &text) {
  return read_pair_list(text, "net.pairs", largest, PairListFormat::AnyLaw);
}

TEST(PairListOfAnyLaw, ReadsEveryLaw) {
  const auto pairs = parse_any(
      "1 2 harmonic 30 1.1\n1 2 coulomb -3 # of the same atoms\n2 3 fene 30 1.5 1 1\n3 4 morse -2 1.5 1\n"
      "4 5 lj 1 1.2\n5 6 lj/gromacs 1 1.2 2 3\n6 7 12-10 0.5 5.5\n");
  ASSERT_EQ(pairs.size(), 7u);
  const ListedKind kinds[] = {ListedKind::Harmonic,   ListedKind::Coulomb,      ListedKind::Fene,
                              ListedKind::Morse,      ListedKind::LennardJones, ListedKind::LjGromacs,
                              ListedKind::Contact1210};
  for (int k = 0; k < 7; ++k) {
    EXPECT_EQ(pairs[k].constants.kind, kinds[k]) << k;
    EXPECT_EQ(pairs[k].constants.fixed, k == 0 || k == 2) << k;
  }
  const ListedConstants &gromacs = pairs[5].constants;
  for (const auto &[found, given] :
       {std::pair(gromacs.p[0], 1.0), {gromacs.p[1], 1.2}, {gromacs.p[2], 2.0}, {gromacs.p[3], 3.0}})
    EXPECT_EQ(found, given);
}

class RefusedListOfAnyLaw : public testing::TestWithParam<Case> {};

TEST_P(RefusedListOfAnyLaw, WithALine) {
  try {
    parse_any(GetParam().text);
    ADD_FAILURE() << "no error";
  } catch (const PairListError &e) {
    const std::string what = e.what();
    EXPECT_EQ(what.rfind(GetParam().line, 0), 0u) << what;
    for (const std::string &said : GetParam().said) EXPECT_NE(what.find(said), std::string::npos) << what;
  }
}
const Case refused_of_any_law[] = {
    {"no_law", "1 2\n", "net.pairs:1: ", {"2 words", "ID1 ID2 law"}},
    {"spring_without_law", "1 2 3.0 1.0\n", "net.pairs:1: ", {"law '3.0' is unknown", "harmonic, fene, morse"}},
    {"unknown_law", "1 2 lj 1 1\n2 3 ljx 1 1\n", "net.pairs:2: ", {"law 'ljx'"}},
    {"too_many_parameters", "1 2 coulomb 1 1\n", "net.pairs:1: ", {"5 words", "ID1 ID2 coulomb c"}},
    {"too_few_parameters", "1 2 fene 1 1\n", "net.pairs:1: ", {"ID1 ID2 fene K R0 epsilon sigma"}},
    {"negative_sigma", "1 2 lj 1 -1\n", "net.pairs:1: ", {"sigma of law lj = '-1'", "negative"}},
    {"no_R0", "1 2 fene 1 0 1 1\n", "net.pairs:1: ", {"R0 of law fene", "greater than zero"}},
    {"inner_beyond_outer", "1 2 lj/gromacs 1 1 3 2\n", "net.pairs:1: ", {"inner < outer"}},
    {"not_a_number", "1 2 12-10 1 long\n", "net.pairs:1: ", {"sigma of law 12-10", "'long'"}},
    {"same_law_twice", "1 2 lj 1 1\n3 4 lj 1 1\n2 1 lj 1 2\n", "net.pairs:3: ", {"line 1"}},
    {"empty", "# nothing\n", "net.pairs: ", {"no pair", "ID1 ID2 law"}},
};
INSTANTIATE_TEST_SUITE_P(PairList, RefusedListOfAnyLaw, testing::ValuesIn(refused_of_any_law), name_of);

}  // namespace
}  // namespace triad
