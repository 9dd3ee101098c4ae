// The pruned list: for each centre the neighbours within the potential's cutoff plus a small inner skin. The device
// makes the pruned list from LAMMPS's neighbour list, and uses it until an atom has moved too far.
//
// Displacements are measured from a reference of each atom: the mean of the path that it is expected to take before the
// next list, if the caller knows that (ExpectedPositions), or its position. The path then stays near the reference on
// both sides, so that a list lasts up to twice as long as with displacements from where the atom was. In a crystal, the
// references may be averages over several lists.
//
// Each atom has a share of the inner skin: half the inner skin, or the largest distance of the expected path from its
// mean, whichever is larger. The list keeps a pair if the distance between the references does not exceed the
// cutoff by more than the shares of both atoms. So a few fast atoms of a melt have wide shares, and do not end the list
// of all.
//
// Each atom has its own limit of displacement: its share, plus half of the smallest distance by which a pair that the
// list omits exceeds cutoff and shares. While all atoms stay within their limits, no omitted pair can come within the
// cutoff, whatever the references are. In a crystal, the omitted pairs begin with the second shell, so the limits are
// well above the shares.
//
// Rows of up to four entries are stored in a slot-major table (slot k of all rows is contiguous), so that the loads of
// a warp of the unrolled kernel are coalesced. The entries of a row, in all tables, are in the order of atom indices;
// the row's own centre fills unused slots.
//
// Longer rows are stored in a second, row-major table, since lanes of a warp read such a row at once. The table has a
// row for each centre, so that the device can renew the list without the host while its slots suffice. If a row has
// more than most_slots entries, all rows of more than four are in the general table instead, in CSR form.
//
// If each atom has its own row, or is a ghost whose owner has one, the list can hold reverse entries: the reverse of
// entry (i, j) is the position of i in the row of j. If j is a ghost, the row is that of its owner, and the position
// that of an image of i. With reverse entries an atom finds the gradients that other centres have computed for it.
#pragma once

#include "core/cuda/formats.cuh"
#include "core/cuda/resources.cuh"
#include "core/cuda/step_guard.cuh"
#include "core/tuning.h"
#include "core/views.h"
#include "neighbor/inner_skin.h"

namespace triad {
namespace cuda {

/// A neighbour list with skin on the device: in CSR form, or as the table of NeighborListView.
struct DeviceNeighborList {
  int n_rows;
  const int *centre;            ///< [n_rows], or null if centre[row] = row
  const long long *offset;      ///< [n_rows + 1], or null for a table
  const int *neighbour;         ///< [offset[n_rows]], or the table
  double cutoff;                ///< largest distance of a pair when the list was built
  const int *length = nullptr;  ///< [n_atoms] entries of each row of a table
  std::size_t row_stride = 0, entry_stride = 1;
  int mask = ~0;  ///< bits of an entry that hold the index

  // The rows can be split into two lists, of which the second has those that wait for ghosts. The first list must be
  // built and renewed before the second.
  const unsigned char *elsewhere = nullptr;  ///< first list: [n_rows] 1 if the row is in the second list; or null
  int second_to = 0;                         ///< second list: n_rows of the first list, whose offsets both share
};

/// Ghosts among the atoms of LAMMPS's arrays. An engine does not use this.
struct ListedGhosts {
  static constexpr int none = 0x7fffffff;

  int from = none;             ///< index of the first ghost
  const int *owner = nullptr;  ///< [n_all - from] owned atoms of which the ghosts are images; null if not all are known

