// The ghosts of a rank on the host: numbers of atoms to them, and forces back to their owners.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "md/halo.h"

namespace triad {

/// Arrays of three numbers per atom. All calls are collective where there are several ranks.
class HostGhosts {
 public:
  /// The plan's owned atom i is at place_of[i] of the arrays.
  void take(const HaloPlan &plan, int n_owned, const int *place_of, int threads);
  void set_shifts(const std::vector<double> &shift) { plan_.shift = shift; }

  /// Of a ghost's image, [3].
  const double *shift(int image) const { return plan_.shift.data() + 3 * std::size_t(image); }

  /// Fills [n_ghosts][3]: fill(i, image, target) computes the numbers of one ghost from those of the owned atom i.
  template <class Fill>
  void forward(double *ghosts, Fill &&fill) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int g = 0; g < plan_.n_ghosts(); ++g)
      if (plan_.owner[g] != HaloPlan::remote) fill(plan_.owner[g], plan_.image[g], ghosts + 3 * std::size_t(g));
    if (!plan_.exchange) return;
    travelling_.resize(3 * plan_.send.size());
    arriving_.resize(3 * plan_.receive.size());
    for (std::size_t k = 0; k < plan_.send.size(); ++k)
      fill(plan_.send[k], plan_.send_image[k], travelling_.data() + 3 * k);
    plan_.exchange->forward(travelling_.data(), arriving_.data(), 3 * sizeof(double));
    for (std::size_t k = 0; k < plan_.receive.size(); ++k)
      std::copy_n(arriving_.data() + 3 * k, 3, ghosts + 3 * std::size_t(plan_.receive[k]));
  }

  /// Adds the forces on ghosts, [n_ghosts][3], to those on their owners, in the order of ghosts.
  void add_to_owners(const double *ghosts, double *owned);

  /// Whether all ghosts are images of atoms of this rank.
  bool all_here() const { return !plan_.exchange; }
  bool on_any_rank(bool flag) const { return plan_.exchange ? plan_.exchange->any(flag) : flag; }
  template <class Sum>
  Sum of_all_ranks(const Sum &mine) const {
    return plan_.exchange ? plan_.exchange->sum(mine) : mine;
  }

  double bytes() const;

 private:
  int threads_ = 1;
  HaloPlan plan_;
  std::vector<int> home_, begin_, ghost_;  // owned atoms with ghosts here: ghost_[begin_[h]] to ghost_[begin_[h + 1]]
  std::vector<double> travelling_, arriving_;  // [send][3], [receive][3]
};

}  // namespace triad
