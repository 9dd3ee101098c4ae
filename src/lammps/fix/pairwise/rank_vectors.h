// Vectors that are distributed over ranks: gather, and reduce-scatter.
#pragma once

#include <mpi.h>

#include <type_traits>
#include <vector>

namespace LAMMPS_NS {

/// Number of entries of each rank, and their offsets in the concatenation in the order of ranks.
class RankLayout {
 public:
  explicit RankLayout(MPI_Comm comm);

  /// Collective. `mine`: number of entries of this rank.
  void set(int mine);

  /// Collective. True if `mine` is true on some rank.
  bool any(bool mine) const;

  int total() const { return offset_.back(); }
  int ranks() const { return static_cast<int>(count_.size()); }

  /// Collective. Concatenates the vectors of all ranks; `width` numbers per entry.
  template <class T>
  void join(const std::vector<T> &mine, std::vector<T> &all, int width = 1) const {
    static_assert(std::is_trivially_copyable_v<T>);
    all.resize(static_cast<std::size_t>(total()) * width);
    join_bytes(mine.data(), all.data(), static_cast<int>(sizeof(T)) * width);
  }

  /// Collective. Sums `all`, [total()][width], over the ranks; each rank receives the sums of its own entries in
  /// `mine`.
  void sum(const std::vector<double> &all, std::vector<double> &mine, int width) const;

 private:
  void join_bytes(const void *mine, void *all, int bytes_per_entry) const;

  MPI_Comm comm_;
  int me_ = 0;
  std::vector<int> count_, offset_;  // [ranks], [ranks + 1]
};

}  // namespace LAMMPS_NS
