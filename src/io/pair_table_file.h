// Reader of table files in the format of LAMMPS's pair_style table.
//
// A file has sections. The first line of a section begins with its keyword. The next line has parameters: N and the
// number of points, and optionally R, RSQ or BITMAP with the first and the last distance, and FPRIME with the
// derivatives of the force at both ends. N lines follow: number, distance, energy, force. '#' starts a comment, and
// blank lines are ignored. With R, RSQ or BITMAP the distances follow from the parameters, and those of the lines are
// ignored. The lines of a BITMAP section are in the order of the bits (Pair::init_bitmap); the reader sorts them by
// distance.
//
// The reader rejects a file without the section, a number that is not finite, distances that are not positive and
// ascending, a section with less than two or less than N points, and BITMAP with an N that is not the size of a grid.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "potentials/pairwise/pair_table.h"

namespace triad {

/// Thrown for every rejected file. what() reads "file:line: what is wrong; what to do".
class PairTableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses a section of the text of a table file. `filename` is used in messages only. Throws PairTableError.
PairTable read_pair_table(std::string_view text, const std::string &filename, const std::string &section);

}  // namespace triad
