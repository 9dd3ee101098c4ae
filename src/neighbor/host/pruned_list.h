// The host's pruned list: LAMMPS's list, filtered with an inner skin, and reused until an atom is half of that skin
// away from its reference: where it was when the list was made, or the mean of the path that it was then expected to
// take. The rows form chunks of neighbouring rows, each with local atom indices.
//
// The chunks depend only on rows and references, not on the number of threads; neither do the results.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/aligned_array.h"
#include "core/parallel_errors.h"
#include "core/tuning.h"
#include "core/views.h"
#include "neighbor/host/row_blocks.h"
#include "neighbor/host/row_order.h"
#include "neighbor/host/watched_rows.h"
#include "neighbor/inner_skin.h"
#include "potentials/tersoff/setup.h"

namespace triad {

struct Chunk {
  std::vector<int> atom;          ///< [atoms] rank-local index of each atom of the chunk
  RowBlocks steady;               ///< rows that are computed with all listed neighbours, in the format of the kernels
  RowTable varying;               ///< rows whose neighbours are filtered in every step
  WatchedRows watched;            ///< rows that are filtered when a distant neighbour comes close
  std::vector<char> on_boundary;  ///< [atoms] true for boundary atoms; their results go to slots,
  std::int64_t first_slot;        ///< starting with this one, in the order of the chunk's boundary atoms
};

class PrunedList {
 public:
  PrunedList(const TersoffSetup &setup, Isa isa);

  /// Announces a new list of LAMMPS and discards all chunks.
  void announce(const NeighborListView &rows) {
    rows_ = rows;
    stale_ = true;
  }

  /// Rebuilds the list if it is not valid for the current positions and types.
  void update(const AtomsView &atoms, int threads);

  /// True if the list may expire within AtomsView::moves_ahead of the last update.
  bool ends() const { return ends_ && !stale_; }

  const std::vector<Chunk> &chunks() const { return chunks_; }
  /// [chunks + 1] first row of each chunk; empty without rows.
  const std::vector<int> &rows_of_chunks() const { return order_.begin; }
  const std::vector<int> &element_of_rank() const { return element_of_rank_; }

  /// Divides the watched rows of a chunk. Writes the varying rows and those that were reached to `rows`, with the
  /// neighbours within the cutoff; x is [atoms of the chunk][4].
  void filter_varying(const Chunk &chunk, const double *x, WatchedRows::Divided &watched, RowTable &rows) const {
    const int n_ranks = static_cast<int>(element_of_rank_.size());
    rows.clear();
    rows.append_filtered(filters_, chunk.varying, chunk.varying.rows(), x, cutoff_squared_.data(), n_ranks);
    chunk.watched.divide(filters_, static_cast<int>(chunk.atom.size()), x, watched);
    rows.append_filtered(filters_, chunk.watched.rows, watched.reached, x, cutoff_squared_.data(), n_ranks);
  }

  /// Atoms that belong to no chunk, on which no force acts.
  const std::vector<int> &left_out() const { return left_out_; }

  /// Boundary atoms, [n_boundary()], and their result slots in the order of the chunks.
  int n_boundary() const { return static_cast<int>(boundary_atom_.size()); }
  int boundary_atom(int s) const { return boundary_atom_[s]; }
  const std::int64_t *slots_begin(int s) const { return slot_.data() + slot_begin_[s]; }
  const std::int64_t *slots_end(int s) const { return slot_.data() + slot_begin_[s + 1]; }
  std::int64_t n_slots() const { return static_cast<std::int64_t>(slot_.size()); }

  double memory_usage() const;

 private:
  /// Scratch memory of a thread, kept from one list to the next. The alignment prevents false sharing.
  struct alignas(128) Workspace {
    RowTable steady;
    RowSorter sorter;
    std::vector<int> row, row_rank, begin_of_rank;
    std::vector<int> number;  // [n_all] index of an atom within the chunk, -1 if not in the chunk
  };

  bool good_for(const AtomsView &atoms, int threads);
  void note_life();
  void build(const AtomsView &atoms, int threads);
  void choose_skin(const AtomsView &atoms, int threads);
  void build_chunks(const AtomsView &atoms, int threads);
  double varying_rows() const;
  void build_chunk(int c, Workspace &w, Chunk &chunk) const;
  void filter_row(int centre, Workspace &w, Chunk &chunk) const;
  /// Rank of the element of an atom when the list was built, or -1.
  int rank_of(int atom) const { return type_to_rank_[static_cast<int>(x_[4 * std::size_t(atom) + 3])]; }

  /// Counters of find_boundary_atoms() by spans of atoms and by chunks; prefix sums replace the counts.
  struct BoundaryAtoms {
    BoundaryAtoms(int n_atoms, int n_chunks)
        : boundary_of_span((n_atoms + tuning::host_atoms_per_span - 1) / tuning::host_atoms_per_span + 1, 0),
          left_of_span(boundary_of_span.size(), 0),
          slot_of_span(boundary_of_span.size(), 0),
          chunk_begin(n_chunks + 1, 0) {}
    int n_spans() const { return static_cast<int>(boundary_of_span.size()) - 1; }
    std::vector<int> boundary_of_span, left_of_span;
    std::vector<std::int64_t> slot_of_span, chunk_begin;
  };
  void find_boundary_atoms(int n_atoms, int threads);
  void count_holders(int n_atoms);
  void count_boundary(int n_atoms, BoundaryAtoms &work) const;
  void resize_arrays(BoundaryAtoms &work);
  void number_boundary(int n_atoms, const BoundaryAtoms &work);
  void number_slots(BoundaryAtoms &work, RegionErrors &errors);

  /// Elements are sorted by their parameters, so that results do not depend on the order in which a script names the
  /// elements.
  std::vector<int> element_of_rank_;
  RowFilters filters_;
  bool watches_;                   // false without AVX2: with SSE2, watching rows of GaN takes 18 % more time
  std::vector<int> type_to_rank_;  // -1 as in TersoffSetup
  struct Skin {
    double width;
    std::vector<double> listed_squared;  // [nelements][types] (cutoff + skin)^2 by rank and type; 0 for other atoms
  };
  std::vector<double> cutoff_squared_;  // [nelements^2] by rank
  Skin wide_, narrow_, widest_;
  const Skin *skin_ = &wide_;

  NeighborListView rows_;
  bool stale_ = true;
  int lists_to_choice_ = 0;
  RowOrder order_;  // of LAMMPS's list; kept until LAMMPS renews the list
  std::vector<Workspace> workspace_;
  AlignedArray<double> x_;            // [n_all][4] references, and types when the list was built
  const double *expected_ = nullptr;  // [n_all][3] of ExpectedMotion, for the list that is being built; or null
  std::size_t n_atoms_ = 0;
  double moved_ = 0;                 // upper bound of the distance of any atom from its reference
  int age_ = 0;                      // steps since the list was built
  bool expired_ = false;             // an atom is too far from its reference, or soon would be, or has another type
  std::optional<LifePerSkin> life_;  // by skins in length units; empty: not known
  bool ends_ = false;
  std::vector<Chunk> chunks_;
  std::vector<int> holders_;  // [n_all] number of chunks with an atom; later its index among the boundary atoms, or -1
  std::vector<int> boundary_atom_, left_out_;
  std::vector<std::int64_t> slot_begin_, slot_, filled_;
};

}  // namespace triad
