// How long neighbour lists and pruned lists last. Plain decisions of the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/exchange/halo.h"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// The life of a list, counted in steps.
struct ListLife {
  long long age = 0;         ///< steps since the list was made
  double steps = 1e9;        ///< age from which on the list is renewed, on demand or at once
  bool all_refilter = true;  ///< pruned lists: every rank can renew its list before the list expires

  /// Updates `steps` for lists that may be renewed on demand, after one of them was in use for `age` steps: at once to
  /// a shorter life, slowly to a longer one, since a list that expires before it can be renewed costs most.
  void note_renewal(long long age) {
    const double share = tuning::share_before_demand * double(age);
    steps = std::max(1.0, share < steps ? share : steps + (share - steps) / 8);
  }

  /// Updates `steps` after a list has expired at this age, before it was renewed.
  void note_expiry(long long age) { steps = std::max(1.0, tuning::share_of_list_life * double(age)); }

  /// Updates `steps` so that the atom or ghost nearest to its displacement limit uses a fraction share_of_list_life of
  /// the limit, by a factor of 2 at most. `used`: the square of the fraction that it has used, or 0 if unknown.
  void note_used(float used) {
    if (used > 0)
      steps = std::max(1.0, steps * std::clamp(tuning::share_of_list_life / std::sqrt(double(used)), 0.5, 2.0));
  }

  /// Makes all ranks use the shortest life of any rank. All ranks then renew their pruned lists in the same steps,
  /// which costs least, since each rank waits for the ghosts of the others. `refilters`: this rank can renew its pruned
  /// list ahead. Collective.
  void agree(HaloExchange &exchange, bool refilters) {
    struct Life {
      double steps;
      long long age;
      bool refilters;
    } mine = {steps, age, refilters};
    std::vector<Life> all(exchange.ranks());
    exchange.allgather(&mine, all.data(), sizeof mine);
    for (const Life &other : all) {
      steps = std::min(steps, other.steps);
      age = std::max(age, other.age);
      all_refilter = all_refilter && other.refilters;
    }
  }
};

}  // namespace cuda
}  // namespace triad
