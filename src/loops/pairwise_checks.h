// What both backends check before and after they compute pair forces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "loops/pair_geometry.h"
#include "loops/pairwise_backend.h"

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

/// Whether the strengths of all atoms are equal, and there are any.
inline bool equal_strengths(const PairAtomsView &atoms) {
  return atoms.strength && atoms.n > 0 &&
         std::all_of(atoms.strength, atoms.strength + atoms.n, [&](double s) { return s == atoms.strength[0]; });
}

/// [first, last) of `total` items for one of several ranks.
struct ItemRange {
  std::int64_t first, last;
};
inline ItemRange items_of(const PairShare &share, std::int64_t total) {
  const std::int64_t each = total / share.count, rest = total % share.count;
  const auto start = [&](int k) { return k * each + std::min<std::int64_t>(k, rest); };
  return {start(share.index), start(share.index + 1)};
}

}  // namespace triad
