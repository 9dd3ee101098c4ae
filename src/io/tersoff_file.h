// Reader of Tersoff potential files in the format that the LAMMPS manual describes for pair_style tersoff.
//
// An entry consists of three elements and the numbers of its variant: m gamma lambda3 c d costheta0 n beta lambda2 B R
// D lambda1 A (17 words); tersoff/zbl adds Z_i Z_j ZBLcut ZBLexpscale (21); tersoff/mod has beta alpha h eta beta_ters
// lambda2 B R D lambda1 A n c1 c2 c3 c4 c5 (20), to which tersoff/mod/c adds C (21). An entry starts on a line of its
// own and may continue on further lines. '#' starts a comment, and blank lines are ignored. Files are ASCII text; a
// UTF-8 byte order mark, Windows line ends, tabs, lines of any length and a missing last newline are accepted.
//
// This reader rejects some input that stock LAMMPS accepts, because such input leads to a wrong or undefined number or
// to silently ignored text: words after the last number, hexadecimal, infinite, undefined or underflowing numbers, NUL
// bytes, non-ASCII characters in numbers (stock replaces typographic minus signs and spaces), and a table whose cutoffs
// are all zero; in an entry whose cutoff is not zero, c^2/d^2 that is not finite, and n <= 0 of tersoff/mod if the last
// two elements are the same.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "potentials/tersoff/params.h"

namespace triad {

/// Thrown for every rejected file. what() reads "file:line: what is wrong; what to do", or "file: ..." if the error
/// belongs to no single line, for example a missing entry.
class PotentialFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the text of a potential file and returns the entries of every ordered triplet of `elements`, in the order of
/// `elements`. Element names are compared exactly, so "Si(D)" differs from "Si". Entries that name any other element
/// are skipped without parsing their numbers. Energies (A, B, C) are multiplied by `energy_factor`, which converts the
/// energy unit of the file to that of the run. `filename` is used in messages only. Throws PotentialFileError.
TersoffTable read_tersoff_table(std::string_view text, const std::string &filename,
                                const std::vector<std::string> &elements, double energy_factor = 1.0,
                                TersoffVariant variant = TersoffVariant::Plain);

}  // namespace triad
