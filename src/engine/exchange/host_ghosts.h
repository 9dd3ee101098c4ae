// Ghosts of a rank on the host: forward communication of values to ghosts, and reverse communication of forces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/exchange/halo.h"
#include "engine/exchange/host_peers.h"

namespace triad {

/// Communication of arrays of three numbers per atom. With several ranks all calls are collective.
class HostGhosts {
 public:
  /// Takes a new plan. Owned atom i of the plan is element index_map[i] of the arrays.
  void take(const HaloPlan &plan, int n_owned, const int *index_map, int threads);
  void set_shifts(const std::vector<double> &shift) { plan_.shift = shift; }

  /// Displacement of an image, [3].
  const double *shift(int image) const { return plan_.shift.data() + 3 * std::size_t(image); }

  /// Fills ghosts [n_ghosts][3]; fill(i, image, target) computes the three numbers of a ghost from owned atom i.
  template <class Fill>
  void forward(double *ghosts, Fill &&fill) {
    fill_own(ghosts, fill);
    if (!plan_.exchange) return;
    fill_send_rows(send_rows_.data(), fill);
    plan_.exchange->forward(send_rows_.data(), receive_rows_.data(), 3 * sizeof(double));
    unpack_ghosts(receive_rows_.data(), 0, static_cast<int>(plan_.receive.size()), ghosts);
  }

  /// The same for positions before a force computation; add_to_owners() must follow. Returns the combined status of
  /// this rank and at least of those ranks whose atoms are ghosts here.
  template <class Fill>
  HaloStatus forward(double *ghosts, const HaloStatus &mine, Fill &&fill) {
    if (!with_peers_) {
      forward(ghosts, fill);
      return status_ = of_all(mine);
    }
    fill_own(ghosts, fill);
    fill_send_rows(peers_.positions(), fill);
    status_ = peers_.publish_positions(mine);
    peers_.arriving_positions([&](const double *x, int first, int n) { unpack_ghosts(x, first, n, ghosts); });
    return status_;
  }

  /// Adds the forces on ghosts, [n_ghosts][3], to those on their owners in the order of ghosts, unless the list has
  /// expired on a rank. Returns the combined status of all ranks.
  HaloStatus add_to_owners(const double *ghosts, double *owned);

  /// The same outside of the exchange of positions and forces, through HaloExchange.
  void reverse(const double *ghosts, double *owned);

  template <class Sum>
  Sum of_all_ranks(const Sum &mine) const {
    return plan_.exchange ? plan_.exchange->sum(mine) : mine;
  }

  /// Makes other ranks that wait for this one throw LoopError with the reason `why`.
  void fail(const char *why) noexcept { peers_.fail(why); }

  bool on_several_ranks() const { return plan_.exchange; }
  bool with_peers() const { return with_peers_; }
  double bytes() const;

 private:
  template <class Fill>
  void fill_own(double *ghosts, Fill &&fill) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int g = 0; g < plan_.n_ghosts(); ++g)
      if (plan_.owner[g] != HaloPlan::remote) fill(plan_.owner[g], plan_.image[g], ghosts + 3 * std::size_t(g));
  }
  template <class Fill>
  void fill_send_rows(double *target, Fill &&fill) const {
    const int n = static_cast<int>(plan_.send.size());
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int k = 0; k < n; ++k) fill(plan_.send[k], plan_.send_image[k], target + 3 * std::size_t(k));
  }
  void unpack_ghosts(const double *arriving, int first, int n, double *ghosts) const;
  void pack_forces(const double *ghosts, double *leaving) const;
  void add_received(const double *ghosts, double *owned) const;
  HaloStatus of_all(const HaloStatus &mine) const;

  int threads_ = 1;
  HaloPlan plan_;
  HostPeers peers_;
  bool with_peers_ = false;
  HaloStatus status_;
  /// Ghosts by owned atom, in CSR form: source_[begin_[h]] to source_[begin_[h + 1] - 1] belong to owner_[h]. A value
  /// below the number of ghosts here is a ghost; from there on, values count the elements of the plan's `send`.
  std::vector<int> owner_, begin_, source_;
  std::vector<double> send_rows_, receive_rows_;  // [send][3], [receive][3] buffers in the order of the plan
};

}  // namespace triad
