// Reader of the pair list of fix pairwise/triad harmonic: which atoms are tied together, and how.
//
// One pair per line, four words: two atom IDs, the spring constant K and the rest length r0 of V = K (r - r0)^2 / 2, in
// the units of the run. '#' starts a comment, blank lines do not count. ASCII text; a UTF-8 byte order mark, Windows
// line ends, tabs and a missing last newline are accepted.
//
// Refused: a line with more or fewer words, an ID that is not a whole number from 1 on, a pair of an atom with itself,
// a pair that another line gives already (in either order), a number that is not finite, a negative K or r0, and a file
// without pairs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace triad {

struct ListedPair {
  std::int64_t first, second;  ///< atom IDs, as in the file
  double K;                    ///< energy / distance^2
  double r0;                   ///< distance
  int line;                    ///< of the file, from 1
};

/// Thrown for every rejected file. what() reads "file:line: what is wrong; what to do".
class PairListError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the text of a pair list, in the order of its lines. `filename` serves the messages only; `largest_id` is the
/// largest atom ID that the run can have. Throws PairListError.
std::vector<ListedPair> read_pair_list(std::string_view text, const std::string &filename, std::int64_t largest_id);

}  // namespace triad
