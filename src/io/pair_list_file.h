// Reader of the pair lists of fix pairwise/triad: pairs of atoms with the parameters of their law.
//
// Of law harmonic, a line holds one pair as four words: two atom IDs, the spring constant K and the rest length r0 of
// V = K (r - r0)^2 / 2, in the units of the run. Of law listed, a line holds two atom IDs, the name of a law and its
// parameters, as in listed_kinds (potentials/pairwise/law_settings.h). '#' starts a comment, and blank lines are
// ignored. The file is ASCII text; a UTF-8 byte order mark, Windows line ends, tabs and a missing last newline are
// accepted.
//
// The reader rejects a line with more or fewer words, an ID that is not a positive integer, a pair of an atom with
// itself, a pair that an earlier line gives (in either order) with the same law, an unknown law, a number that is not
// finite or out of the range of its parameter, and a file without pairs.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "potentials/pairwise/law_settings.h"

namespace triad {

/// Springs: the lines of law harmonic. AnyLaw: the lines of law listed.
enum class PairListFormat { Springs, AnyLaw };

struct ListedPair {
  std::int64_t first, second;  ///< atom IDs, as in the file
  ListedConstants constants;   ///< `fixed` is true for the laws of bonds, and for all pairs of a list of springs
  int line;                    ///< line of the file, from 1
};

/// Thrown for every rejected file. what() reads "file:line: what is wrong; what to do".
class PairListError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the text of a pair list; the result has the order of the lines. `filename` is used in messages only;
/// `largest_id` is the largest possible atom ID of the run. Throws PairListError.
std::vector<ListedPair> read_pair_list(std::string_view text, const std::string &filename, std::int64_t largest_id,
                                       PairListFormat format = PairListFormat::Springs);

}  // namespace triad
