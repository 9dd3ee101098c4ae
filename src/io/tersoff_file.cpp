#include "io/tersoff_file.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "io/text.h"

namespace triad {
namespace {

/// Range that stock LAMMPS requires of a number; `energy` and `signed_energy` are in units of energy.
enum class Kind { unrestricted, not_negative, at_least_one, energy, signed_energy, exponent };

struct Field {
  const char *name;  ///< as in the LAMMPS manual
  double TersoffEntry::*value;
  Kind kind;
};
using Fields = std::vector<Field>;

// The numbers of an entry in file order, after the three elements: those of the bond order first, then these.
const Fields pair_fields = {
    {"lambda2", &TersoffEntry::lam2, Kind::not_negative}, {"B", &TersoffEntry::B, Kind::energy},
    {"R", &TersoffEntry::R, Kind::not_negative},          {"D", &TersoffEntry::D, Kind::not_negative},
    {"lambda1", &TersoffEntry::lam1, Kind::not_negative}, {"A", &TersoffEntry::A, Kind::energy},
};
const Fields plain_fields = {
    {"m", &TersoffEntry::m, Kind::exponent},
    {"gamma", &TersoffEntry::gamma, Kind::not_negative},
    {"lambda3", &TersoffEntry::lam3, Kind::unrestricted},
    {"c", &TersoffEntry::c, Kind::not_negative},
    {"d", &TersoffEntry::d, Kind::not_negative},
    {"costheta0", &TersoffEntry::costheta0, Kind::unrestricted},
    {"n", &TersoffEntry::n, Kind::not_negative},
    {"beta", &TersoffEntry::beta, Kind::not_negative},
};
const Fields zbl_extra = {
    {"Z_i", &TersoffEntry::Z_i, Kind::at_least_one},
    {"Z_j", &TersoffEntry::Z_j, Kind::at_least_one},
    {"ZBLcut", &TersoffEntry::zbl_cut, Kind::not_negative},
    {"ZBLexpscale", &TersoffEntry::zbl_scale, Kind::not_negative},
};
const Fields mod_fields = {
    {"beta", &TersoffEntry::m, Kind::exponent},
    {"alpha", &TersoffEntry::lam3, Kind::unrestricted},
    {"h", &TersoffEntry::costheta0, Kind::unrestricted},
    {"eta", &TersoffEntry::n, Kind::not_negative},
    {"beta_ters", &TersoffEntry::beta, Kind::not_negative},
};
const Fields mod_extra = {
    {"n", &TersoffEntry::n_outer, Kind::unrestricted}, {"c1", &TersoffEntry::c1, Kind::unrestricted},
    {"c2", &TersoffEntry::c2, Kind::unrestricted},     {"c3", &TersoffEntry::c3, Kind::unrestricted},
    {"c4", &TersoffEntry::c4, Kind::unrestricted},     {"c5", &TersoffEntry::c5, Kind::unrestricted},
};
const Fields modc_extra = {{"C", &TersoffEntry::c0, Kind::signed_energy}};

constexpr std::size_t n_names = 3;

/// Order of the numbers in an entry of one variant.
class Layout {
 public:
  explicit Layout(TersoffVariant variant) {
    const bool mod = variant == TersoffVariant::Mod || variant == TersoffVariant::ModC;
    append(mod ? mod_fields : plain_fields);
    append(pair_fields);
    if (mod) append(mod_extra);
    if (variant == TersoffVariant::ModC) append(modc_extra);
    if (variant == TersoffVariant::Zbl) append(zbl_extra);
  }
  std::size_t words() const { return n_names + fields_.size(); }
  const Field &field(std::size_t word) const { return fields_[word - n_names]; }
  /// Index of a number among the words of an entry, 0 if the variant does not have the number.
  std::size_t word_of(double TersoffEntry::*value) const {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (fields_[i].value == value) return n_names + i;
    return 0;
  }

