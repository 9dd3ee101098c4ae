// Velocity Verlet on arrays of the host.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/md_engine.h"

namespace triad {

/// What the atoms that are moved at a time have in common.
struct VerletSpan {
  double mass;  ///< 0 if there are several
  int mask;     ///< groups that all are in
};

/// The arrays of a rank's owned atoms: [n][3], masses and groups [n], spans as describe_spans() makes them.
struct VerletArrays {
  int n;
  double *x, *v;
  const double *f, *mass;
  const int *mask;
  const VerletSpan *span;

  void kick(int i, double half_kick) const {
    const double dtfm = half_kick / mass[i];
    for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k) v[k] += dtfm * f[k];
  }
  void drift(int i, double drift) const {
    for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k) x[k] += drift * v[k];
  }
};

std::vector<VerletSpan> describe_spans(int n, const double *mass, const int *mask);

/// First half of a step in one pass over the atoms, before it the second half of the last step if `ends_one`. Returns
/// how far an atom has moved at most, infinity if that is not a number.
double start_step(const VerletArrays &atoms, const std::vector<VerletGroup> &groups, bool ends_one, int threads);

}  // namespace triad
