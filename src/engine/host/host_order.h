// The order in which the host's engine holds its atoms: that of the chunks in which their forces are computed. A
// thread then moves the atoms whose forces it computes, and they stay in its core's cache; what belongs together in
// space lies together in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "core/views.h"

namespace triad {

/// Owned atoms move, ghosts stay where the caller has them. Arrays are of `width` numbers per atom.
class HostOrder {
 public:
  /// `atoms` and `rows` are the caller's; both have to stay until the next call.
  void take(const AtomsView &atoms, const NeighborListView &rows, int threads);

  /// The caller's number of the engine's atom k.
  int operator[](int k) const { return atom_[k]; }
  /// [n_all] the engine's numbers of the caller's atoms.
  const int *index_map() const { return index_map_.data(); }
  /// The list that was taken, for positions in the engine's order.
  NeighborListView rows() const;

  /// Numbers of the owned atoms, from the caller's order to the engine's, and back.
  void from_caller(const double *from, int width, double *to) const;
  void to_caller(const double *from, int width, double *to) const;
  /// The same, ghosts included, added to what the caller has.
  void add_to_caller(const double *from, int width, double *to) const;

  double bytes() const { return sizeof(int) * double(atom_.capacity() + index_map_.capacity()); }

 private:
  std::vector<int> atom_, index_map_;  // [n_all]
  NeighborListView rows_;
  int n_owned_ = 0, threads_ = 1;
};

}  // namespace triad