  bool any() const { return from != none; }
  /// The atom that receives the force on atom j.
  __device__ __forceinline__ int receiver(int j) const { return j < from || !owner ? j : __ldg(owner + (j - from)); }
};

/// Positions around which atoms are expected to stay until the next list, and the shares of the atoms in the inner
/// skin, in the format of expected_at(). When the list is made, no atom may be farther from its expected position than
/// its share. In lists that steps renew an atom may be, since the steps stop if it is beyond its limit (stop_path).
template <class Position>
struct ExpectedPositions {
  const Position *position = nullptr;
  int n = 0;                    ///< atoms that have one, the first ones; the others are expected where they are
  bool other_elements = false;  ///< the elements in this array are those of another potential
};

/// Atoms and cutoffs for pruning a list. Positions hold the elements; -1 for atoms that are not part of the potential.
template <class Position>
struct DeviceAtoms {
  int n_all;
  const Position *position;  ///< [n_all]
  PositionScale scale;
  const float *cutoff;  ///< [nelements^2]
  float inner_skin;     ///< skin of the pruned list, added to the cutoff; an atom's share is at least half of it
  int nelements;
  Position *reference;  ///< [n_all] output: the expected positions, and each atom's limit of displacement from there
  ImageNames<Position> images = {};
  ExpectedPositions<Position> expected = {};
  float image_reserve = 0;  ///< how much the shift of an image may change before the next list, length units
  ListedGhosts ghosts = {};

  /// What the list uses of an atom: the reference of its displacements, with its element, and its share in the inner
  /// skin.
  struct Listed {
    Position reference;
    float share;
  };
  __device__ __forceinline__ Listed listed(int i) const {
    const float least = 0.5f * inner_skin, most = tuning::most_share_of_skin * inner_skin;
    if (i >= expected.n) return {load(position + i), least};
    Position p = load(expected.position + i);
    const float share = fminf(fmaxf(least, share_of(p)), most);
    p.element = expected.other_elements ? static_cast<int>(position[i].element) : element_of(p);
    return {p, share};
  }
  /// Squared length of the sum of the vectors from atom i to `entry` and from atom j to `back`, two entries that name j
  /// and i or their images: 0 for an entry and its reverse, apart from rounding.
  __device__ __forceinline__ float gap_between(int i, int entry, int j, int back) const {
    if (!ghosts.owner) return images.opposite(entry, back) ? 0.0f : 1e30f;
    const auto to = vector_of(images.relative(position, load(position + i), entry), scale);
    const auto from = vector_of(images.relative(position, load(position + j), back), scale);
    const auto sum = to + from;
    return static_cast<float>(dot(sum, sum));
  }
};

/// Displacement of an atom from its reference, relative to the atom's limit.
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

/// Numbers of entry k of a row of up to four entries, and of a longer row with `width` slots. Both tables are parts of
/// one array.
__host__ __device__ __forceinline__ std::size_t short_entry(int n_rows, std::size_t row, int k) {
  return k * static_cast<std::size_t>(n_rows) + row;
}
__host__ __device__ __forceinline__ std::size_t long_entry(int width, int n_rows, std::size_t row, int k) {
  return 4 * static_cast<std::size_t>(n_rows) + row * width + k;
}

/// The pruned list as kernels read it.
struct PrunedListView {
  /// Neighbouring rows that `order` sorts together.
  static constexpr int window = tuning::order_rows_per_thread * tuning::pruned_list_block;

  int n_rows;
  const int *centre;     ///< [n_rows], or null if centre[row] = row
  const int *neighbour;  ///< [entries] by number; slot 0 of a row of the general table holds no_row
  int width;             ///< slots of a longer row, a multiple of four; 0 if there is no table for longer rows
  const int *length;     ///< [n_rows] entries of each row, or no_element; null if there is no table for longer rows
  const int *order;      ///< [n_rows] rows, within windows those of more than four entries first, those without entries
                         ///< last; null with `length`
  int n_general;         ///< rows of the general table: of more than four entries, or of atoms without an element
  const int *general_centre;        ///< [n_general]
  const long long *general_offset;  ///< [n_general + 1]
  const int *general_neighbour;
  const int *reverse;  ///< [entries] number of the reverse entry, no_entry for padding; or null
  /// By centre, one bit per entry of a row of more than four, set if the neighbour may read the gradient of an entry
  /// beyond the cutoff: its row has at most four entries, a distance from a ghost is rounded differently, or lists are
  /// linked, and forces of the first one may precede the renewal of the second. Null where no row is that long.
  const unsigned *in_short_rows;

