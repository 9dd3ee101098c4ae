// Velocity Verlet on arrays of the host.
#pragma once

#include <vector>

#include "engine/md_engine.h"

namespace triad {

/// Properties that the atoms of one pass share.
struct VerletSpan {
  double mass;  ///< mass of all atoms, or 0 if masses differ
  int mask;     ///< bits of the groups to which all atoms belong
};

std::vector<VerletSpan> describe_spans(int n, const double *mass, const int *mask);

/// Makes the first half of a step in one pass over the atoms; `ends_one`: before it the second half of the last step.
/// `spans` is from describe_spans(); masses are in atoms.rmass. Returns the largest displacement of an atom, or
/// infinity if one is NaN.
double start_step(const AtomArrays &atoms, const std::vector<VerletSpan> &spans, const std::vector<VerletGroup> &groups,
                  bool ends_one, int threads);

}  // namespace triad
