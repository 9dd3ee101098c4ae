// What both backends check before and after they compute pair forces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "forces/pairwise/pair_geometry.h"
#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// Throws LoopError for settings that no force can be computed with.
void check_pairwise_setup(const PairwiseSetup &setup);

/// Throws std::logic_error for atoms without an array that the setup calls for.
void check_pair_arrays(const PairwiseSetup &setup, const PairAtomsView &atoms);

/// Likewise, and LoopError for atoms whose types do not fit the setup.
void check_pair_atoms(const PairwiseSetup &setup, const PairAtomsView &atoms);

/// Throws for a force that is not a number, on `atom`: CoincidentAtoms if another one that acts on it is at its place,
/// otherwise LoopError with the distance of the nearest.
[[noreturn]] void throw_bad_pair_force(const PairwiseSetup &setup, const PairAtomsView &atoms, int atom);

/// The least and the largest strength of atoms; zeros without strengths or atoms.
struct StrengthRange {
  double least, most;

  /// That of all atoms, 0 where they differ.
  double common() const { return least == most ? most : 0; }
  /// A power of two between them, 1 unless all are positive.
  double unit() const { return least > 0 ? std::exp2(std::round(0.5 * (std::log2(least) + std::log2(most)))) : 1; }
  /// All are positive, and the largest is at most `ratio` times the least.
  bool within(double ratio) const { return least > 0 && most <= ratio * least; }
};
inline StrengthRange strengths_of(const PairAtomsView &atoms) {
  if (!atoms.strength || atoms.n == 0) return {0, 0};
  const auto ends = std::minmax_element(atoms.strength, atoms.strength + atoms.n);
  return {*ends.first, *ends.second};
}

/// [first, last) of `total` items for one of several ranks.
struct ItemRange {
  std::int64_t first, last;
};
inline ItemRange items_of(const RankSlice &share, std::int64_t total) {
  const std::int64_t each = total / share.count, rest = total % share.count;
  const auto start = [&](int k) { return k * each + std::min<std::int64_t>(k, rest); };
  return {start(share.index), start(share.index + 1)};
}

}  // namespace triad
