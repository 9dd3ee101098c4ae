// Tersoff silicon and silicon carbide with the mixing rules of J. Tersoff, Phys. Rev. B 39, 5566 (1989), for
// benchmarks, which then need no potential file.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "potentials/tersoff/params.h"
#include "testing/parameter_sets.h"

namespace triad {

/// Entry (i,j,k) of a potential file from those of the elements: angle, beta and n of the centre i, exponentials of the
/// pair ij, cutoff of ik. `chi` strengthens the bond between unlike elements.
inline TersoffEntry mixed_entry(const NamedEntry &i, const NamedEntry &j, const NamedEntry &k, double chi) {
  const auto mean = [](double a, double b) { return a == b ? a : std::sqrt(a * b); };
  TersoffEntry e = i.entry;
  e.lam1 = 0.5 * (i.entry.lam1 + j.entry.lam1);
  e.lam2 = 0.5 * (i.entry.lam2 + j.entry.lam2);
  e.A = mean(i.entry.A, j.entry.A);
  e.B = (i.name == j.name ? 1.0 : chi) * mean(i.entry.B, j.entry.B);
  if (i.name != k.name) {
    const double inner = mean(i.entry.R - i.entry.D, k.entry.R - k.entry.D);
    const double outer = mean(i.entry.R + i.entry.D, k.entry.R + k.entry.D);
    e.R = 0.5 * (outer + inner);
    e.D = 0.5 * (outer - inner);
  }
  return e;
}

inline TersoffTable mixed_table(const std::vector<NamedEntry> &elements, double chi) {
  TersoffTable table;
  for (const NamedEntry &i : elements) {
    table.elements.push_back(i.name);
    for (const NamedEntry &j : elements)
      for (const NamedEntry &k : elements) table.triplets.push_back(mixed_entry(i, j, k, chi));
  }
  return table;
}

inline TersoffTable silicon_table() { return mixed_table({silicon_t3()}, 1); }
inline TersoffTable silicon_carbide_table() { return mixed_table({silicon_t3(), carbon()}, 0.9776); }

}  // namespace triad
