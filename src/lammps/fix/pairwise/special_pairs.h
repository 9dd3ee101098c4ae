// Pairs of special bonds among gathered atoms, whose forces are scaled.
#pragma once

#include <cstdint>
#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "lammps/fix/pairwise/rank_vectors.h"
#include "lmptype.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// Rows of scaled pairs, in the arrays that ScaledPairsView shows.
struct SpecialPairs {
  std::vector<long long> offset;
  std::vector<int> partner;
  std::vector<double> factor;

  triad::ScaledPairsView view() const;
};

/// Collective. Special neighbours of all gathered atoms whose factor is not 1. `mine`: indices of this rank's atoms in
/// their gathered order; `tags`: IDs of all gathered atoms; `factor`: of 1-2, 1-3 and 1-4 neighbours in [1], [2], [3].
/// Neighbours that were not gathered are left out.
SpecialPairs gather_special_pairs(LAMMPS *lmp, const std::vector<int> &mine, const std::vector<tagint> &tags,
                                  const double factor[4]);

}  // namespace LAMMPS_NS
