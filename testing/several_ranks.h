// A periodic box that is divided among ranks. Each rank is a thread of this process with the atoms of a slab, its
// ghosts and their owners.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "testing/periodic_box.h"

namespace triad {

/// Barrier of the ranks with one published pointer per rank, for consecutive collective calls.
class Meeting {
 public:
  explicit Meeting(int ranks) : published(ranks), missing_(ranks) {}

  std::vector<const void *> published;

  /// Returns after all ranks have called. Throws in all ranks after one rank has aborted.
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (broken_off_) throw std::runtime_error("another rank has left the exchange");
    const long long turn = turn_;
    if (--missing_ == 0) {
      missing_ = static_cast<int>(published.size());
      ++turn_;
      all_are_here_.notify_all();
    } else {
      all_are_here_.wait(lock, [&] { return turn_ != turn || broken_off_; });
      if (turn_ == turn) throw std::runtime_error("another rank has left the exchange");
    }
  }

  /// Aborts the exchange; to be called by a rank that has failed.
  void break_off() {
    const std::lock_guard<std::mutex> lock(mutex_);
    broken_off_ = true;
    all_are_here_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_are_here_;
  int missing_;
  long long turn_ = 0;
  bool broken_off_ = false;
};

/// The exchange of one rank.
class MeetingRank final : public HaloExchange {
 public:
  MeetingRank(Meeting &meeting, int rank) : meeting_(&meeting), rank_(rank) {}

  /// From now on accepts memory that `copy` can copy, like a GPU-aware MPI.
  void take_device_memory(void (*copy)(void *target, const void *source, std::size_t bytes)) { copy_device_ = copy; }

  /// From now on all ghosts go through this exchange.
  void forbid_direct_exchange() { allows_direct_exchange_ = false; }

  /// Number of calls of forward().
  int forwards() const { return forwards_; }

  /// counts[r][q]: number of atoms that r sends to q.
  void set_counts(std::vector<std::vector<int>> counts) { counts_ = std::move(counts); }

  bool takes_device_memory() const override { return copy_device_ != nullptr; }
  bool allows_direct_exchange() const override { return allows_direct_exchange_; }
  void forward(const void *send, void *receive, std::size_t item) override {
    ++forwards_;
    meet(send, receive, item, [&](int from, int to) { return counts_[from][to]; });
  }
  void reverse(const void *receive, void *send, std::size_t item) override {
    meet(receive, send, item, [&](int from, int to) { return counts_[to][from]; });
  }
  void alltoallv(const void *send, const std::vector<int> &send_counts, void *receive, const std::vector<int> &,
                 std::size_t item) override {
    std::vector<int> all(std::size_t(ranks()) * ranks());
    allgather(send_counts.data(), all.data(), sizeof(int) * ranks());
    meet(send, receive, item, [&](int from, int to) { return all[std::size_t(from) * ranks() + to]; });
  }
  std::vector<int> set_send_counts(const std::vector<int> &send_counts) override {
    std::vector<int> all(std::size_t(ranks()) * ranks()), received;
    allgather(send_counts.data(), all.data(), sizeof(int) * ranks());
    counts_.clear();
    for (int r = 0; r < ranks(); ++r) counts_.emplace_back(all.begin() + r * ranks(), all.begin() + (r + 1) * ranks());
    for (int r = 0; r < ranks(); ++r) received.push_back(counts_[r][rank_]);
    return received;
  }
  void allreduce_max(double *values, int n) override {
    std::vector<double> all(std::size_t(n) * ranks());
    allgather(values, all.data(), sizeof(double) * n);
    for (std::size_t k = 0; k < all.size(); ++k) values[k % n] = std::max(values[k % n], all[k]);
  }
  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(meeting_->published.size()); }
  void allgather(const void *mine, void *all, std::size_t bytes) override {
    publish(mine);
    for (int r = 0; r < ranks(); ++r) std::memcpy(static_cast<char *>(all) + r * bytes, meeting_->published[r], bytes);
    meeting_->wait();
  }

 private:
  void publish(const void *data) {
    meeting_->published[rank_] = data;
    meeting_->wait();
  }

  template <class Count>
  void meet(const void *out, void *in, std::size_t item, Count &&count) {
    publish(out);
    char *target = static_cast<char *>(in);
    for (int r = 0; r < ranks(); ++r) {
      std::size_t before = 0;
      for (int q = 0; q < rank_; ++q) before += count(r, q);
      const std::size_t bytes = item * count(r, rank_);
      const char *const source = static_cast<const char *>(meeting_->published[r]) + item * before;
      if (bytes && copy_device_)
        copy_device_(target, source, bytes);
      else if (bytes)
        std::memcpy(target, source, bytes);
      target += bytes;
    }
    meeting_->wait();
  }

  Meeting *meeting_;
  int rank_;
  std::vector<std::vector<int>> counts_;
  void (*copy_device_)(void *, const void *, std::size_t) = nullptr;
  bool allows_direct_exchange_ = true;
  int forwards_ = 0;
};

/// The data that a rank passes to its engine.
struct RankOfBox {
  RankOfBox(Meeting &meeting, int rank, const TersoffTable &table) : exchange(meeting, rank), system(table) {}

  MeetingRank exchange;
  System system;               ///< owned atoms, then ghosts
  std::vector<int> box_atom;   ///< [n_owned] index in the box
  std::vector<double> v, f;    ///< [n_owned][3]
  std::vector<int> mask, tag;  ///< [n_owned]
  HaloPlan halo;
  std::unique_ptr<NeighbourList> list;

