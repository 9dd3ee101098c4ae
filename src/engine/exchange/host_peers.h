// Ghosts between the ranks of one host without MPI: each rank lays positions of its atoms, and forces on its ghosts,
// open in memory that the others read, and says in words beside them how far it is.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/exchange/halo.h"
#include "engine/exchange/rank_status.h"
#include "engine/exchange/shared_memory.h"
#include "engine/tuning.h"

namespace triad {

/// What a rank tells of its atoms when they have moved, and of its list.
struct HaloStatus {
  double moved = 0;               ///< no atom has moved farther since the last forces
  bool list_expired = false;      ///< an atom has moved too far for the neighbour list
  bool pruned_list_ends = false;  ///< the pruned list will have to be renewed soon

  void add(const HaloStatus &other) {
    moved = moved < other.moved ? other.moved : moved;
    list_expired = list_expired || other.list_expired;
    pruned_list_ends = pruned_list_ends || other.pruned_list_ends;
  }
};

/// An exchange is: fill positions(), publish_positions(), read arriving_positions(), fill forces(), publish_forces(),
/// read arriving_forces(). All ranks make all of them, in this order; a rank may be one exchange ahead of another one
/// at most, and none writes what another one has yet to read. A rank that fails says so with fail(); those that wait
/// for it then throw LoopError with its reason, as they do for a rank that has ended or does not answer.
class HostPeers {
 public:
  /// True if the ranks of `plan` share a host. To be called for every plan. Collective.
  bool connect(const HaloPlan &plan);

  double *positions() { return window(self_).positions; }  ///< [send][3]
  double *forces() { return window(self_).forces; }        ///< [receive][3]

  /// Ends the waits of the other ranks, which give `why` as the reason. To be called when this rank cannot go on.
  void fail(const char *why) noexcept { status_.fail(why); }
  /// How long a rank that does not answer is waited for, in s.
  void set_patience(double seconds) { patience_ = seconds; }

  /// Returns when all positions for this rank are there, with the news of their ranks and of this one.
  HaloStatus publish_positions(const HaloStatus &mine);
  /// Returns when all forces for this rank are there, with the news of all ranks.
  HaloStatus publish_forces();

  /// Calls work(values, first, n) for each rank: n atoms from the plan's `receive` [first] on, and from `send`.
  template <class Work>
  void arriving_positions(Work &&work) const {
    of_each(
        receive_begin_, [](const Window &w) { return w.positions_here; }, work);
  }
  template <class Work>
  void arriving_forces(Work &&work) const {
    of_each(
        send_begin_, [](const Window &w) { return w.forces_here; }, work);
  }

  double bytes() const { return self_ < mapped_.size() ? double(mapped_[self_].bytes()) : 0.0; }

 private:
  /// How far a rank is, in exchanges; each word in a line of its own. `news` of an exchange are read by all ranks, of
  /// which some may be an exchange behind.
  using Word = std::atomic<std::uint64_t>;
  struct SyncFlags {
    alignas(64) Word positions;
    HaloStatus news[2];
    alignas(64) Word forces;
  };
  static_assert(Word::is_always_lock_free, "shared between processes");

  struct Window {
    SyncFlags *flags;
    double *positions, *forces;                  ///< what the rank lays open
    const double *positions_here, *forces_here;  ///< those of them that are for this rank
  };
  const Window &window(std::size_t rank) const { return window_[rank]; }
  Window &window(std::size_t rank) { return window_[rank]; }
  void wait_for(Word SyncFlags::*word, std::size_t rank);

  template <class Values, class Work>
  void of_each(const std::vector<int> &begin, Values &&values, Work &work) const {
    for (std::size_t r = 0; r < window_.size(); ++r)
      if (begin[r + 1] > begin[r]) work(values(window_[r]), begin[r], begin[r + 1] - begin[r]);
  }

  RankStatus status_;
  double patience_ = tuning::host_patience;
  bool checked_ = false, allowed_ = false;
  std::vector<SharedMemory> mapped_;             // [ranks]
  std::vector<Window> window_;                   // [ranks]
  std::vector<int> send_begin_, receive_begin_;  // [ranks + 1]
  std::size_t self_ = 0;
  std::uint64_t exchanges_ = 0;
};

}  // namespace triad
