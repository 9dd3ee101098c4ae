// Gathers the atoms of all ranks on every rank, for interactions without a cutoff.
#pragma once

#include <cstdint>
#include <vector>

#include "lammps/fix/pairwise/rank_vectors.h"
#include "lmptype.h"

namespace LAMMPS_NS {

/// Atoms as arrays with one entry per atom.
struct PairAtomArrays {
  std::vector<double> x;  ///< [n][3]
  std::vector<int> type;
  std::vector<double> strength;  ///< empty if the law has no strengths
  std::vector<std::uint8_t> side;
  std::vector<tagint> tag;

  int size() const { return static_cast<int>(tag.size()); }
  void clear();
  double memory_usage() const;
};

/// Concatenates the atoms of the ranks in the order of ranks.
class GatheredAtoms {
 public:
  explicit GatheredAtoms(MPI_Comm comm) : layout_(comm) {}

  /// Collective. `mine` must stay valid until the next call. Every call gathers positions, and the other arrays as
  /// gather_attributes() does. Returns true if the other arrays were gathered, the same on all ranks.
  bool gather(const PairAtomArrays &mine, bool changed);
  /// The same for all arrays but the positions: gathers them if `changed` is true on some rank.
  bool gather_attributes(const PairAtomArrays &mine, bool changed);

  /// Returns the gathered atoms; on one rank these are `mine`.
  const PairAtomArrays &all() const { return layout_.ranks() > 1 ? all_ : *mine_; }
  const RankLayout &layout() const { return layout_; }
  double memory_usage() const { return all_.memory_usage(); }

 private:
  RankLayout layout_;
  const PairAtomArrays *mine_ = nullptr;
  PairAtomArrays all_;
};

}  // namespace LAMMPS_NS
