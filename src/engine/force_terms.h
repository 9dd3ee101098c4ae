// The forces that an engine computes in every step: Tersoff potentials and pair forces of neighbour lists, each with
// its own list.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "core/views.h"
#include "forces/pairwise/pairwise_backend.h"
#include "forces/tersoff/tersoff_backend.h"

namespace triad {

/// One force. A PairwiseSetup must have the range List.
using ForceTerm = std::variant<TersoffSetup, PairwiseSetup>;

/// The forces of an engine in the order in which they are added. Without terms, or with a Tersoff table without
/// elements only, an engine has no forces but those of PairForce.
struct ForceTerms {
  std::vector<ForceTerm> term;

  ForceTerms() = default;
  ForceTerms(const TersoffSetup &one) : term{one} {}
};

/// A neighbour list for each term. A list need not have rows of atoms on which the term does not act, nor entries of
/// such pairs.
struct TermLists {
  std::vector<NeighborListView> list;
  /// [terms] for lists that the engine makes: [(n_types + 1)^2] 1 for two types whose pairs belong to the list. Empty
  /// if all pairs do. May have fewer elements than there are terms.
  std::vector<std::vector<char>> types;

  TermLists() = default;
  TermLists(const NeighborListView &one) : list{one} {}

  /// The largest cutoff of a list.
  double cutoff() const {
    double most = 0;
    for (const NeighborListView &one : list) most = std::max(most, one.cutoff);
    return most;
  }
};

}  // namespace triad
