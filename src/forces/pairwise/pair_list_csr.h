// Pair lists in CSR format, from LAMMPS's neighbour list or from listed pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "forces/pairwise/list_entry.h"
#include "forces/pairwise/pairwise_backend.h"

namespace triad {

class PairListCsr {
 public:
  /// Copies a neighbour list. Entries keep the two bits that select a factor of special bonds.
  void set_neighbours(const PairListView &list) {
    const NeighborListView &rows = list.rows;
    both_sides_ = list.full;
    centre_.assign(rows.centre, rows.centre + rows.n_rows);
    offset_.assign(1, 0);
    for (const int i : centre_) offset_.push_back(offset_.back() + rows.length[i]);
    entry_.clear();
    entry_.reserve(offset_.back());
    constants_.clear();
    for (const int i : centre_)
      for (int k = 0; k < rows.length[i]; ++k) {
        const unsigned entry = static_cast<unsigned>(rows.first(i)[k * rows.entry_stride]);
        const int j = static_cast<int>(entry & static_cast<unsigned>(rows.mask) & ListEntry::index_bits);
        entry_.push_back((entry & ListEntry::special_bits) | static_cast<unsigned>(rows.index_of(j)));
      }
    for (int &i : centre_) i = rows.index_of(i);
  }

  /// Sorts listed pairs of n atoms into rows by the first atom; with `both_sides` each pair is also in the row of its
  /// second atom.
  void set_pairs(const PossiblePairsView &pairs, int n, bool both_sides) {
    both_sides_ = both_sides;
    centre_.resize(n);
    for (int i = 0; i < n; ++i) centre_[i] = i;
    offset_.assign(static_cast<std::size_t>(n) + 1, 0);
    for (long long k = 0; k < pairs.n; ++k) {
      ++offset_[pairs.i[k] + 1];
      if (both_sides) ++offset_[pairs.j[k] + 1];
    }
    for (int i = 0; i < n; ++i) offset_[i + 1] += offset_[i];
    std::vector<long long> next(offset_.begin(), offset_.end() - 1);
    entry_.resize(offset_[n]);
    constants_.resize(offset_[n]);
    const auto put = [&](int i, int j, long long k) {
      entry_[next[i]] = static_cast<unsigned>(j) | (pairs.constants[k].fixed ? ListEntry::fixed_bit : 0);
      constants_[next[i]++] = pairs.constants[k];
    };
    for (long long k = 0; k < pairs.n; ++k) {
      put(pairs.i[k], pairs.j[k], k);
      if (both_sides) put(pairs.j[k], pairs.i[k], k);
    }
  }

  /// Copies the fixed pairs of `all`, and those for which keep(i, j) is true.
  template <class Keep>
  void filter(const PairListCsr &all, Keep &&keep) {
    both_sides_ = all.both_sides_;
    centre_ = all.centre_;
    offset_.assign(1, 0);
    entry_.clear();
    constants_.clear();
    for (int row = 0; row < all.n_rows(); ++row) {
      for (long long k = all.begin(row); k < all.begin(row + 1); ++k) {
        if (!all.constants_[k].fixed && !keep(all.centre(row), all.partner(k))) continue;
        entry_.push_back(all.entry_[k]);
        constants_.push_back(all.constants_[k]);
      }
      offset_.push_back(static_cast<long long>(entry_.size()));
    }
  }

  int n_rows() const { return static_cast<int>(centre_.size()); }
  bool both_sides() const { return both_sides_; }
  int centre(int row) const { return centre_[row]; }
  long long begin(int row) const { return offset_[row]; }
  int partner(long long k) const { return static_cast<int>(entry_[k] & ListEntry::index_bits); }
  /// Index of the factor of special bonds, 0 to 3. Neighbour lists only.
  int special(long long k) const { return static_cast<int>(entry_[k] >> 30); }
  /// Of listed pairs.
  const ListedConstants &constants(long long k) const { return constants_[k]; }
  const std::vector<int> &centres() const { return centre_; }
  const std::vector<long long> &offsets() const { return offset_; }
  const std::vector<unsigned> &entries() const { return entry_; }
  /// [entries] of listed pairs; empty for a neighbour list.
  const std::vector<ListedConstants> &constants() const { return constants_; }
  double bytes() const {
    return double(sizeof(int)) * double(centre_.capacity() + entry_.capacity()) +
           double(sizeof(long long)) * double(offset_.capacity()) +
           double(sizeof(ListedConstants)) * double(constants_.capacity());
  }

 private:
  std::vector<int> centre_;
  std::vector<long long> offset_ = {0};
  std::vector<unsigned> entry_;
  std::vector<ListedConstants> constants_;
  bool both_sides_ = false;
};

}  // namespace triad
