#include "engine/host/host_verlet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/threads.h"
#include "engine/host/group_motion.h"
#include "engine/tuning.h"

namespace triad {
namespace {

constexpr int span = tuning::host_atoms_per_pass;

/// Starts a step for n atoms of one group, in a loop that compiles to vector instructions. `one_mass`: the mass of all
/// of the atoms, or 0. `squared`: output, squared displacements [n][3].
void start_span(const AtomArrays &atoms, double one_mass, const VerletGroup &group, bool ends_one, int first, int n,
                double *squared) {
  double *x = atoms.x + 3 * std::size_t(first), *v = atoms.v + 3 * std::size_t(first);
  const double *f = atoms.f + 3 * std::size_t(first), *mass = atoms.rmass + first;
  const auto move = [&](auto kicks, auto &&dtfm) {
#pragma omp simd
    for (int k = 0; k < 3 * n; ++k) {
      const double half = dtfm(k) * f[k], before = x[k];
      if (kicks == 2) v[k] += half;
      v[k] += half;
      x[k] += group.drift * v[k];
      squared[k] = (x[k] - before) * (x[k] - before);
    }
  };
  const auto move_with = [&](auto &&dtfm) {
    if (ends_one)
      move(std::integral_constant<int, 2>(), dtfm);
    else
      move(std::integral_constant<int, 1>(), dtfm);
  };
  if (one_mass > 0) return move_with([dtfm = group.half_kick / one_mass](int) { return dtfm; });
  double dtfm[3 * span];
  for (int i = 0; i < n; ++i) dtfm[3 * i] = dtfm[3 * i + 1] = dtfm[3 * i + 2] = group.half_kick / mass[i];
  move_with([&dtfm](int k) { return dtfm[k]; });
}

/// Starts a step for one atom, which can be in any of the groups.
void start_atom(const AtomArrays &atoms, const std::vector<VerletGroup> &groups, bool ends_one, int i,
                double *squared) {
  const double *x = atoms.x + 3 * std::size_t(i);
  const double before[3] = {x[0], x[1], x[2]};
  for (const VerletGroup &g : groups)
    if (ends_one && atoms.mask[i] & g.group_bit) kick_atom(atoms, i, g.half_kick);
  for (const VerletGroup &g : groups)
    if (atoms.mask[i] & g.group_bit) {
      kick_atom(atoms, i, g.half_kick);
      drift_atom(atoms, i, g.drift);
    }
  for (int k = 0; k < 3; ++k) squared[k] = (x[k] - before[k]) * (x[k] - before[k]);
}

/// Returns the largest of n sums of three squares, or infinity if one is NaN.
double largest(const double *squared, int n) {
  constexpr int chains = 4;  // independent chains of dependent operations
  double most[chains] = {}, total[chains] = {};
  const auto see = [&](int i, int chain) {
    const double sum = squared[3 * i] + squared[3 * i + 1] + squared[3 * i + 2];
    most[chain] = std::max(most[chain], sum);
    total[chain] += sum;
  };
  int i = 0;
  for (; i + chains <= n; i += chains)
    for (int c = 0; c < chains; ++c) see(i + c, c);
  for (; i < n; ++i) see(i, 0);
  const bool numbers = total[0] + total[1] + total[2] + total[3] <= std::numeric_limits<double>::max();
  return numbers ? *std::max_element(most, most + chains) : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<VerletSpan> describe_spans(int n, const double *mass, const int *mask) {
  std::vector<VerletSpan> spans;
  for (int first = 0; first < n; first += span) {
    VerletSpan all = {mass[first], mask[first]};
    for (int i = first; i < std::min(n, first + span); ++i) {
      if (mass[i] != all.mass) all.mass = 0;
      all.mask &= mask[i];
    }
    spans.push_back(all);
  }
  return spans;
}

double start_step(const AtomArrays &atoms, const std::vector<VerletSpan> &spans, const std::vector<VerletGroup> &groups,
                  bool ends_one, int threads) {
  const int at_a_time = items_at_a_time(atoms.n_owned, threads, span);
  WorkStealingRange shares((atoms.n_owned + at_a_time - 1) / at_a_time, threads);
  double farthest = 0;
#pragma omp parallel num_threads(threads) reduction(max : farthest)
  shares.work([&](int part) {
    const int end = std::min((part + 1) * at_a_time, atoms.n_owned);
    for (int first = part * at_a_time; first < end; first += span) {
      double squared[3 * span];
      const int n = std::min(span, end - first);
      const VerletSpan &all = spans[first / span];
      if (groups.size() == 1 && groups[0].group_bit & all.mask)
        start_span(atoms, all.mass, groups[0], ends_one, first, n, squared);
      else
        for (int i = first; i < first + n; ++i) start_atom(atoms, groups, ends_one, i, squared + 3 * (i - first));
      farthest = std::max(farthest, largest(squared, n));
    }
  });
  return std::sqrt(farthest);
}

}  // namespace triad
