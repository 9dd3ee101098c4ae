// Fuzz target of the pair-list reader: any bytes are refused with a message that names file and line, or read to a
// sound list. The first byte of an input chooses the largest atom ID and the format, the rest is the file. To be built
// as fuzz_tersoff_file.cpp says, with src/io/pair_list_file.cpp and src/io/text.cpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "fuzz_target.h"
#include "io/pair_list_file.h"

namespace {

[[noreturn]] void fail(const std::string &fault, const std::string &detail) {
  std::fprintf(stderr, "fuzz_pair_list_file: %s: %s\n", fault.c_str(), detail.c_str());
  std::abort();
}

/// What is wrong with a list that was read; empty if nothing is.
std::string fault_of(const std::vector<triad::ListedPair> &pairs, std::int64_t largest_id, bool springs) {
  if (pairs.empty()) return "no pairs";
  std::set<std::tuple<std::int64_t, std::int64_t, triad::ListedKind>> seen;
  int line = 0;
  for (const triad::ListedPair &p : pairs) {
    if (p.first < 1 || p.second < 1 || p.first > largest_id || p.second > largest_id) return "an ID out of range";
    if (p.first == p.second) return "an atom tied to itself";
    if (!seen.insert({std::min(p.first, p.second), std::max(p.first, p.second), p.constants.kind}).second)
      return "a pair twice";
    for (const double number : p.constants.p)
      if (!std::isfinite(number)) return "a number that is not finite";
    if (springs && (p.constants.p[0] < 0 || p.constants.p[1] < 0)) return "a number out of range";
    if (p.line <= line) return "lines out of order";
    line = p.line;
  }
  return "";
}

}  // namespace

const char *const fuzz_name = "fuzz_pair_list_file";

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> inputs;
  for (const char choice : {'\0', '\1', '\2', '\3', '\4', '\5'})
    for (const char *text :
         {"1 2 3.0 1.5\n2 3 0 0\n# a comment\n\n10 4 1e3 2.5e-1 # another\n",
          "\xEF\xBB\xBF"
          "1\t2\t1\t1\r\n3 4 2 2\r\n",
          "5 6 1 1", "2147483647 1 1 1\n", "1 2 lj 1 1\n2 3 fene 30 1.5 1 1\n1 2 lj/gromacs 1 1 2 3\n", ""})
      inputs.push_back(choice + std::string(text));
  return inputs;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr std::int64_t largest[] = {2147483647, 100, std::numeric_limits<std::int64_t>::max()};
  if (size == 0) return 0;
  const std::int64_t largest_id = largest[data[0] % 3];
  const auto format = data[0] % 6 < 3 ? triad::PairListFormat::Springs : triad::PairListFormat::AnyLaw;
  try {
    const auto pairs =
        triad::read_pair_list({reinterpret_cast<const char *>(data) + 1, size - 1}, "pairs", largest_id, format);
    const std::string fault = fault_of(pairs, largest_id, format == triad::PairListFormat::Springs);
    if (!fault.empty()) fail("an unsound list was read", fault);
  } catch (const triad::PairListError &error) {
    const std::string what = error.what();
    if (what.rfind("pairs", 0) != 0 || what.size() > 500 || what.find('\n') != std::string::npos)
      fail("an unsound message", what);
  }
  return 0;
}
