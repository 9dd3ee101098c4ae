// Reader of the pair list of fix pairwise/triad harmonic: pairs of bonded atoms with their spring parameters.
//
// A line holds one pair as four words: two atom IDs, the spring constant K and the rest length r0 of V = K (r - r0)^2 /
// 2, in the units of the run. '#' starts a comment, and blank lines are ignored. The file is ASCII text; a UTF-8 byte
// order mark, Windows line ends, tabs and a missing last newline are accepted.
//
// The reader rejects a line with more or fewer words, an ID that is not a positive integer, a pair of an atom with
// itself, a pair that an earlier line gives (in either order), a number that is not finite, a negative K or r0, and a
// file without pairs.
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
  int line;                    ///< line of the file, from 1
};

/// Thrown for every rejected file. what() reads "file:line: what is wrong; what to do".
class PairListError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the text of a pair list; the result has the order of the lines. `filename` is used in messages only;
/// `largest_id` is the largest possible atom ID of the run. Throws PairListError.
std::vector<ListedPair> read_pair_list(std::string_view text, const std::string &filename, std::int64_t largest_id);

}  // namespace triad