 private:
  void append(const Fields &more) { fields_.insert(fields_.end(), more.begin(), more.end()); }
  Fields fields_;
};

using text::quoted;
using text::reject;
using text::Word;
using EntryWords = text::Words;

constexpr const char *other_file = "or name a file for this pair style";  // one for tersoff/mod has longer entries

[[noreturn]] void reject_surplus(const EntryWords &words, const Layout &layout) {
  const int first = words.front().line, last = words.back().line;
  const auto count = std::to_string(words.size()), wanted = std::to_string(layout.words());
  if (first == last)
    reject(first, "the line has " + count + " words where an entry has " + wanted + ", the first extra word is " +
                      quoted(words[layout.words()].text) +
                      "; start each entry on a line of its own and put '#' before comments, " + other_file);
  reject(first, "the entry that starts here has " + count + " words by the end of line " + std::to_string(last) +
                    " where " + wanted +
                    " are expected; add the missing number or remove the extra one, and put '#' before comments, " +
                    other_file);
}

[[noreturn]] void reject_short(const EntryWords &words, const Layout &layout) {
  const auto next = words.size();
  const auto missing = next < n_names ? "element " + std::to_string(next + 1) : layout.field(next).name;
  reject(words.front().line, "the last entry ends after " + std::to_string(next) + " of " +
                                 std::to_string(layout.words()) + " words; add " + missing + " and what follows it, " +
                                 other_file);
}

/// Groups the words of the file into entries. As in stock an entry ends with the line that holds its last word.
std::vector<EntryWords> split_entries(std::string_view text, const Layout &layout) {
  std::vector<EntryWords> entries;
  EntryWords words;
  for (text::Lines lines(text); lines.append_next(words);) {
    if (words.size() > layout.words()) reject_surplus(words, layout);
    if (words.size() == layout.words()) entries.push_back(std::exchange(words, {}));
  }
  if (!words.empty()) reject_short(words, layout);
  return entries;
}

std::string parameter(const Field &field, const Word &word) {
  return std::string("parameter ") + field.name + " = " + quoted(word.text);
}

void check_number(const Field &field, const Word &word, double value) {
  const auto refuse = [&](const char *reason) { reject(word.line, parameter(field, word) + reason); };
  switch (field.kind) {
    case Kind::unrestricted:
    case Kind::signed_energy:
      break;
    case Kind::exponent:
      if (value != 1 && value != 3) refuse(" is not supported; it must be 1 or 3");
      break;
    case Kind::at_least_one:
      if (value < 1) refuse(" is below 1; it is the charge number of a nucleus");
      break;
    default:
      if (value < 0) refuse(" is negative; it must be zero or positive");
  }
}

/// Conditions that involve two fields of an entry.
void check_entry(const TersoffEntry &entry, const EntryWords &words, const Layout &layout) {
  const auto named = [&](std::size_t word) { return parameter(layout.field(word), words[word]); };
  const std::size_t D = layout.word_of(&TersoffEntry::D), d = layout.word_of(&TersoffEntry::d);
  if (entry.D > entry.R)
    reject(words[D].line, named(D) + " is larger than R = " + quoted(words[D - 1].text) +
                              "; the cutoff tapers from R - D to R + D, so give D <= R");
  const double d2 = entry.d * entry.d;
  const bool acts = entry.cutoff() > 0;
  if (acts && d != 0 && (!std::isfinite(d2) || !std::isfinite(entry.c * entry.c / d2)))
    reject(
        words[d].line,
        named(d) + " with c = " + quoted(words[d - 1].text) +
            " makes c^2/d^2, and with it g(theta), undefined; give d a positive value of ordinary size (with c = 0 the"
            " angle does not matter)");
  const std::size_t n = layout.word_of(&TersoffEntry::n_outer);
  const bool of_pair = words[1].text == words[2].text;  // only these entries give a bond order
  if (acts && n != 0 && of_pair && !(entry.n_outer > 0))
    reject(words[n].line, named(n) + " is not positive; the exponent -1/(2n) of the bond order needs n > 0");
  const std::size_t inner = layout.word_of(&TersoffEntry::n);
  if (acts && of_pair && entry.B != 0 && entry.n == 0)
    reject(words[inner].line, named(inner) + " is zero, which leaves the bond order undefined; give " +
                                  layout.field(inner).name + " > 0, or B = 0 for a bond without attraction");
}

TersoffEntry parse_entry(const EntryWords &words, const Layout &layout, double energy_factor) {
  TersoffEntry entry;
  entry.line = words.front().line;
  for (std::size_t i = 0; i < n_names; ++i) entry.element[i] = words[i].text;
  for (std::size_t i = n_names; i < layout.words(); ++i) {
    const Field &field = layout.field(i);
    const bool is_energy = field.kind == Kind::energy || field.kind == Kind::signed_energy;
    const double value =
        text::parse_number(std::string("parameter ") + field.name, words[i], is_energy ? energy_factor : 1.0);
    check_number(field, words[i], value);
    entry.*field.value = value;
  }
  check_entry(entry, words, layout);
  if (!(entry.cutoff() > 0)) {  // numbers that are used for no distance, but must not be undefined
    if (entry.d == 0) entry.d = 1;
    if (entry.n_outer == 0) entry.n_outer = 1;
  }
  return entry;
}

/// Index of an entry in the table; none if the entry names an element that is not in use.
std::optional<std::size_t> triplet_index(const EntryWords &words, const std::vector<std::string> &elements) {
  std::size_t index = 0;
  for (std::size_t i = 0; i < n_names; ++i) {
    const auto element = std::find(elements.begin(), elements.end(), words[i].text);
    if (element == elements.end()) return std::nullopt;
    index = index * elements.size() + std::distance(elements.begin(), element);
  }
  return index;
}

std::string joined(const std::string &a, const std::string &b, const std::string &c) { return a + ' ' + b + ' ' + c; }

/// First elements of the entries of a file, for the message about a missing entry.
std::string list_elements(const std::vector<EntryWords> &entries) {
  constexpr std::size_t most = 10;
  std::vector<std::string_view> names;
  for (const auto &words : entries)
    if (std::find(names.begin(), names.end(), words[0].text) == names.end() && names.size() <= most)
      names.push_back(words[0].text);
  if (names.empty()) return "the file has no entries";
  std::string list = "the file has entries for";
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) list += ' ' + quoted(names[i]);
  return list + (names.size() > most ? " and more" : "");
}

void check_complete(const TersoffTable &table, const std::vector<EntryWords> &entries) {
  std::string first;
  std::size_t count = 0;
  for (std::size_t t = 0; t < table.triplets.size(); ++t) {
    const auto &names = table.elements;
    const auto n = names.size();
    if (table.triplets[t].line == 0 && count++ == 0) first = joined(names[t / n / n], names[t / n % n], names[t % n]);
  }
  if (count == 0) return;
  reject(0, "no entry for " + first + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") + " (" +
                list_elements(entries) + "); add an entry for every ordered triplet of the elements in use, or use a " +
                "file that has them");
}

void check_elements(const std::vector<std::string> &elements) {
  if (elements.empty()) reject(0, "no elements to look up; map at least one atom type to an element");
  for (auto e = elements.begin(); e != elements.end(); ++e)
    if (std::find(elements.begin(), e, *e) != e)
      reject(0, "element " + *e + " is listed twice; list every element in use once");
}

TersoffTable build_table(std::string_view text, const std::vector<std::string> &elements, double energy_factor,
                         TersoffVariant variant) {
  check_elements(elements);
  const Layout layout(variant);
  const auto entries = split_entries(text, layout);
  TersoffTable table;
  table.variant = variant;
  table.elements = elements;
  table.triplets.resize(elements.size() * elements.size() * elements.size());
  for (const auto &words : entries) {
    const auto index = triplet_index(words, elements);
    if (!index) continue;
    auto &triplet = table.triplets[*index];
    if (triplet.line != 0)
      reject(words.front().line, "second entry for " +
                                     joined(triplet.element[0], triplet.element[1], triplet.element[2]) +
                                     ", the first is on line " + std::to_string(triplet.line) + "; remove one of them");
    triplet = parse_entry(words, layout, energy_factor);
  }
  check_complete(table, entries);
  if (!(table.cutmax() > 0))
    reject(0, "all cutoffs R + D are zero, so no atoms would interact; give R > 0 in at least one entry");
  return table;
}

}  // namespace

TersoffTable read_tersoff_table(std::string_view text, const std::string &filename,
                                const std::vector<std::string> &elements, double energy_factor,
                                TersoffVariant variant) {
  try {
    return build_table(text, elements, energy_factor, variant);
  } catch (const text::Fault &fault) {
    throw PotentialFileError(text::located(filename, fault));
  }
}

}  // namespace triad
