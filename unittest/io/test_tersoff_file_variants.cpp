// The reader on the format of each variant: which numbers it takes, what it calls them, and what it refuses.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tersoff_formats.h"

namespace triad {
namespace {

class Variants : public testing::TestWithParam<Format> {
 protected:
  const Format &format = GetParam();

  TersoffTable parse(const std::string &text, const Words &elements = {"Si"}, double energy_factor = 1) const {
    return read_tersoff_table(text, format.file, elements, energy_factor, format.variant);
  }
  TersoffEntry parse(const Words &entry, double energy_factor = 1) const {
    return parse(joined(entry), {"Si"}, energy_factor).at(0, 0, 0);
  }
  /// The message with which a text is refused; empty, and a failure, if it is accepted.
  std::string refusal(const std::string &text, const Words &elements = {"Si"}) const {
    try {
      parse(text, elements);
    } catch (const PotentialFileError &error) {
      EXPECT_EQ(fault_of(error.what(), format.file), "") << error.what();
      return error.what();
    }
    ADD_FAILURE() << "accepted:\n" << text;
    return {};
  }
  void expect_refusal(const std::string &text, const Words &said, const Words &elements = {"Si"}) const {
    const auto message = refusal(text, elements);
    for (const auto &part : said) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  }
  /// The entries of two elements, of which (Si C k) has other numbers.
  std::string two_elements_with(Words entry, const std::string &k) const {
    Words sound = format.sound;
    sound[0] = entry[0] = "Si", sound[1] = entry[1] = "C", sound[2] = entry[2] = k;
    std::string text = format.all_of_two_elements();
    return text.replace(text.find(joined(sound)), joined(sound).size(), joined(entry));
  }
  std::string number(std::size_t n) const { return std::to_string(n); }
};

INSTANTIATE_TEST_SUITE_P(TersoffFile, Variants, testing::ValuesIn(formats()), testing::PrintToStringParamName());

TEST_P(Variants, HaveTheirNumberOfWords) {
  const std::size_t expected[] = {17, 20, 21, 21};
  EXPECT_EQ(format.words(), expected[int(format.variant)]);
  EXPECT_EQ(format.sound.size(), format.words());
}

TEST_P(Variants, ReadEveryNumberInItsPlace) {
  const auto entry = parse(format.sound);
  for (std::size_t i = 0; i < format.fields.size(); ++i)
    EXPECT_EQ(entry.*format.fields[i].value, std::strtod(format.sound[3 + i].c_str(), nullptr))
        << format.fields[i].name;
  EXPECT_EQ(parse(joined(format.sound)).variant, format.variant);
}

TEST_P(Variants, ReadAnEntryOnAnyNumberOfLines) {
  const auto spread = parse("# comment\n" + joined(format.sound, " # comment\n") + "\n").at(0, 0, 0);
  EXPECT_EQ(spread.line, 2);
  for (const auto &field : format.fields)
    EXPECT_EQ(spread.*field.value, parse(format.sound).*field.value) << field.name;
}

TEST_P(Variants, ConvertEnergiesOnly) {
  const double factor = 23.060549;
  const auto before = parse(format.sound), after = parse(format.sound, factor);
  for (const auto &field : format.fields) {
    const double expected = before.*field.value * (Format::lists(format.energies, field.name) ? factor : 1);
    EXPECT_EQ(after.*field.value, expected) << field.name;
  }
}

TEST_P(Variants, RefuseAnEnergyThatOverflowsWhenConverted) {
  for (const auto &name : format.energies) {
    EXPECT_NO_THROW(parse(format.with(name, "1e308")));
    EXPECT_THROW(parse(format.with(name, "1e308"), 23.060549), PotentialFileError) << name;
  }
}

TEST_P(Variants, AcceptNegativeNumbersWhereTheyMeanSomething) {
  for (const auto &field : format.fields) {
    if (field.name == format.of_pairs) continue;
    const auto entry = format.with(field.name, "-0.25");
    if (Format::lists(format.any_sign, field.name))
      EXPECT_EQ(parse(entry).*field.value, -0.25) << field.name;
    else
      expect_refusal("#\n" + joined(entry), {format.file + ":2: parameter " + field.name + " = '-0.25'"});
  }
}

TEST_P(Variants, AcceptZeroWhereItMeansSomething) {
  for (const auto &field : format.fields) {
    if (field.name == format.of_pairs || field.name == "R") continue;  // R: D > R
    const auto entry = format.with(field.name, "0");
    if (Format::lists(format.not_zero, field.name) || field.name == format.exponent)
      expect_refusal("#\n" + joined(entry), {format.file + ":2: parameter " + field.name + " = '0'"});
    else
      EXPECT_EQ(parse(entry).*field.value, 0) << field.name;
  }
}

TEST_P(Variants, RefuseAnExponentOtherThanOneAndThree) {
  const auto &name = format.fields[0].name;
  for (const char *text : {"1", "1.0", "3", "3.00000000"}) EXPECT_NO_THROW(parse(format.with(name, text))) << text;
  for (const char *text : {"2", "-1", "0", "3.0001", "1e20"})
    expect_refusal(joined(format.with(name, text)), {":1: parameter " + name + " = '" + text + "'", "1 or 3"});
}

TEST_P(Variants, RefuseATaperWiderThanItsCentre) {
  Words entry = format.with("D", "2.5");
  entry[format.place("R")] = "2.25";
  expect_refusal(joined(entry), {":1: parameter D = '2.5'", "R = '2.25'", "D <= R"});
}

TEST_P(Variants, NameTheMissingNumber) {
  for (std::size_t words = 3; words < format.words(); ++words) {
    const Words part(format.sound.begin(), format.sound.begin() + words);
    expect_refusal("#\n" + joined(part) + "\n",
                   {format.file + ":2:", number(words) + " of " + number(format.words()) + " words",
                    "add " + format.fields[words - 3].name + " "});
  }
}

TEST_P(Variants, RefuseSurplusWords) {
  expect_refusal(
      joined(format.sound) + " 7",
      {":1:", "has " + number(format.words() + 1) + " words where an entry has " + number(format.words()), "'7'"});
}

TEST_P(Variants, RefuseTheFormatOfAnotherVariant) {
  for (const auto &other : formats())
    if (other.words() != format.words()) {
      EXPECT_THROW(parse(joined(other.sound)), PotentialFileError) << other.name;
      EXPECT_THROW(parse(joined(other.sound, "\n")), PotentialFileError) << other.name;
    }
}

TEST_P(Variants, RefuseWhatIsNotANumberByItsName) {
  for (const auto &field : format.fields) {
    for (const char *text : {"x", "0x10", "1,5", "1.0d0", "--1", "1e", "Si"})
      expect_refusal(joined(format.with(field.name, text)),
                     {":1: parameter " + field.name + " = '" + text + "'", "is not a number"});
    for (const char *text : {"nan", "inf", "-inf", "1e400", "1e-400"})
      expect_refusal(joined(format.with(field.name, text)),
                     {":1: parameter " + field.name + " = '" + text + "'", "range"});
  }
}

TEST_P(Variants, NeedEveryTripletOnce) {
  const auto text = format.all_of_two_elements();
  EXPECT_EQ(parse(text, {"C", "Si"}).triplets.size(), 8u);
  expect_refusal(text.substr(0, text.rfind("C C C")), {format.file + ": no entry for C C C"}, {"Si", "C"});
  expect_refusal(text + joined(format.sound), {format.file + ":10: second entry for Si Si Si", "line 2"}, {"Si", "C"});
}

/// Entries of a pair give the bond order, whose exponent is -1/2n; in the others stock ignores n.
TEST_P(Variants, NeedAnOuterExponentForPairsOnly) {
  if (format.of_pairs.empty()) return;
  for (const char *text : {"0", "-1"}) {
    const Words entry = format.with(format.of_pairs, text);
    expect_refusal("#\n" + joined(entry), {":2: parameter n = '" + std::string(text) + "'", "n > 0"});
    EXPECT_NO_THROW(parse(two_elements_with(entry, "Si"), {"Si", "C"}));
    expect_refusal(two_elements_with(entry, "C"), {"parameter n = '" + std::string(text) + "'"}, {"Si", "C"});
  }
}

/// With an exponent of zero, stock computes zeta^0 = 1 for a bond without third neighbours.
TEST_P(Variants, NeedAnExponentForPairsWithAttractionOnly) {
  for (const char *text : {"0", "0.0", "-0", "0e5"}) {
    Words entry = format.with(format.exponent, text);
    const std::string said = "parameter " + format.exponent + " = '" + text + "'";
    expect_refusal("#\n" + joined(entry), {":2: " + said, "give " + format.exponent + " > 0"});
    EXPECT_NO_THROW(parse(two_elements_with(entry, "Si"), {"Si", "C"}));
    expect_refusal(two_elements_with(entry, "C"), {said}, {"Si", "C"});
    entry[format.place("B")] = "0";
    EXPECT_EQ(parse(entry).n, 0);
    entry = format.with(format.exponent, text);
    entry[format.place("R")] = entry[format.place("D")] = "0";
    EXPECT_NO_THROW(parse(two_elements_with(entry, "C"), {"Si", "C"})) << "no bond";
  }
}

/// c^2/d^2 is a matter of the angle of 1988 only.
TEST(ModVariants, HaveNoCAndD) {
  for (const auto &format : formats())
    if (format.variant == TersoffVariant::Mod || format.variant == TersoffVariant::ModC) {
      const auto e = read_tersoff_table(joined(format.sound), format.file, {"Si"}, 1, format.variant).at(0, 0, 0);
      EXPECT_EQ(e.c, 0);
      EXPECT_EQ(e.d, 0);
      EXPECT_EQ(e.gamma, 1);
    }
}

TEST(ZblVariant, RefusesChargeNumbersBelowOne) {
  const auto zbl = formats().back();
  for (const char *name : {"Z_i", "Z_j"}) {
    const auto read = [&](const char *text) {
      return read_tersoff_table(joined(zbl.with(name, text)), zbl.file, {"Si"}, 1, zbl.variant).at(0, 0, 0);
    };
    EXPECT_NO_THROW(read("1"));
    EXPECT_NO_THROW(read("92.5"));
    for (const char *text : {"0.99", "0", "-14"}) EXPECT_THROW(read(text), PotentialFileError) << name << text;
  }
}

}  // namespace
}  // namespace triad
