#include "io/pair_list_file.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "io/text.h"

namespace triad {
namespace {

using text::quoted;
using text::reject;
using text::Word;

constexpr const char *line_of_spring = "ID1 ID2 K r0", *line_of_law = "ID1 ID2 law parameters";

std::int64_t parse_id(const Word &word, std::int64_t largest, const char *form) {
  std::int64_t id = 0;
  const char *const end = word.text.data() + word.text.size();
  const auto [stop, error] = std::from_chars(word.text.data(), end, id);
  if (error != std::errc() || stop != end || id < 1 || id > largest)
    reject(word.line, "atom ID " + quoted(word.text) + " is not a whole number from 1 to " + std::to_string(largest) +
                          "; a line is: " + form);
  return id;
}

/// Returns "ID1 ID2 lj epsilon sigma".
std::string form_of(const ListedKindInfo &info) {
  std::string form = std::string("ID1 ID2 ") + info.name;
  for (int k = 0; k < info.n; ++k) form += std::string(" ") + info.parameter[k];
  return form;
}

const ListedKindInfo &parse_kind(const Word &word) {
  std::string known;
  for (const ListedKindInfo &info : listed_kinds) {
    if (word.text == info.name) return info;
    known += (known.empty() ? "" : ", ") + std::string(info.name);
  }
  reject(word.line, "law " + quoted(word.text) + " is unknown; give one of " + known);
}

/// Parses the parameters of a law from words[first] on.
ListedConstants parse_constants(const text::Words &words, std::size_t first, const ListedKindInfo &info) {
  const bool spring = first == 2;
  ListedConstants constants = {{0, 0, 0, 0}, info.kind, info.bond};
  for (int k = 0; k < info.n; ++k) {
    const Word &word = words[first + k];
    const std::string what = spring ? std::string(k == 0 ? "spring constant " : "rest length ") + info.parameter[k]
                                    : std::string(info.parameter[k]) + " of law " + info.name;
    const double value = constants.p[k] = text::parse_number(what, word);
    if (value < 0 && (info.not_negative >> k & 1))
      reject(word.line, what + " = " + quoted(word.text) + " is negative; give zero or more");
    if (!(value > 0) && (info.positive >> k & 1))
      reject(word.line, what + " = " + quoted(word.text) + " is not positive; give a number greater than zero");
  }
  if (info.kind == ListedKind::LjGromacs && !(constants.p[2] < constants.p[3]))
    reject(words[first].line, "inner is not less than outer; law lj/gromacs needs inner < outer");
  return constants;
}

ListedPair parse_pair(const text::Words &words, std::int64_t largest_id, PairListFormat format) {
  const int line = words.front().line;
  const bool spring = format == PairListFormat::Springs;
  const auto check_count = [&](std::size_t n, const std::string &form) {
    if (words.size() != n)
      reject(line, "the line has " + std::to_string(words.size()) + " words where a pair has " + std::to_string(n) +
                       "; write " + form + ", one pair per line");
  };
  if (!spring && words.size() < 3) check_count(4, line_of_law);
  const ListedKindInfo &info = spring ? listed_kinds[0] : parse_kind(words[2]);
  const std::size_t first = spring ? 2 : 3;
  check_count(first + info.n, spring ? line_of_spring : form_of(info));
  ListedPair pair;
  pair.first = parse_id(words[0], largest_id, spring ? line_of_spring : line_of_law);
  pair.second = parse_id(words[1], largest_id, spring ? line_of_spring : line_of_law);
  if (pair.first == pair.second)
    reject(line, "atom " + std::to_string(pair.first) + " is paired with itself; give two different atom IDs");
  pair.constants = parse_constants(words, first, info);
  pair.line = line;
  return pair;
}

/// Rejects the second line that gives the same pair with the same law.
void check_distinct(const std::vector<ListedPair> &pairs) {
  const auto key = [](const ListedPair &p) {
    return std::make_tuple(std::min(p.first, p.second), std::max(p.first, p.second), p.constants.kind, p.line);
  };
  auto sorted = pairs;
  std::sort(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
  const ListedPair *again = nullptr, *before = nullptr;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const ListedPair &a = sorted[i - 1], &b = sorted[i];
    if (std::minmax(a.first, a.second) != std::minmax(b.first, b.second)) continue;
    if (a.constants.kind != b.constants.kind) continue;
    if (again && again->line < b.line) continue;
    before = &a;
    again = &b;
  }
  if (again)
    reject(again->line, "the pair " + std::to_string(again->first) + ' ' + std::to_string(again->second) +
                            " was given on line " + std::to_string(before->line) + " already; remove one of them");
}

std::vector<ListedPair> parse(std::string_view text, std::int64_t largest_id, PairListFormat format) {
  std::vector<ListedPair> pairs;
  text::Words words;
  for (text::Lines lines(text); lines.append_next(words); words.clear())
    if (!words.empty()) pairs.push_back(parse_pair(words, largest_id, format));
  if (pairs.empty())
    reject(0, std::string("there is no pair in the file; write ") +
                  (format == PairListFormat::Springs ? line_of_spring : line_of_law) + ", one pair per line");
  check_distinct(pairs);
  return pairs;
}

}  // namespace

std::vector<ListedPair> read_pair_list(std::string_view text, const std::string &filename, std::int64_t largest_id,
                                       PairListFormat format) {
  try {
    return parse(text, largest_id, format);
  } catch (const text::Fault &fault) {
    throw PairListError(text::located(filename, fault));
  }
}

}  // namespace triad
