// The pairs of a pair list among the atoms of this rank.
#pragma once

#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "io/pair_list_file.h"
#include "lmptype.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// Finds the atoms of listed pairs among owned and ghost atoms. A pair belongs to the rank that owns its first atom,
/// and its second atom is the image nearest to that.
class ListedPairs {
 public:
  /// `pairs` in the order of the file. Keeps no reference to it.
  explicit ListedPairs(const std::vector<triad::ListedPair> &pairs);

  /// Pairs of the file.
  bigint size() const { return static_cast<bigint>(pairs_.size()); }

  /// Collective. The first ID of the list that no atom has, with `line` of a pair that names it; 0 if all are there.
  tagint missing_id(LAMMPS *lmp, int &line) const;

  /// Finds the pairs of this rank at the current positions. A pair whose partner is not there, or is farther than
  /// `range`, within which all images are known, is left out if there is a cutoff, which is not larger. Otherwise it is
  /// reported: returns the line of the first, 0 if none.
  int find(LAMMPS *lmp, double range, bool has_cutoff);

  triad::PossiblePairsView view() const;
  /// [ghosts] On one rank: the owned atom that each ghost is an image of, where a pair of the list names it.
  const std::vector<int> &owner() const { return owner_; }
  double memory_usage() const;

 private:
  struct Pair {
    int first, second;  // places in ids_
    int line;
    double K, r0;
  };
  std::vector<tagint> ids_;  // all IDs of the list, ascending
  std::vector<Pair> pairs_;
  std::vector<int> i_, j_;  // what view() shows
  std::vector<int> owner_;
  std::vector<double> K_, r0_;
};

}  // namespace LAMMPS_NS
