// Velocity Verlet on arrays of the host.
#pragma once

#include <vector>

#include "engine/md_engine.h"

namespace triad {

/// What the atoms that are moved at a time have in common.
struct VerletSpan {
  double mass;  ///< 0 if there are several
  int mask;     ///< groups that all are in
};

std::vector<VerletSpan> describe_spans(int n, const double *mass, const int *mask);

/// First half of a step in one pass over the atoms, before it the second half of the last step if `ends_one`. Returns
/// how far an atom has moved at most, infinity if that is not a number. `spans` is from describe_spans(); masses are in
/// atoms.rmass.
double start_step(const AtomArrays &atoms, const std::vector<VerletSpan> &spans, const std::vector<VerletGroup> &groups,
                  bool ends_one, int threads);

}  // namespace triad
