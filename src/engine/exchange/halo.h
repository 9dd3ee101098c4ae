// Plan of a rank's ghost atoms as plain arrays, and the interface for their exchange between ranks.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace triad {

/// Exchange of ghosts between ranks. forward() sends items in the order of HaloPlan::send and receives them in that of
/// HaloPlan::receive; reverse() goes the other way. `item`: bytes per atom. Buffers are in host memory unless
/// takes_device_memory(). Both calls are collective and return when the items have arrived.
class HaloExchange {
 public:
  virtual bool takes_device_memory() const = 0;
  /// True if ranks that can access each other's memory, on devices or in one host, may exchange ghosts directly. The
  /// same on all ranks.
  virtual bool allows_direct_exchange() const = 0;
  virtual void forward(const void *send, void *receive, std::size_t item) = 0;
  virtual void reverse(const void *receive, void *send, std::size_t item) = 0;
  /// Sends items to all ranks and receives items from them, in the order of ranks on both sides; the counts have one
  /// number per rank. Collective.
  virtual void alltoallv(const void *send, const std::vector<int> &send_counts, void *receive,
                         const std::vector<int> &receive_counts, std::size_t item) = 0;
  /// Tells the other ranks how many items this rank sends to each of them in forward() from now on, and returns how
  /// many it receives from each. Both have one number per rank. Collective.
  virtual std::vector<int> set_send_counts(const std::vector<int> &send_counts) = 0;
  /// Replaces each of the n values by its maximum over the ranks. Collective.
  virtual void allreduce_max(double *values, int n) = 0;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Gathers `bytes` bytes of each rank in `all`, in the order of ranks. Collective.
  virtual void allgather(const void *mine, void *all, std::size_t bytes) = 0;
  /// True on all ranks if `flag` is true on any. Collective.
  bool any(bool flag) {
    double value = flag;
    allreduce_max(&value, 1);
    return value != 0;
  }
  /// Sum over the ranks in the order of ranks. Collective.
  template <class Sum>
  Sum sum(const Sum &mine) {
    std::vector<Sum> all(ranks());
    allgather(&mine, all.data(), sizeof mine);
    Sum total;
    for (const Sum &one : all) total += one;
    return total;
  }

 protected:
  ~HaloExchange() = default;
};

/// The ghosts of one rank at the last neighbour list. A ghost is an atom of this or another rank, displaced by a
/// combination of box vectors.
struct HaloPlan {
  static constexpr int remote = -1;

  std::vector<int> owner;     ///< [n_ghosts] owned atom of this rank that the ghost is an image of, or `remote`
  std::vector<int> image;     ///< [n_ghosts] index in `shift`; unused for remote ghosts
  std::vector<double> shift;  ///< [images][3] ghost minus owner, length units; entry 0 is zero

  // Exchange with other ranks, in the order of ranks; empty on one rank.
  std::vector<int> send;                         ///< owned atoms that are ghosts on other ranks
  std::vector<int> send_image;                   ///< index in `shift` of the displacement to add before sending
  std::vector<int> receive;                      ///< ghosts (index from 0) in the order of arrival
  std::vector<int> send_counts, receive_counts;  ///< [ranks] atoms to send to and to receive from each rank
  HaloExchange *exchange = nullptr;              ///< null on one rank

  /// If not 0, the plan has no ghosts, the engine itself finds those of other ranks when it makes a list, and this is
  /// the number of ghosts for which it reserves memory. The atoms to send are then in memory of the engine only, and
  /// ghosts have the order of arrival.
  int ghost_capacity = 0;

  int n_ghosts() const { return static_cast<int>(owner.size()); }
  int n_images() const { return static_cast<int>(shift.size() / 3); }
  int n_sent() const { return std::accumulate(send_counts.begin(), send_counts.end(), 0); }
  int n_arriving() const { return std::accumulate(receive_counts.begin(), receive_counts.end(), 0); }
};

}  // namespace triad
