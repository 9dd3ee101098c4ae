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
// neighbour. An atom then finds what other centres have computed for it, and sums it in a fixed order. In such a list
// longer rows stand in the slot-major table too, which has as many slots as they need, and the list is renewed without
// the host as long as that is enough. The table is then row-major, since a tile of lanes reads a longer row at once.
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

/// Where entry k of row r of a table of `width` slots is: slot-major if there are four, otherwise row-major.
__host__ __device__ __forceinline__ std::size_t entry_number(int width, int n_rows, std::size_t row, int k) {
  return width == 4 ? k * static_cast<std::size_t>(n_rows) + row : row * width + k;
}
/// From one entry of a row to the next.
__host__ __device__ __forceinline__ std::size_t entry_stride(int width, int n_rows) { return width == 4 ? n_rows : 1; }

/// Read by the force kernels.
struct PrunedListView {
  int n_rows;
  const int *centre;          ///< [n_rows], null where centre[row] = row
  const int *four_neighbour;  ///< by entry_number(); slot 0 of a row of the general table holds no_row
  int width;                  ///< 4, or more where longer rows are in this table, too
  const int *length;          ///< [n_rows] entries of each row, no_part: see there; null if no row has more than four
  const int *order;           ///< [n_rows] rows, the longest first among some hundred; null likewise
  int n_general;              ///< rows of more than four entries, or of an atom in which the potential has no part
  const int *general_centre;  ///< [n_general]
  const long long *general_offset;  ///< [n_general + 1]
  const int *general_neighbour;
  const int *reverse;  ///< numbers of the reverse entries, no_entry where there is no neighbour; or null

  static constexpr int no_row = -1, no_entry = -1;
  static constexpr int no_part = -1;  ///< length of a row whose atom the potential has no part in
  static constexpr int most_slots = 32;

  __device__ __forceinline__ std::size_t number(std::size_t row, int k) const {
    return entry_number(width, n_rows, row, k);
  }
};

class PrunedList {
 public:
  /// Rows of more than four entries or without a part in the potential, entries of the former, and the longest of all
  /// rows.
  struct Summary {
    long long general_rows, general_entries, longest;
    long long one_way;  ///< entries without a reverse, where these were asked for
  };

  /// Filters `rows`, which must stay valid as long as the list; the order of rows is kept, and that of neighbours
  /// where there are more than four. With `reverse`, finds the reverse of all entries if every atom has a row of its
  /// own and no row more than most_slots entries. Waits for the stream.
  template <class Position>
  void build(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, bool reverse, cudaStream_t stream);

  /// The same for a list that can_refilter(), without waiting, as a part of the steps of `guard`: a row of more entries
  /// than there are slots stops them, and build() is due. `flags` are in device memory.
  template <class Position>
  void refilter(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, StepGuard *guard,
                const StopFlags &flags, bool chained, cudaStream_t stream);

  /// True if the general table is empty, and all rows, but for a second list, have the index of their atom.
  bool can_refilter() const { return view_.n_general == 0 && (second_ || !view_.centre); }
  /// True if every row has up to four entries and an atom that the potential has a part in.
  bool rows_of_four() const { return view_.n_general == 0 && !view_.length; }

  /// True if the view holds the reverse of every entry.
  bool reversed() const { return view_.reverse != nullptr; }
  /// Slots of the table that is not the general one.
  std::size_t entries() const { return std::size_t(view_.width) * view_.n_rows; }

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
  void count(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, int width, cudaStream_t stream);
  template <class Position>
  void build_reversed(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, cudaStream_t stream);
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
  DeviceBuffer<int> reverse_{"reverse entries"}, order_{"the order of rows"};
  DeviceBuffer<unsigned char> within_{"the order of rows"};
  PrunedListView view_ = {};
  int n_rows_ = 0;
  int slots_ = 4;  // of the next list with reverse entries
  bool second_ = false;
};

}  // namespace cuda
}  // namespace triad
