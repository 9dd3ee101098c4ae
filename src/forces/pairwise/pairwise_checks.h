// Checks that both backends make before and after they compute pair forces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "forces/pairwise/pair_geometry.h"
#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// Throws LoopError for settings that do not define a force.
void check_pairwise_setup(const PairwiseSetup &setup);

/// Throws std::logic_error if an array that the setup requires is null.
void check_pair_arrays(const PairwiseSetup &setup, const PairAtomsView &atoms);

/// Calls check_pair_arrays(), and throws LoopError if a type has no coefficients.
void check_pair_atoms(const PairwiseSetup &setup, const PairAtomsView &atoms);

/// Throws the error for a force on `atom` that is not finite: CoincidentAtoms if an interacting atom is at the same
/// position, otherwise LoopError with the distance of the nearest interacting atom.
[[noreturn]] void throw_bad_pair_force(const PairwiseSetup &setup, const PairAtomsView &atoms, int atom);

/// The minimum and the maximum strength of atoms; zeros without strengths or atoms.
struct StrengthRange {
  double least, most;

  /// The strength that all atoms have in common, or 0 if strengths differ.
  double common() const { return least == most ? most : 0; }
  /// A power of two between minimum and maximum, or 1 unless all strengths are positive.
  double unit() const { return least > 0 ? std::exp2(std::round(0.5 * (std::log2(least) + std::log2(most)))) : 1; }
  /// True if all strengths are positive and the maximum is at most `ratio` times the minimum.
  bool within(double ratio) const { return least > 0 && most <= ratio * least; }
};
inline StrengthRange strengths_of(const PairAtomsView &atoms) {
  if (!atoms.strength || atoms.n == 0) return {0, 0};
  const auto ends = std::minmax_element(atoms.strength, atoms.strength + atoms.n);
  return {*ends.first, *ends.second};
}

/// The items [first, last) that one of several ranks computes.
struct ItemRange {
  std::int64_t first, last;
};
inline ItemRange items_of(const RankSlice &slice, std::int64_t total) {
  const std::int64_t each = total / slice.count, rest = total % slice.count;
  const auto start = [&](int k) { return k * each + std::min<std::int64_t>(k, rest); };
  return {start(slice.index), start(slice.index + 1)};
}

}  // namespace triad
