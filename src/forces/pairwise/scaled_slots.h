// Scaled pairs (special bonds) sorted by slot.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "forces/pairwise/tile_order.h"

namespace triad {

class ScaledSlotPairs {
 public:
  /// Copies the pairs of atoms; they take effect with the next sort().
  void set(const ScaledPairsView &pairs) {
    atom_offset_.assign(pairs.offset, pairs.offset + pairs.n + 1);
    atom_partner_.assign(pairs.partner, pairs.partner + atom_offset_.back());
    atom_factor_.assign(pairs.factor, pairs.factor + atom_offset_.back());
  }

  /// Sorts the pairs by slot, with partners in ascending order. Pairs of an atom without a slot are omitted.
  void sort(const TileOrder &order) {
    offset_.assign(1, 0);
    partner_.clear();
    factor_.clear();
    if (atom_partner_.empty()) return;
    const std::vector<int> slot = order.slots();
    if (slot.size() + 1 != atom_offset_.size())
      throw std::logic_error("the scaled pairs belong to another number of atoms");
    std::vector<std::pair<int, double>> row;
    for (const int i : order.atoms()) {
      row.clear();
      for (long long k = i < 0 ? 0 : atom_offset_[i]; k < (i < 0 ? 0 : atom_offset_[i + 1]); ++k)
        if (slot[atom_partner_[k]] >= 0) row.push_back({slot[atom_partner_[k]], atom_factor_[k]});
      std::sort(row.begin(), row.end());
      for (const auto &[partner, factor] : row) {
        partner_.push_back(partner);
        factor_.push_back(factor);
      }
      offset_.push_back(static_cast<long long>(partner_.size()));
    }
  }

  bool any() const { return !partner_.empty(); }
  double factor_of(int slot, int other) const {
    const auto begin = partner_.begin() + offset_[slot], end = partner_.begin() + offset_[slot + 1];
    const auto at = std::lower_bound(begin, end, other);
    return at != end && *at == other ? factor_[at - partner_.begin()] : 1;
  }

  const std::vector<long long> &offset() const { return offset_; }  ///< [slots + 1]
  const std::vector<int> &partner() const { return partner_; }
  const std::vector<double> &factor() const { return factor_; }

 private:
  std::vector<long long> atom_offset_ = {0}, offset_ = {0};
  std::vector<int> atom_partner_, partner_;
  std::vector<double> atom_factor_, factor_;
};

}  // namespace triad
