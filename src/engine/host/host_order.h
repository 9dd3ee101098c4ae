// The order of the atoms in the host engine: that of the chunks in which the forces are computed. A thread then
// integrates the atoms whose forces it computes, which stay in the cache of its core. Atoms that are near each other in
// space are near each other in memory.
#pragma once

#include <cstddef>
#include <vector>

#include "core/views.h"

namespace triad {

/// Only owned atoms are reordered. Arrays have `width` numbers per atom.
class HostOrder {
 public:
  /// Chooses the order, which is the caller's if not `by_chunks`.
  void take(const AtomsView &atoms, bool by_chunks, int threads);

  /// The caller's index of the engine's atom k.
  int operator[](int k) const { return atom_[k]; }
  /// [n_all] the engine's indices of the caller's atoms.
  const int *index_map() const { return index_map_.data(); }
  /// A list of the caller in the engine's order. `centre`: memory for the centres, which must stay valid as long as the
  /// result, as must `list` and this object until the next take().
  NeighborListView rows(const NeighborListView &list, std::vector<int> &centre) const;

  /// Copies values of the owned atoms from the caller's order to the engine's, or back.
  void from_caller(const double *from, int width, double *to) const;
  void to_caller(const double *from, int width, double *to) const;
  /// Adds values of owned atoms and ghosts to the caller's arrays.
  void add_to_caller(const double *from, int width, double *to) const;

  double bytes() const { return sizeof(int) * double(atom_.capacity() + index_map_.capacity()); }

 private:
  std::vector<int> atom_, index_map_;  // [n_all]
  int n_owned_ = 0, threads_ = 1;
};

}  // namespace triad
