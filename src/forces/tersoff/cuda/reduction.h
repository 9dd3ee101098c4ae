// Whether forces are gathered or added by atomic operations, where both are possible.
#pragma once

#include <cstdlib>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "core/precision.h"
#include "core/tuning.h"

namespace triad {
namespace cuda {

/// The reduction that TRIAD_REDUCTION asks for, otherwise tuning::reduction. Throws LoopError.
inline tuning::Reduction chosen_reduction() {
  using tuning::Reduction;
  const char *const variable = std::getenv("TRIAD_REDUCTION");
  const std::string word = variable ? variable : "";
  if (word.empty()) return tuning::reduction;
  if (word == "auto") return Reduction::Auto;
  if (word == "gather") return Reduction::Gather;
  if (word == "atomic") return Reduction::Atomic;
  throw LoopError("TRIAD_REDUCTION is '" + word + "'; set it to gather, atomic or auto, or unset it");
}

/// What decides between both, besides the lengths of rows.
template <class Format>
struct ReductionCase {
  bool two_lists;            ///< atoms at the boundary have a list of their own
  bool hands_over;           ///< lists name ghosts of other arrays, to which the forces are handed over
  bool unknown_owners;       ///< of such ghosts, so that their entries have no reverse entries
  bool cutoffs_of_triplets;  ///< the cutoff of a third atom differs from that of the bond between the two atoms
  double atoms_per_sm;       ///< without ghosts

  /// With a list of boundary atoms, single takes atomic reductions: silicon of 1 M atoms on two H200 57 instead of 73
  /// us per step. So do single and double where forces are handed over to other arrays in a kernel of its own, that is
  /// with few atoms: silicon of 1 M atoms under KOKKOS, one H200, us per step, with two kernels gathered and atomic,
  /// single 276 and 265, double 422 and 405. So do tables with cutoffs of triplets, except many atoms in double: cubic
  /// BN with a third C on one H200, us per step, gathered and atomic, 1 M atoms single 248 and 221, mixed 267 and 263,
  /// double 368 and 403; 32,768 atoms mixed 21.1 and 19.8, double 28.8 and 26.8.
  bool gathering_loses() const {
    constexpr bool single = std::is_same<Format, SingleFormat>::value, mixed = std::is_same<Format, MixedFormat>::value;
    const bool many = atoms_per_sm > tuning::centres_per_sm_of_four_lanes;
    const bool too_few_to_combine = atoms_per_sm < tuning::least_combined_per_sm;
    return unknown_owners || (hands_over && !mixed && too_few_to_combine) ||
           (cutoffs_of_triplets && (single || mixed || !many)) || (two_lists && single);
  }
};

}  // namespace cuda
}  // namespace triad
