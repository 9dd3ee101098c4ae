// The pruned list: for every centre the neighbours within the cutoff of the potential plus a small inner skin, filtered
// on the device from LAMMPS's list and used until an atom has moved too far.
//
// How far is each atom's own limit: half of the least that a pair which the list leaves out lies beyond the cutoff. As
// long as every atom keeps to its limit, no such pair can have come within the cutoff. In a crystal the pairs left out
// start with the second shell, so that the limits are well above half the inner skin.
//
// Rows of up to four entries stand in a slot-major table (slot k of all rows contiguous), so that a warp of the
// unrolled kernel reads one line per slot; the entries of a row in the order of their atoms, then the row's own centre
// where there are fewer. All others lie row by row (CSR) in a table of their own, of any length.
//
// A list whose every atom has its own row can hold the reverse of each entry: where the centre stands in the row of its
// neighbour. An atom then finds what other centres have computed for it, and sums it in a fixed order.
#pragma once

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "core/cuda/step_guard.cuh"
#include "core/tuning.h"
#include "core/views.h"

namespace triad {
namespace cuda {

/// A neighbour list with skin on the device: row by row, or as the table of NeighborListView.
struct DeviceNeighborList {
  int n_rows;
  const int *centre;            ///< [n_rows], null where centre[row] = row
  const long long *offset;      ///< [n_rows + 1], null for a table
  const int *neighbour;         ///< [offset[n_rows]], or the table
  double cutoff;                ///< largest distance of a pair when the list was built
  const int *length = nullptr;  ///< [n_atoms], of a table
  std::size_t row_stride = 0, entry_stride = 1;
  int mask = ~0;  ///< bits of an entry that are the index

  // Rows of the same atoms in two lists, so that those that wait for something are computed apart. The first list is
  // built, and renewed, before the second.
  const unsigned char *elsewhere = nullptr;  ///< [n_rows] of the first list: 1 where the row is in the second; or null
  int second_to = 0;                         ///< of the second list: n_rows of the first, whose offsets these are
};

/// What a filter needs besides the list. Elements are in the positions; -1 where the potential has no part in the atom.
template <class Position>
struct DeviceAtoms {
  int n_all;
  const Position *position;  ///< [n_all]
  PositionScale scale;
  const float *cutoff;  ///< [nelements^2]
  float inner_skin;     ///< what the list adds to the cutoff
  int nelements;
  Position *reference;  ///< [n_all], written: the positions, and how far each atom may move from there
  ImageNames<Position> images = {};
};

/// How far an atom is from where the list was built, measured by its limit.
enum class Moved { Little, Nearly, TooFar };
template <class Position>
__device__ __forceinline__ Moved moved_from(const Position &reference, const Position &now,
                                            const PositionScale &scale) {
  const auto moved = difference(reference, now, scale);
  const float moved_squared = static_cast<float>(dot(moved, moved)), limit = limit_of(reference);
  constexpr float nearly = tuning::nearly_moved * tuning::nearly_moved;
  if (moved_squared <= nearly * limit * limit) return Moved::Little;
  return moved_squared <= limit * limit ? Moved::Nearly : Moved::TooFar;
}

/// Read by the force kernels. Entries are numbered: entry k of row r of the table of four is k * n_rows + r, and entry e
/// of the general table is 4 * n_rows + e.
struct PrunedListView {
  int n_rows;
  const int *centre;          ///< [n_rows], null where centre[row] = row
  const int *four_neighbour;  ///< [4][n_rows]; slot 0 of a row of the general table holds no_row
  int n_general;              ///< rows of more than four entries, or of an atom in which the potential has no part
  const int *general_centre;  ///< [n_general]
  const long long *general_offset;  ///< [n_general + 1]
  const int *general_neighbour;
  /// [4][n_rows] numbers of the entries that name the row's atom in the rows of its neighbours, or null; no_entry where
  /// there is no neighbour. Slot 0 of row g of the general table holds general_row(g).
  const int *four_reverse;
  const int *general_reverse;  ///< the same of the general table

  static constexpr int no_row = -1, no_entry = -1;
  __host__ __device__ static int general_row(int g) { return -2 - g; }
};

class PrunedList {
 public:
  /// Rows and entries of the general table, and the longest of all rows.
  struct Summary {
    long long general_rows, general_entries, longest;
    long long one_way;  ///< entries without a reverse, where these were asked for
  };

  /// Filters `rows`, which must stay valid as long as the list; the order of rows is kept, and that of neighbours
  /// where there are more than four. With `reverse`, looks up the reverse of all entries if every atom has a row of its
  /// own. Waits for the stream.
  template <class Position>
  void build(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, bool reverse, cudaStream_t stream);

  /// The same for a list that can_refilter(), without waiting, as a part of the steps of `guard`: a row of more
  /// than four entries stops them, and build() is due. `flags` are in device memory.
  template <class Position>
  void refilter(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, StepGuard *guard,
                const StopFlags &flags, bool chained, cudaStream_t stream);

  /// True if no row has more than four entries nor an atom without a part in the potential, and all rows, but for a
  /// second list, have the index of their atom.
  bool can_refilter() const { return view_.n_general == 0 && (second_ || !view_.centre); }

  /// True if the view holds the reverse of every entry.
  bool reversed() const { return view_.four_reverse != nullptr; }
  /// Entries of both tables, as they are numbered.
  std::size_t entries() const { return n_rows_ ? 4 * std::size_t(n_rows_) + summary_[0].general_entries : 0; }

  void clear() {
    view_ = PrunedListView{};
    n_rows_ = 0;
  }

  PrunedListView view() const { return view_; }
  Summary summary() const { return n_rows_ ? summary_[0] : Summary{}; }
  std::size_t bytes() const;

 private:
  template <class Position>
  void build_general(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, cudaStream_t stream);
  template <class Position>
  void find_reverse(const DeviceAtoms<Position> &atoms, StepGuard *guard, const StopFlags &flags, bool chained,
                    cudaStream_t stream);

  DeviceBuffer<int> count_{"short-list counts"};
  DeviceBuffer<longlong2> start_{"short-list offsets"};
  DeviceBuffer<char> scan_space_{"prefix sums"};
  DeviceBuffer<Summary> summary_device_{"short-list sizes"};
  PinnedBuffer<Summary> summary_{"short-list sizes"};
  DeviceBuffer<int> four_neighbour_{"lists of four neighbours"};
  DeviceBuffer<int> general_centre_{"centres of the general path"};
  DeviceBuffer<long long> general_offset_{"offsets of the general path"};
  DeviceBuffer<int> general_neighbour_{"neighbours of the general path"};
  DeviceBuffer<int> four_reverse_{"reverse entries"}, general_reverse_{"reverse entries"};
  PrunedListView view_ = {};
  int n_rows_ = 0;
  bool second_ = false;
};

}  // namespace cuda
}  // namespace triad
