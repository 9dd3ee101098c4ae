// Exchange of ghosts between the GPUs of one host, without the host: launches of the kernels of peer_kernels.cuh.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/exchange/cuda/peer_halo.cuh"

namespace triad {
namespace cuda {

/// Blocks of a kernel that exchanges n items.
inline unsigned peer_blocks(std::size_t n) {
  return std::clamp(blocks_for(n, tuning::peer_block), 1u, static_cast<unsigned>(tuning::peer_blocks));
}

/// All functions throw LoopError.
template <class Format>
class PeerExchange {
 public:
  using Position = typename PositionOf<Format>::type;

  PeerExchange(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineGhosts<Format> &ghosts)
      : device_(device), tersoff_(tersoff), ghosts_(ghosts) {}

  /// Prepares exchanges for the plan of the ghosts, of which this rank has n_owned atoms. Returns connected().
  /// Collective.
  bool connect(int n_owned) {
    const HaloPlan &plan = ghosts_.plan();
    const bool usable = ghosts_.layout().copied_atom.empty() && n_owned > 0 &&
                        plan.n_images() <= ImageNames<Position>::max_images;  // as BoxImages expects
    constexpr std::size_t force = 3 * sizeof(typename Format::Sum);
    constexpr Window::Sizes sizes = {sizeof(Position), force, force, sizeof(GhostRow<Position>)};
    connected_ =
        plan.exchange && plan.exchange->allows_direct_exchange() && halo_.connect(plan, device_.index(), usable, sizes);
    if (!connected_) return false;
    guard_.reserve(1);
    unanswered_.reserve(1);
    unanswered_[0] = 0;
    check(cudaMemsetAsync(guard_.data(), 0, sizeof(StepGuard), device_.stream()), "preparing ghosts of other ranks");
    return true;
  }
  /// True if ghosts travel between GPUs.
  bool connected() const { return connected_; }
  /// Argument of the kernels for the steps of `guard`; empty unless connected().
  Peers peers(StepGuard *guard) const { return connected_ ? halo_.peers(guard) : Peers(); }
  /// Adds the number of steps that were made, including the one that stopped. The same on all ranks.
  void count_steps(long long n) {
    if (connected_) halo_.count_steps(n);
  }
  void check_ranks() const { halo_.check_ranks(); }
  void fail(const char *why) noexcept { halo_.fail(why); }

  /// The stream of the forces of the interior. The exchange and the forces of boundary atoms are in the stream of the
  /// engine, in which the atoms move: in a small system the time of a step is the time of this sequence of kernels.
  const Stream &interior() const { return interior_; }
  /// Makes interior() wait for the work that is queued on the stream of the engine.
  void start_interior() {
    moved_.record(device_.stream());
    moved_.hold(interior_);
  }
  /// Makes the stream of the engine wait for the forces of the interior. `timed`: also takes a sample of the time from
  /// the end of these forces to the end of the exchange.
  void finish_interior(bool timed);

  /// Launches the kernel that sends positions of boundary atoms and receives those of ghosts. `dependent`: see
  /// launch(). Checks the limits of ghosts in the pruned list from `reference` on, unless that is null.
  void exchange_positions(const Peers &peers, bool dependent, const Position *reference) const;
  /// Launches the kernel that returns forces on ghosts and adds those that arrive for boundary atoms.
  void exchange_forces(const Peers &peers, bool dependent) const {
    exchange<GhostForces::Forces>(peers, dependent, tersoff_.forces());
  }
  /// The same for the driving forces of the step, behind its forces.
  void exchange_driving_forces(const Peers &peers, const ForceArray<Format> &force) const {
    exchange<GhostForces::Driving>(peers, false, force);
  }

  /// Gives the ghosts of a new list the positions of their owners, and the fp64 positions x [n_owned + ghosts][3] in
  /// device memory too. Waits for the device. Collective.
  void exchange_new_ghosts(double *x) {
    exchange_ghosts(tersoff_.positions(), DisplacedAnchor{x, ghosts_.shift_lengths()}, guard_.data(),
                    x + 3 * std::size_t(ghosts_.layout().n_owned));
    ask_for_answers();
    device_.wait("exchanging ghosts");
    check_answers();
  }
  /// Gives the ghosts in position [n_owned + ghosts] the positions of their owners in the same array, in a step of a
  /// batch, and returns their velocities, [ghosts][3] in device memory; null unless connected(). The velocities are
  /// valid until the next call. Asynchronous.
  const double *exchange_velocities(Position *position, const GroupVelocity<Format> &velocity_of, StepGuard *guard) {
    if (!connected_) return nullptr;
    velocities_.reserve(3 * std::size_t(ghosts_.layout().n_arriving));
    exchange_ghosts(position, velocity_of, guard, velocities_.data());
    return velocities_.data();
  }

