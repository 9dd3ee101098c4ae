#include "md/host_verlet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "md/tuning.h"

namespace triad {
namespace {

bool all_in(const VerletGroup &group, const VerletArrays &atoms, int first, int n) {
  int all = group.group_bit;
  for (int i = first; i < first + n; ++i) all &= atoms.mask[i];
  return all;
}

/// n atoms of one group, in straight arithmetic for vector registers. `squared` becomes what they move, [n][3].
void start_span(const VerletArrays &atoms, const VerletGroup &group, bool ends_one, int first, int n, double *squared) {
  double dtfm[3 * tuning::host_atoms_per_pass];
  double *x = atoms.x + 3 * std::size_t(first), *v = atoms.v + 3 * std::size_t(first);
  const double *f = atoms.f + 3 * std::size_t(first), *mass = atoms.mass + first;
  for (int i = 0; i < n; ++i) dtfm[3 * i] = dtfm[3 * i + 1] = dtfm[3 * i + 2] = group.half_kick / mass[i];
  const auto move = [&](auto kicks) {
#pragma omp simd
    for (int k = 0; k < 3 * n; ++k) {
      const double half = dtfm[k] * f[k], before = x[k];
      if (kicks == 2) v[k] += half;
      v[k] += half;
      x[k] += group.drift * v[k];
      squared[k] = (x[k] - before) * (x[k] - before);
    }
  };
  if (ends_one)
    move(std::integral_constant<int, 2>());
  else
    move(std::integral_constant<int, 1>());
}

/// One atom, which may be in any of the groups.
void start_atom(const VerletArrays &atoms, const std::vector<VerletGroup> &groups, bool ends_one, int i,
                double *squared) {
  const double *x = atoms.x + 3 * std::size_t(i);
  const double before[3] = {x[0], x[1], x[2]};
  for (const VerletGroup &g : groups)
    if (ends_one && atoms.mask[i] & g.group_bit) atoms.kick(i, g.half_kick);
  for (const VerletGroup &g : groups)
    if (atoms.mask[i] & g.group_bit) {
      atoms.kick(i, g.half_kick);
      atoms.drift(i, g.drift);
    }
  for (int k = 0; k < 3; ++k) squared[k] = (x[k] - before[k]) * (x[k] - before[k]);
}

}  // namespace

double start_step(const VerletArrays &atoms, const std::vector<VerletGroup> &groups, bool ends_one, int threads) {
  constexpr int span = tuning::host_atoms_per_pass;
  const int n_spans = (atoms.n + span - 1) / span;
  double farthest = 0;
  int strange = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : farthest) reduction(| : strange)
  for (int s = 0; s < n_spans; ++s) {
    double squared[3 * span];
    const int first = s * span, n = std::min(span, atoms.n - first);
    if (groups.size() == 1 && all_in(groups[0], atoms, first, n))
      start_span(atoms, groups[0], ends_one, first, n, squared);
    else
      for (int i = first; i < first + n; ++i) start_atom(atoms, groups, ends_one, i, squared + 3 * (i - first));
    for (int k = 0; k < 3 * n; k += 3) {
      const double sum = squared[k] + squared[k + 1] + squared[k + 2];
      farthest = std::max(farthest, sum);
      strange |= !(sum <= std::numeric_limits<double>::max());
    }
  }
  return strange ? std::numeric_limits<double>::infinity() : std::sqrt(farthest);
}

}  // namespace triad