  void send_to(MdEngine &engine, const PeriodicBox &box) {
    const AtomArrays a = views_of(system.n_owned, system.x, v, f, system.type, mask, tag, box.mass);
    engine.set_atoms(a, list->rows(), halo);
  }

  /// The same without ghosts and list, both of which the engine then makes in `box_of_rank`.
  bool send_without_list(MdEngine &engine, const PeriodicBox &box, const ListBox &box_of_rank) {
    AtomArrays a = views_of(system.n_owned, system.x, v, f, system.type, mask, tag, box.mass);
    a.n_ghosts = 0;
    NeighborListView none;
    none.cutoff = box_of_rank.cutoff;
    HaloPlan plan;
    plan.shift = {0, 0, 0};
    plan.exchange = &exchange;
    plan.send_counts.assign(exchange.ranks(), 0);
    plan.receive_counts = plan.send_counts;
    plan.ghost_capacity = system.n_owned + 2000;
    engine.set_atoms(a, none, plan);
    return engine.make_list(box_of_rank);
  }
};

/// The ranks of `box`, slabs of equal width along x. The ghosts of a slab are those of the box that are near the slab.
class SeveralRanks {
 public:
  SeveralRanks(const PeriodicBox &box, int ranks) : meeting_(ranks) {
    const int n = box.n_owned();
    std::vector<int> rank_of(n), index_of(n);
    for (int r = 0; r < ranks; ++r) rank.push_back(std::make_unique<RankOfBox>(meeting_, r, box.system.table));
    for (int i = 0; i < n; ++i) {
      const double at = box.system.x[3 * i] / box.edge[0];
      rank_of[i] = std::clamp(static_cast<int>(at * ranks), 0, ranks - 1);
      RankOfBox &r = *rank[rank_of[i]];
      index_of[i] = static_cast<int>(r.box_atom.size());
      r.box_atom.push_back(i);
      r.system.add(position(box, i), box.system.type[i]);
      for (int k = 0; k < 3; ++k) r.v.push_back(box.v[3 * i + k]);
      r.mask.push_back(box.mask[i]);
      r.tag.push_back(box.tag[i]);
    }
    std::vector<std::vector<int>> counts(ranks, std::vector<int>(ranks, 0));
    for (int r = 0; r < ranks; ++r) add_ghosts(box, r, rank_of, index_of, counts);
    for (auto &r : rank) {
      r->f.assign(r->v.size(), 0);
      r->list = std::make_unique<NeighbourList>(r->system, box.system.table.cutoff() + box.skin);
      r->exchange.set_counts(counts);
      r->halo.exchange = &r->exchange;
    }
  }

  std::vector<std::unique_ptr<RankOfBox>> rank;

  /// Ends the waits of all ranks for each other.
  void break_off() { meeting_.break_off(); }

 private:
  static std::array<double, 3> position(const PeriodicBox &box, int i) {
    return {box.system.x[3 * i], box.system.x[3 * i + 1], box.system.x[3 * i + 2]};
  }

  void add_ghosts(const PeriodicBox &box, int r, const std::vector<int> &rank_of, const std::vector<int> &index_of,
                  std::vector<std::vector<int>> &counts) {
    RankOfBox &to = *rank[r];
    const int ranks = static_cast<int>(rank.size()), n_owned = to.system.n_owned;
    const double width = box.edge[0] / ranks, near = box.system.table.cutoff() + 2 * box.skin;
    to.halo.shift = box.halo.shift;
    std::vector<std::vector<int>> from(ranks);
    const auto consider = [&](int atom, int owner, int image) {
      const std::array<double, 3> x = position(box, atom);
      if (x[0] < r * width - near || x[0] > (r + 1) * width + near) return;
      const int ghost = to.system.n_all() - n_owned;
      to.system.add(x, box.system.type[atom]);
      const bool own = rank_of[owner] == r;
      to.halo.owner.push_back(own ? index_of[owner] : HaloPlan::remote);
      to.halo.image.push_back(own ? image : 0);
      if (own) return;
      from[rank_of[owner]].push_back(ghost);
      wanted_[{rank_of[owner], r}].push_back({index_of[owner], image});
    };
    for (int i = 0; i < box.n_owned(); ++i)
      if (rank_of[i] != r) consider(i, i, 0);
    for (int g = 0; g < box.halo.n_ghosts(); ++g) consider(box.n_owned() + g, box.halo.owner[g], box.halo.image[g]);
    to.system.n_owned = n_owned;
    for (int q = 0; q < ranks; ++q) {
      counts[q][r] = static_cast<int>(from[q].size());
      to.halo.receive.insert(to.halo.receive.end(), from[q].begin(), from[q].end());
      to.halo.receive_counts.push_back(counts[q][r]);
    }
    if (r + 1 < ranks) return;
    for (int q = 0; q < ranks; ++q)  // after all ranks have published their requests
      for (int p = 0; p < ranks; ++p) {
        for (const auto &[atom, image] : wanted_[{q, p}]) {
          rank[q]->halo.send.push_back(atom);
          rank[q]->halo.send_image.push_back(image);
        }
        rank[q]->halo.send_counts.push_back(counts[q][p]);
      }
  }

  Meeting meeting_;
  /// [first, second]: atoms and images that the first rank requests from the second.
  std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> wanted_;
};

}  // namespace triad