  static constexpr int no_row = -1, no_entry = -1;
  /// In linked lists: the reverse of an entry whose atom has no row; and the first reverse entry of a row that is row b
  /// of the second list, in_second - b.
  static constexpr int one_way = -2, in_second = -3;
  static constexpr int no_element = -1;  ///< length of the row of an atom that is not part of the potential
  static constexpr int most_slots = 32;

  __host__ __device__ std::size_t entries() const { return (std::size_t(4) + width) * n_rows; }
  __device__ __forceinline__ bool is_longer(std::size_t row) const { return length && length[row] > 4; }
  /// Slots of a row; 0 if it is too long for the table, which stops the steps.
  __device__ __forceinline__ int slots_of(std::size_t row) const {
    const int used = is_longer(row) ? length[row] : 4;
    return used <= (width > 4 ? width : 4) ? used : 0;
  }
  __device__ __forceinline__ std::size_t number(std::size_t row, int k) const {
    return is_longer(row) ? long_entry(width, n_rows, row, k) : short_entry(n_rows, row, k);
  }
};

/// Sizes of a pruned list: rows of the general table, their entries, and the length of the longest row of all.
struct PrunedListSummary {
  long long general_rows, general_entries, longest;
  long long longer_rows;  ///< rows of more than four entries
  long long one_way;      ///< entries without a reverse entry, if reverse entries were requested
  long long renewed;      ///< rows of more than four entries of a list that is being renewed by refilter()
};

/// Argument of pruning::find_reverse_entries(): the output for a list.
struct ReverseEntries {
  PrunedListView list;
  int *number;                 ///< PrunedListView::reverse, or null if no reverse entries are wanted
  unsigned *in_short_rows;     ///< PrunedListView::in_short_rows, or null
  PrunedListSummary *summary;  ///< receives PrunedListSummary::one_way if steps cannot be stopped
};

/// Argument of kernels that renew a pruned list as a part of the steps of a guard; see pruning::renew_rows().
template <class Position>
struct Renewal {
  DeviceNeighborList rows;
  DeviceAtoms<Position> atoms;
  int width;               ///< slots of a row
  int *count, *neighbour;  ///< PrunedListView::length and PrunedListView::neighbour
  // if rows are ordered, otherwise null
  unsigned char *within;  ///< [n_rows] number by which a row is ordered
  int *order;             ///< PrunedListView::order
  int *finished;  ///< [windows + 1] groups of rows that are renewed in each window, and windows that are ordered
  PrunedListSummary *summary;
  LongerRows suitable;  ///< numbers of longer rows with which the steps go on
  StepGuard *guard;     ///< receives StepGuard::used; or null
  StopFlags flags;
  ReverseEntries reverse;
};

class PrunedList {
 public:
  using Summary = PrunedListSummary;

  /// Prunes `rows`, which must stay valid as long as this list. Keeps the order of rows. Also finds the reverse entries
  /// if each atom but ghosts with known owners has its own row, and at most `reversed` rows have more than four entries
  /// (a negative number: never). Waits for the stream. Throws LoopError.
  template <class Position>
  void build(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, double reversed, cudaStream_t stream);

  /// The same without waiting, as a part of the steps of `guard`; requires can_refilter(). A row of more entries than
  /// there are slots, or a number of longer rows outside of expect_longer_rows(), stops the steps, and the host must
  /// call build(). `flags` point to device memory.
  template <class Position>
  void refilter(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, StepGuard *guard,
                const StopFlags &flags, bool dependent, cudaStream_t stream);