  /// Forward and reverse communication outside of batches, in pairs, as EngineGhosts does it by way of the host.
  /// Asynchronous. Collective.
  void forward() {
    exchange_positions(peers(guard_.data()), false, nullptr);  // there may be no pruned list yet
    ask_for_answers();
  }
  void reverse() {
    Peers counted = peers(guard_.data());
    ++counted.base;  // in a batch, the force kernel counts the step
    exchange_forces(counted, false);
    ask_for_answers();
    count_steps(1);
  }
  /// Throws LoopError if a rank has not answered in forward() or reverse(). The device must have completed them.
  void check_answers() const { check_answers(unanswered_[0]); }
  /// Throws LoopError if the reasons of a stop tell that a rank has not answered.
  void check_answers(int reasons) const {
    if (!(reasons & stop_peer)) return;
    check_ranks();
    throw LoopError("another rank has sent no ghosts; its GPU or its process has stopped");
  }

  /// Number of steps from one timed wait to the next in a batch of n_steps.
  long long timed_waits_every(long long n_steps) const {
    return std::max(1ll, n_steps / static_cast<long long>(waits_.size()));
  }
  /// Median of the sampled waits in seconds, which the long waits of steps that renew lists do not change. Clears the
  /// samples. The device must be idle.
  double median_wait();

  std::size_t device_bytes() const { return halo_.device_bytes() + guard_.bytes() + velocities_.bytes(); }

 private:
  template <class RowOf>
  void exchange_ghosts(Position *position, const RowOf &row_of, StepGuard *guard, double *row);
  template <GhostForces Kind>
  void exchange(const Peers &peers, bool dependent, const ForceArray<Format> &force) const;
  void ask_for_answers() const {
    copy_to_host(unanswered_.data(), guard_.data()->stop, 1, device_.stream(), "waiting for other ranks");
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineGhosts<Format> &ghosts_;
  PeerHalo halo_;
  bool connected_ = false;
  Stream interior_;
  Event moved_, computed_;          // in the present step: atoms are moved, forces of the interior are computed
  std::array<Interval, 16> waits_;  // samples of the time that a step waits for ghosts
  int n_waits_ = 0;
  DeviceBuffer<double> velocities_{"velocities of ghosts"};
  DeviceBuffer<StepGuard> guard_{"a guard"};  // of the communication outside of batches, which never stops
  PinnedBuffer<int> unanswered_{"a flag"};    // its reasons to stop
};

template <class Format>
void PeerExchange<Format>::finish_interior(bool timed) {
  timed = timed && n_waits_ < static_cast<int>(waits_.size());
  if (timed) waits_[n_waits_].start(interior_);
  computed_.record(interior_);
  computed_.hold(device_.stream());
  if (timed) waits_[n_waits_++].stop(device_.stream());
}

template <class Format>
void PeerExchange<Format>::exchange_positions(const Peers &peers, bool dependent, const Position *reference) const {
  const GhostLayout &layout = ghosts_.layout();
  const int n_send = ghosts_.n_sent(), n_arriving = layout.n_arriving;
  launch(dependent, peer_blocks(std::max(n_send, n_arriving)), tuning::peer_block, device_.stream(),
         "exchanging positions of ghosts", exchange_positions_kernel<Position>, peers, tersoff_.positions(), reference,
         tersoff_.scale(), ghosts_.send(), ghosts_.send_image(), ghosts_.shift(), n_send, layout.n_owned, n_arriving);
}

template <class Format>
template <GhostForces Kind>
void PeerExchange<Format>::exchange(const Peers &peers, bool dependent, const ForceArray<Format> &force) const {
  const GhostLayout &layout = ghosts_.layout();
  const int n_send = ghosts_.n_sent(), n_arriving = layout.n_arriving;
  launch(dependent, peer_blocks(std::max(n_send, n_arriving)), tuning::peer_block, device_.stream(),
         "exchanging forces of ghosts", exchange_forces_kernel<Format, Kind>, peers, force, ghosts_.send(), n_send,
         layout.n_owned, n_arriving);
}

template <class Format>
template <class RowOf>
void PeerExchange<Format>::exchange_ghosts(Position *position, const RowOf &row_of, StepGuard *guard, double *row) {
  const GhostLayout &layout = ghosts_.layout();
  const int n_send = ghosts_.n_sent(), n_arriving = layout.n_arriving;
  launch(false, peer_blocks(std::max(n_send, n_arriving)), tuning::peer_block, device_.stream(), "exchanging ghosts",
         exchange_ghosts_kernel<Position, RowOf>, peers(guard), position, row_of, ghosts_.send(), ghosts_.send_image(),
         ghosts_.shift(), n_send, layout.n_owned, n_arriving, row);
}

template <class Format>
double PeerExchange<Format>::median_wait() {
  std::vector<double> seconds;
  for (int k = 0; k < n_waits_; ++k) seconds.push_back(waits_[k].seconds());
  n_waits_ = 0;
  if (seconds.empty()) return 0;
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace cuda
}  // namespace triad
