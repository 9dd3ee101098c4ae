// Exchange of ghosts between the ranks of one host without MPI: each rank publishes positions of its atoms and forces
// on its ghosts in shared memory, together with flags that say which step they belong to.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/exchange/halo.h"
#include "engine/exchange/rank_status.h"
#include "engine/exchange/shared_memory.h"
#include "engine/tuning.h"

namespace triad {

/// Status that a rank publishes with its positions.
struct HaloStatus {
  double moved = 0;               ///< largest displacement of an atom since the last forces, length units
  bool list_expired = false;      ///< an atom has moved too far for the neighbour list
  bool pruned_list_ends = false;  ///< the pruned list must be renewed soon

  void add(const HaloStatus &other) {
    moved = moved < other.moved ? other.moved : moved;
    list_expired = list_expired || other.list_expired;
    pruned_list_ends = pruned_list_ends || other.pruned_list_ends;
  }
};

/// An exchange consists of these calls, which all ranks make in this order: fill positions(), publish_positions(), read
/// arriving_positions(), fill forces(), publish_forces(), read arriving_forces(). A rank can be at most one exchange
/// ahead of another, and no rank overwrites data that another rank has not read. A rank that cannot go on calls fail();
/// ranks that wait for it then throw LoopError with its reason. They also throw if a rank has ended or does not answer.
class HostPeers {
 public:
  /// Prepares exchanges for a new plan. Returns true if all ranks of the plan share a host. Collective.
  bool connect(const HaloPlan &plan);

  double *positions() { return window(self_).positions; }  ///< [send][3]
  double *forces() { return window(self_).forces; }        ///< [receive][3]

  /// To be called when this rank cannot go on: makes the ranks that wait for it throw LoopError with the reason `why`.
  void fail(const char *why) noexcept { status_.fail(why); }
  /// Sets how long to wait for a rank that does not answer, in s.
  void set_timeout(double seconds) { timeout_ = seconds; }

  /// Waits until all positions for this rank have arrived. Returns the combined status of their ranks and of this one.
  HaloStatus publish_positions(const HaloStatus &mine);
  /// Waits until all forces for this rank have arrived. Returns the combined status of all ranks.
  HaloStatus publish_forces();

  /// Calls work(values, first, n) for each rank: values [n][3] belong to the n atoms from receive[first] of the plan
  /// on. arriving_forces(): from send[first] on.
  template <class Work>
  void arriving_positions(Work &&work) const {
    for_each_rank(
        receive_begin_, [](const Window &w) { return w.positions_here; }, work);
  }
  template <class Work>
  void arriving_forces(Work &&work) const {
    for_each_rank(
        send_begin_, [](const Window &w) { return w.forces_here; }, work);
  }

  double bytes() const { return self_ < mapped_.size() ? double(mapped_[self_].bytes()) : 0.0; }

 private:
  /// Exchange counters of a rank, each in its own cache line. All ranks read the status of an exchange, and some may be
  /// one exchange behind, so there are two.
  using Word = std::atomic<std::uint64_t>;
  struct SyncFlags {
    alignas(64) Word positions;
    HaloStatus status[2];
    alignas(64) Word forces;
  };
  static_assert(Word::is_always_lock_free, "shared between processes");

  struct Window {
    SyncFlags *flags;
    double *positions, *forces;                  ///< arrays that the rank publishes
    const double *positions_here, *forces_here;  ///< the parts of these that are for this rank
  };
  const Window &window(std::size_t rank) const { return window_[rank]; }
  Window &window(std::size_t rank) { return window_[rank]; }
  void wait_for(Word SyncFlags::*word, std::size_t rank);

  template <class Values, class Work>
  void for_each_rank(const std::vector<int> &begin, Values &&values, Work &work) const {
    for (std::size_t r = 0; r < window_.size(); ++r)
      if (begin[r + 1] > begin[r]) work(values(window_[r]), begin[r], begin[r + 1] - begin[r]);
  }

  RankStatus status_;
  double timeout_ = tuning::host_timeout;
  bool checked_ = false, allowed_ = false;
  std::vector<SharedMemory> mapped_;             // [ranks]
  std::vector<Window> window_;                   // [ranks]
  std::vector<int> send_begin_, receive_begin_;  // [ranks + 1]
  std::size_t self_ = 0;
  std::uint64_t exchanges_ = 0;
};

}  // namespace triad
