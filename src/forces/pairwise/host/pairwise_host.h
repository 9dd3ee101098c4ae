// The host backends of pair forces, and their common functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/isa.h"
#include "forces/pairwise/pairwise_backend.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {

/// Backend of range All with the kernels for an instruction set of usable_isas().
std::unique_ptr<PairwiseBackend> make_all_pairs_host(const PairwiseSetup &setup, int n_threads, Isa isa);

/// Backend of the ranges List and Pairs.
std::unique_ptr<PairwiseBackend> make_pair_list_host(const PairwiseSetup &setup, int n_threads);

inline std::string host_description(std::size_t n_threads) {
  return "host, " + std::to_string(n_threads) + (n_threads == 1 ? " thread" : " threads");
}

/// Adds the tally of atom i to the requested per-atom arrays.
inline void add_tally(const PairTally<double> &tally, std::size_t i, ResultsView &results) {
  static constexpr int of_centroid[9] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
  if (results.atom_energy) results.atom_energy[i] += tally.v[0];
  for (int k = 0; k < 6 && results.atom_virial; ++k) results.atom_virial[6 * i + k] += tally.v[1 + k];
  for (int k = 0; k < 9 && results.atom_centroid; ++k) results.atom_centroid[9 * i + k] += tally.v[1 + of_centroid[k]];
}

/// Sum of the tallies of slot i over the workspaces of all threads, whose `tally` is [slots][PairTally<double>::width].
template <class Workspace>
PairTally<double> sum_of_tallies(const std::vector<Workspace> &workspaces, std::size_t i) {
  PairTally<double> sum;
  for (const Workspace &w : workspaces)
    for (int v = 0; v < PairTally<double>::width; ++v) sum.v[v] += w.tally[PairTally<double>::width * i + v];
  return sum;
}

/// Sum of `totals` over the workspaces of all threads.
template <class Workspace>
PairTally<double> sum_of_totals(const std::vector<Workspace> &workspaces) {
  PairTally<double> sum;
  for (const Workspace &w : workspaces)
    for (int v = 0; v < PairTally<double>::width; ++v) sum.v[v] += w.totals.v[v];
  return sum;
}

inline void set_totals(const PairTally<double> &totals, ResultsView &results) {
  results.energy = totals.v[0];
  for (int k = 0; k < 6; ++k) results.virial[k] = totals.v[1 + k];
}

}  // namespace triad
