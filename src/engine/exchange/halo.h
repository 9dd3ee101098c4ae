// Where the ghost atoms of a rank come from, as plain arrays, and how they travel when their owner is another rank.
#pragma once

#include <cstddef>
#include <vector>

namespace triad {

/// Sends what lies in the order of HaloPlan::send to the ranks that hold those ghosts, and the other way round. Buffers
/// are host memory unless takes_device_memory(); `item` is the number of bytes per atom. Both calls are collective and
/// return when the received items are there.
class HaloExchange {
 public:
  virtual bool takes_device_memory() const = 0;
  /// Whether ranks that cutoff each other's memory, of devices or of one host, may exchange ghosts without this. The
  /// same on all ranks.
  virtual bool may_be_bypassed() const = 0;
  virtual void forward(const void *send, void *receive, std::size_t item) = 0;
  virtual void reverse(const void *receive, void *send, std::size_t item) = 0;
  /// The n values become the largest of all ranks. Collective.
  virtual void most(double *values, int n) = 0;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// `bytes` of every rank, in the order of ranks.
  virtual void gather(const void *mine, void *all, std::size_t bytes) = 0;
  /// True on every rank if `flag` is true on any.
  bool any(bool flag) {
    double value = flag;
    most(&value, 1);
    return value != 0;
  }
  /// Of every rank, added up in their order. Collective.
  template <class Sum>
  Sum sum(const Sum &mine) {
    std::vector<Sum> all(ranks());
    gather(&mine, all.data(), sizeof mine);
    Sum total;
    for (const Sum &one : all) total += one;
    return total;
  }

 protected:
  ~HaloExchange() = default;
};

/// The ghosts of one rank since the last neighbour list. A ghost is an owned atom, of this rank or of another one,
/// moved by a combination of the box vectors.
struct HaloPlan {
  static constexpr int remote = -1;

  std::vector<int> owner;     ///< [n_ghosts] owned atom of this rank that the ghost is an image of, or `remote`
  std::vector<int> image;     ///< [n_ghosts] entry of `shift`; of no meaning for remote ghosts
  std::vector<double> shift;  ///< [images][3] ghost minus owner, length units; entry 0 is zero

  // Atoms that travel, by rank; empty on one rank.
  std::vector<int> send;                         ///< owned atoms whose copies are ghosts elsewhere
  std::vector<int> send_image;                   ///< entry of `shift` to be added before they are sent
  std::vector<int> receive;                      ///< ghosts (index from 0) in the order in which they arrive
  std::vector<int> send_counts, receive_counts;  ///< [ranks] of the two above, which are in the order of ranks
  HaloExchange *exchange = nullptr;              ///< null on one rank

  int n_ghosts() const { return static_cast<int>(owner.size()); }
  int n_images() const { return static_cast<int>(shift.size() / 3); }
};

}  // namespace triad
