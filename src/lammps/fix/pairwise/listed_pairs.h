// The pairs of a pair list that belong to this rank.
#pragma once

#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "io/pair_list_file.h"
#include "lmptype.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// Finds the atoms of listed pairs among owned and ghost atoms. A pair belongs to the rank that owns its first atom;
/// the second atom is the nearest image.
class ListedPairs {
 public:
  /// `pairs` in the order of the file; copied.
  explicit ListedPairs(const std::vector<triad::ListedPair> &pairs);

  /// Number of pairs of the file that act at every distance.
  bigint fixed(bool has_cutoff) const { return has_cutoff ? fixed_ : static_cast<bigint>(pairs_.size()); }
  /// Number of those that the last find() has found on this rank.
  bigint fixed_found() const { return fixed_found_; }

  /// Collective. Returns the first ID of the list that no atom has, and sets `line` to the line of a pair with that ID;
  /// 0 if all atoms exist.
  tagint missing_id(LAMMPS *lmp, int &line) const;

  /// Finds the pairs of this rank at the current positions. All images within `range` are known; a cutoff must not
  /// exceed `range`. If the second atom of a pair is missing or farther than `range`, the pair is omitted if there is a
  /// cutoff and the pair is not fixed. Otherwise the pair is an error: the function returns the line of the first such
  /// pair, or 0 if there is none.
  int find(LAMMPS *lmp, double range, bool has_cutoff);

  triad::PossiblePairsView view() const;
  /// [ghosts] On one rank: the owner of each ghost that the list names.
  const std::vector<int> &owner() const { return owner_; }
  double memory_usage() const;

 private:
  struct Pair {
    int first, second;  // indices in ids_
    int line;
    triad::ListedConstants constants;
  };
  std::vector<tagint> ids_;  // all IDs of the list, ascending
  std::vector<Pair> pairs_;
  std::vector<int> i_, j_;  // arrays of view()
  std::vector<int> owner_;
  std::vector<triad::ListedConstants> constants_;
  bigint fixed_ = 0, fixed_found_ = 0;
};

}  // namespace LAMMPS_NS
