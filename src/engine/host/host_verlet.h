// Velocity Verlet on arrays of the host.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/md_engine.h"

namespace triad {

/// Properties that the atoms of one pass share.
struct VerletSpan {
  double mass;  ///< mass of all atoms, or 0 if masses differ
  int mask;     ///< bits of the groups to which all atoms belong
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

/// Makes the first half of a step in one pass over the atoms; `ends_one`: before it the second half of the last step.
/// Returns the largest displacement of an atom, or infinity if one is NaN.
double start_step(const VerletArrays &atoms, const std::vector<VerletGroup> &groups, bool ends_one, int threads);

}  // namespace triad
