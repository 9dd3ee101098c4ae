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

constexpr std::size_t n_words = 4;

std::int64_t parse_id(const Word &word, std::int64_t largest) {
  std::int64_t id = 0;
  const char *const end = word.text.data() + word.text.size();
  const auto [stop, error] = std::from_chars(word.text.data(), end, id);
  if (error != std::errc() || stop != end || id < 1 || id > largest)
    reject(word.line, "atom ID " + quoted(word.text) + " is not a whole number from 1 to " + std::to_string(largest) +
                          "; a line is: ID1 ID2 K r0");
  return id;
}

double parse_not_negative(const char *what, const Word &word) {
  const double value = text::parse_number(what, word);
  if (value < 0) reject(word.line, std::string(what) + " = " + quoted(word.text) + " is negative; give zero or more");
  return value;
}

ListedPair parse_pair(const text::Words &words, std::int64_t largest_id) {
  const int line = words.front().line;
  if (words.size() != n_words)
    reject(line, "the line has " + std::to_string(words.size()) +
                     " words where a pair has 4; write ID1 ID2 K r0, one pair per line");
  ListedPair pair;
  pair.first = parse_id(words[0], largest_id);
  pair.second = parse_id(words[1], largest_id);
  if (pair.first == pair.second)
    reject(line, "atom " + std::to_string(pair.first) + " is paired with itself; give two different atom IDs");
  pair.K = parse_not_negative("spring constant K", words[2]);
  pair.r0 = parse_not_negative("rest length r0", words[3]);
  pair.line = line;
  return pair;
}

/// Rejects the second line that gives the same pair.
void check_distinct(const std::vector<ListedPair> &pairs) {
  const auto key = [](const ListedPair &p) {
    return std::make_tuple(std::min(p.first, p.second), std::max(p.first, p.second), p.line);
  };
  auto sorted = pairs;
  std::sort(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
  const ListedPair *again = nullptr, *before = nullptr;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const ListedPair &a = sorted[i - 1], &b = sorted[i];
    if (std::minmax(a.first, a.second) != std::minmax(b.first, b.second)) continue;
    if (again && again->line < b.line) continue;
    before = &a;
    again = &b;
  }
  if (again)
    reject(again->line, "the pair " + std::to_string(again->first) + ' ' + std::to_string(again->second) +
                            " was given on line " + std::to_string(before->line) + " already; remove one of them");
}

std::vector<ListedPair> parse(std::string_view text, std::int64_t largest_id) {
  std::vector<ListedPair> pairs;
  text::Words words;
  for (text::Lines lines(text); lines.append_next(words); words.clear())
    if (!words.empty()) pairs.push_back(parse_pair(words, largest_id));
  if (pairs.empty()) reject(0, "there is no pair in the file; write ID1 ID2 K r0, one pair per line");
  check_distinct(pairs);
  return pairs;
}

}  // namespace

std::vector<ListedPair> read_pair_list(std::string_view text, const std::string &filename, std::int64_t largest_id) {
  try {
    return parse(text, largest_id);
  } catch (const text::Fault &fault) {
    throw PairListError(text::located(filename, fault));
  }
}

}  // namespace triad