  /// Argument of a kernel of the caller that does the work of refilter(): all blocks call pruning::renew_rows() and,
  /// when all of them have ended that, pruning::find_reverse_entries().
  template <class Position>
  Renewal<Position> renewal(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, StepGuard *guard,
                            const StopFlags &flags);

  /// Sets the numbers of rows of more than four entries with which refilter() goes on.
  void expect_longer_rows(const LongerRows &suitable) { suitable_ = suitable; }

  /// True if the general table is empty and each row has the index of its atom, which a second list need not have.
  bool can_refilter() const { return view_.n_general == 0 && (second_ || !view_.centre); }
  /// True if each row has at most four entries and each atom is part of the potential.
  bool rows_of_four() const { return view_.n_general == 0 && !view_.length; }

  /// Finds the reverse entries of two lists that together have the rows of all atoms up to first.view().n_rows, and may
  /// name atoms without rows. Entries of the second list are numbered after those of the first. The general tables of
  /// both lists must be empty, and the lists must not be moved in memory. Returns false if an entry of an atom with a
  /// row has no reverse entry. Waits for the stream. Throws LoopError.
  template <class Position>
  static bool link(PrunedList &first, PrunedList &second, const DeviceAtoms<Position> &atoms, cudaStream_t stream);
  /// The same after both lists were renewed by refilter(), without waiting. Pairs at the very edge of the list, whose
  /// distance is rounded differently in the two rows, may lack reverse entries; they are beyond the cutoff while the
  /// list is valid.
  template <class Position>
  static void renew_links(PrunedList &first, PrunedList &second, const DeviceAtoms<Position> &atoms,
                          const StopFlags &flags, cudaStream_t stream);

  /// True if the view has reverse entries.
  bool reversed() const { return view_.reverse != nullptr; }
  /// Number of entries of both tables, padding included.
  std::size_t entries() const { return view_.entries(); }

  void clear() {
    view_ = PrunedListView{};
    n_rows_ = 0;
    linked_ = false;
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
  bool fill_table(const DeviceNeighborList &rows, const DeviceAtoms<Position> &atoms, cudaStream_t stream);
  template <class Position>
  void build_reverse(const DeviceAtoms<Position> &atoms, cudaStream_t stream);
  void order_rows(cudaStream_t stream);
  void clear_reverse(cudaStream_t stream);
  /// Where the reverse entries are to be written.
  ReverseEntries reverse_entries() {
    return {view_, reverse_.data(), view_.length ? in_short_rows_.data() : nullptr, summary_device_.data()};
  }
  template <class Position>
  void find_reverse(const DeviceAtoms<Position> &atoms, bool stops, const StopFlags &flags, bool dependent,
                    cudaStream_t stream);

  DeviceBuffer<int> count_{"lengths of pruned rows"};
  DeviceBuffer<longlong2> start_{"offsets of the pruned list"};
  DeviceBuffer<char> scan_space_{"prefix sums"};
  DeviceBuffer<Summary> summary_device_{"sizes of the pruned list"};
  PinnedBuffer<Summary> summary_{"sizes of the pruned list"};
  DeviceBuffer<int> neighbour_{"the pruned list"};
  DeviceBuffer<int> general_centre_{"centres of the general path"};
  DeviceBuffer<long long> general_offset_{"offsets of the general path"};
  DeviceBuffer<int> general_neighbour_{"neighbours of the general path"};
  DeviceBuffer<int> reverse_{"reverse entries"}, order_{"the order of rows"}, finished_{"the order of rows"};
  DeviceBuffer<unsigned char> within_{"the order of rows"};
  DeviceBuffer<unsigned> in_short_rows_{"neighbours with short rows"};
  PrunedListView view_ = {};
  int n_rows_ = 0;
  int slots_ = 4;         // slots of the longest row that the next list can hold
  float slots_skin_ = 0;  // inner skin of the lists that needed these slots
  LongerRows suitable_;
  bool second_ = false;
  bool linked_ = false;  // link() has found the reverse entries
};

}  // namespace cuda
}  // namespace triad
