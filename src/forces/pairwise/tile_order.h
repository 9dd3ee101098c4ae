// The order of atoms in loops over all pairs: tiles of 32 slots. The atoms of a tile have the same type and side, so
// all pairs of two tiles have the same coefficients, and either all or none of these pairs interact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forces/pairwise/atom_tile.h"

namespace triad {

class TileOrder {
 public:
  /// Sorts atoms by type (null: one type) and side (null: all interact), preserving the order within a tile class;
  /// atoms of side 0 are omitted. Types count from 1. Returns false if the order is unchanged.
  bool update(int n, const int *type, int n_types, const std::uint8_t *side) {
    const auto same = [n](const auto &kept, const auto *given) {
      return given ? int(kept.size()) == n && std::equal(kept.begin(), kept.end(), given) : kept.empty();
    };
    if (n == n_ && same(type_, type) && same(side_, side)) return false;
    n_ = n;
    type_.assign(type, type ? type + n : type);
    side_.assign(side, side ? side + n : side);
    build(type ? n_types : 1);
    return true;
  }

  int n_tiles() const { return static_cast<int>(tile_.size()); }
  const std::vector<AtomTile> &tiles() const { return tile_; }
  /// [32 * atom tiles] index of the atom in a slot, -1 for none.
  const std::vector<int> &atoms() const { return atom_; }
  /// True if some pairs of tiles do not interact.
  bool sided() const { return sided_; }

  /// [n] slot of an atom, -1 if the atom has no slot.
  std::vector<int> slots() const {
    std::vector<int> slot(n_, -1);
    for (std::size_t s = 0; s < atom_.size(); ++s)
      if (atom_[s] >= 0) slot[atom_[s]] = static_cast<int>(s);
    return slot;
  }

 private:
  void build(int n_types) {
    tile_.clear();
    atom_.clear();
    sided_ = false;
    const auto bin = [this](int i) {
      return 4 * static_cast<std::size_t>(type_.empty() ? 0 : type_[i] - 1) + (side_.empty() ? 3 : side_[i] & 3);
    };
    std::vector<std::size_t> size(4 * static_cast<std::size_t>(n_types)), next(size.size());
    for (int i = 0; i < n_; ++i) ++size[bin(i)];
    for (std::size_t b = 0; b < size.size(); ++b) {
      const int side = static_cast<int>(b % 4);
      if (side == 0) continue;
      if (size[b] > 0 && side != 3) sided_ = true;
      next[b] = atom_.size();
      for (std::size_t left = size[b]; left > 0;) {
        const int count = static_cast<int>(std::min<std::size_t>(left, tile_width));
        tile_.push_back({count, static_cast<int>(b / 4), side, 0});
        left -= count;
      }
      atom_.resize(tile_.size() * tile_width, -1);
    }
    for (int i = 0; i < n_; ++i)
      if (bin(i) % 4 != 0) atom_[next[bin(i)]++] = i;
  }

  int n_ = -1;
  std::vector<int> type_;
  std::vector<std::uint8_t> side_;
  std::vector<AtomTile> tile_;
  std::vector<int> atom_;
  bool sided_ = false;
};

}  // namespace triad
