// The plan of ghosts that the engines of several ranks make themselves, when they make a neighbour list. LAMMPS's
// arrays are not involved: each atom stays with its rank until LAMMPS moves atoms to other ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/ghosts/ghost_finder.cuh"
#include "engine/cuda/ghosts/peer_exchange.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class GhostPlanner {
 public:
  GhostPlanner(DeviceContext &device, EngineAtoms<Format> &atoms, EngineGhosts<Format> &ghosts,
               PeerExchange<Format> &peers)
      : atoms_(atoms), ghosts_(ghosts), peers_(peers), finder_(device) {}

  /// Finds the bounds of the atoms of all ranks, from their anchors. Returns false if `usable` is false on any rank, or
  /// if an atom has left the part of its rank so far that LAMMPS must move it to another rank. Collective.
  bool find_extents(const ListBox &box, bool usable) {
    struct Mine {
      BoxExtent extent;
      double outside;  // largest distance of an atom from the part, in cutoffs
      int most_outside;
      int usable;
    } mine = {finder_.extent(box, atoms_.n(), atoms_.anchor()), 0, cutoffs_outside(box), usable};
    const std::array<double, 3> cutoff = cutoff_fractions(box);
    for (int d = 0; d < 3; ++d) {
      if (!box.divided[d]) continue;
      for (const double by : {box.part[d][0] - mine.extent.low[d], mine.extent.high[d] - box.part[d][1]}) {
        if (!(by <= 1)) mine.usable = 0;  // also if a position is NaN
        mine.outside = std::max(mine.outside, by / cutoff[d]);
      }
    }
    HaloExchange &exchange = *ghosts_.exchange();
    std::vector<Mine> all(exchange.ranks());
    exchange.allgather(&mine, all.data(), sizeof mine);
    extents_.clear();
    double outside = 0;
    int most = tuning::most_cutoffs_outside;
    bool good = true;
    for (const Mine &rank : all) {
      extents_.push_back(rank.extent);
      outside = std::max(outside, rank.outside);
      most = std::min(most, rank.most_outside);
      good = good && rank.usable;
    }
    return good && most > 0 && outside <= most;
  }

  /// The part of the box that has this rank's atoms and ghosts, after find_extents().
  ListBox list_box(const ListBox &box) const {
    const std::array<double, 3> cutoff = cutoff_fractions(box);
    const BoxExtent &mine = extents_[ghosts_.exchange()->rank()];
    double from[3], to[3];
    for (int d = 0; d < 3; ++d) {
      from[d] = mine.low[d] - 1.001 * cutoff[d];
      to[d] = mine.high[d] + 1.001 * cutoff[d];
    }
    return box.part_between(from, to);
  }

  /// Makes and uploads the plan after find_extents(), connects the ranks, and sends the ghosts their positions and
  /// anchors. `images`: shifts that entries of the list use, which stand before those of the plan. Returns false if the
  /// ghosts of any rank exceed the memory that set_atoms() has reserved, if there are too many atoms or images to be
  /// named by the entries of a list, or if ghosts cannot travel between GPUs any more. Collective.
  bool make(const ListBox &box, const std::vector<double> &images) {
    HaloExchange &exchange = *ghosts_.exchange();
    HaloPlan plan;
    plan.exchange = &exchange;
    plan.ghost_capacity = ghosts_.plan().ghost_capacity;
    plan.shift = images;
    plan.send_counts.assign(exchange.ranks(), 0);
    images_.clear();
    const std::vector<GhostRegion> regions = ghost_regions(box, extents_, exchange.rank());
    const std::vector<int> counts = finder_.count(box, regions, atoms_.n(), atoms_.anchor());
    auto [send, send_image] = ghosts_.start_plan(std::accumulate(counts.begin(), counts.end(), 0));
    for (std::size_t k = 0; k < regions.size(); ++k) {
      const GhostRegion &region = regions[k];
      auto known = std::find(images_.begin(), images_.end(), region.image);
      if (known == images_.end()) known = images_.insert(known, region.image);
      const int image = static_cast<int>(images.size() / 3 + (known - images_.begin()));
      finder_.find(box, region, atoms_.n(), atoms_.anchor(), counts[k], send, image, send_image);
      plan.send_counts[region.rank] += counts[k];
      send += counts[k];
      send_image += counts[k];
    }
    plan.receive_counts = exchange.set_send_counts(plan.send_counts);
    const int arriving = ghosts_wanted_ = plan.n_arriving();
    append_shifts(box, plan.shift);
    using Names = ImageNames<typename PositionOf<Format>::type>;
    const bool too_many_atoms = atoms_.n() + static_cast<long long>(arriving) >= 1ll << Names::index_bits;
    if (exchange.any(arriving > plan.ghost_capacity || too_many_atoms || plan.n_images() > Names::max_images))
      return false;
    ghosts_.set_plan(plan, atoms_.n());
    const bool was_connected = peers_.connected();
    if (!peers_.connect(atoms_.n()) && was_connected) return false;  // a batch may be running that needs the exchange
    ghosts_.upload_plan();
    if (peers_.connected()) {
      peers_.exchange_new_ghosts(atoms_.anchor());
    } else {
      ghosts_.forward();
      ghosts_.forward_anchors(atoms_.anchor());
    }
    return true;
  }

  /// Appends the shifts of the images that the last plan sends, in the present box.
  void append_shifts(const ListBox &box, std::vector<double> &shift) const {
    for (const std::array<int, 3> &n : images_)
      for (int k = 0; k < 3; ++k)
        shift.push_back(n[0] * box.edge[0][k] + n[1] * box.edge[1][k] + n[2] * box.edge[2][k]);
  }

  /// Number of ghosts that the last make() needed memory for.
  int ghosts_wanted() const { return ghosts_wanted_; }
  std::size_t device_bytes() const { return finder_.bytes(); }

 private:
  EngineAtoms<Format> &atoms_;
  EngineGhosts<Format> &ghosts_;
  PeerExchange<Format> &peers_;
  GhostFinder finder_;
  std::vector<BoxExtent> extents_;          // of all ranks
  std::vector<std::array<int, 3>> images_;  // periodic images of owned atoms that are ghosts of other ranks
  int ghosts_wanted_ = 0;
};

}  // namespace cuda
}  // namespace triad
