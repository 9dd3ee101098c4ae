// The atoms that interact without a cutoff: those of all ranks on every rank.
#pragma once

#include <cstdint>
#include <vector>

#include "lammps/fix/pairwise/rank_vectors.h"
#include "lmptype.h"

namespace LAMMPS_NS {

/// Atoms in arrays, one entry per atom.
struct PairAtomArrays {
  std::vector<double> x;  ///< [n][3]
  std::vector<int> type;
  std::vector<double> strength;  ///< empty if the law has none
  std::vector<std::uint8_t> side;
  std::vector<tagint> tag;

  int size() const { return static_cast<int>(tag.size()); }
  void clear();
  double memory_usage() const;
};

/// Joins the atoms of the ranks in the order of ranks.
class GatheredAtoms {
 public:
  explicit GatheredAtoms(MPI_Comm comm) : layout_(comm) {}

  /// Collective. `mine` must stay until the next call. Positions travel in every call, the rest when it has `changed`
  /// on some rank, as it has in the first call. Returns whether it has, the same on all ranks.
  bool gather(const PairAtomArrays &mine, bool changed);

  /// On one rank the atoms themselves.
  const PairAtomArrays &all() const { return layout_.ranks() > 1 ? all_ : *mine_; }
  const RankLayout &layout() const { return layout_; }
  double memory_usage() const { return all_.memory_usage(); }

 private:
  RankLayout layout_;
  const PairAtomArrays *mine_ = nullptr;
  PairAtomArrays all_;
};

}  // namespace LAMMPS_NS
