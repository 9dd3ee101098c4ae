// Pairs of special bonds among gathered atoms. Their forces are scaled.
#pragma once

#include <cstdint>
#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "lammps/fix/pairwise/rank_vectors.h"
#include "lmptype.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// CSR rows of scaled pairs; the arrays of ScaledPairsView.
struct SpecialPairs {
  std::vector<long long> offset;
  std::vector<int> partner;
  std::vector<double> factor;

  triad::ScaledPairsView view() const;
};

/// Collective. Returns the special neighbours of all gathered atoms whose factor is not 1. `mine`: indices of this
/// rank's atoms in the order in which they were gathered; `tags`: IDs of all gathered atoms; `factor`: factors of 1-2,
/// 1-3 and 1-4 neighbours in elements 1, 2 and 3. Neighbours that were not gathered are omitted.
SpecialPairs gather_special_pairs(LAMMPS *lmp, const std::vector<int> &mine, const std::vector<tagint> &tags,
                                  const double factor[4]);

}  // namespace LAMMPS_NS
