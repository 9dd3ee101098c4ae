// Blocks of slots (forces/pairwise/tile_order.h): the work items of all pairs on the host are pairs of blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/triangle.h"
#include "core/tuning.h"
#include "forces/pairwise/host/pair_tiles.h"
#include "forces/pairwise/scaled_slots.h"
#include "forces/pairwise/tile_order.h"

namespace triad {

/// Slots of one type and side.
struct PairBlock : SlotRange {
  int type, side;
};

/// The blocks, and which pairs of them contain scaled pairs.
class PairBlocks {
 public:
  /// Groups consecutive tiles of one type and side, up to tuning::host_pair_block slots.
  void make(const TileOrder &order) {
    block_.clear();
    block_of_slot_.assign(order.atoms().size(), -1);
    const auto &tiles = order.tiles();
    constexpr int most = tuning::host_pair_block / tile_width;
    for (int s = 0; s < order.n_tiles();) {
      const int first = s;
      int end = s * tile_width;
      while (s < order.n_tiles() && s < first + most && tiles[s].type == tiles[first].type &&
             tiles[s].side == tiles[first].side) {
        end = s * tile_width + tiles[s].count;
        ++s;
      }
      std::fill(block_of_slot_.begin() + first * tile_width, block_of_slot_.begin() + end, int(block_.size()));
      block_.push_back({{first * tile_width, end}, tiles[first].type, tiles[first].side});
    }
  }
  /// Finds the pairs of blocks that contain scaled pairs. To be called after make() and after each change of `scaled`.
  void find_scaled(const ScaledSlotPairs &scaled) {
    scaled_.clear();
    for (std::size_t slot = 0; scaled.any() && slot < block_of_slot_.size(); ++slot)
      for (long long k = scaled.offset()[slot]; k < scaled.offset()[slot + 1]; ++k) {
        const int a = block_of_slot_[slot], b = block_of_slot_[scaled.partner()[k]];
        if (a <= b) scaled_.push_back(triangle_number({a, b}));
      }
    std::sort(scaled_.begin(), scaled_.end());
  }

  std::int64_t size() const { return static_cast<std::int64_t>(block_.size()); }
  const PairBlock &operator[](std::int64_t number) const { return block_[number]; }
  /// True if two blocks, in any order, contain a scaled pair.
  bool has_scaled(const TrianglePair &blocks) const {
    const auto [low, high] = std::minmax(blocks.low, blocks.high);
    return std::binary_search(scaled_.begin(), scaled_.end(), triangle_number({low, high}));
  }

 private:
  std::vector<PairBlock> block_;
  std::vector<int> block_of_slot_;    // [slots] -1 for a slot without an atom
  std::vector<std::int64_t> scaled_;  // triangle_number() of the pairs of blocks that contain scaled pairs, rising
};

}  // namespace triad
