// The host's own neighbour list: LAMMPS's list, filtered with an inner skin, kept until an atom has moved half of it,
// in chunks of neighbouring rows with an own numbering of their atoms.
//
// The chunks depend on rows and positions alone, never on the number of threads, and so do the results.
#pragma once

#include <cstdint>
#include <vector>

#include "core/aligned_array.h"
#include "core/parallel_errors.h"
#include "core/tuning.h"
#include "core/views.h"
#include "neighbor/host/row_blocks.h"
#include "neighbor/host/row_order.h"
#include "potentials/tersoff/setup.h"

namespace triad {

struct Chunk {
  std::vector<int> atom;     ///< [atoms] the chunk's atoms as the rank numbers them
  RowBlocks steady;          ///< rows that are computed as they are listed, ready for the kernels
  RowTable varying;          ///< rows whose neighbours are looked through at every step
  std::vector<char> shared;  ///< [atoms] whether other chunks hold the atom too; then its results are put aside,
  std::int64_t first_slot;   ///< from this place on, one after the other
};

class PrunedList {
 public:
  explicit PrunedList(const TersoffSetup &setup);

  /// A new list of LAMMPS, which replaces all that was known.
  void announce(const NeighborListView &rows) {
    rows_ = rows;
    stale_ = true;
  }

  /// Makes the list good for the current positions and types, with `threads` threads.
  void update(const AtomsView &atoms, int threads);

  /// Whether the list may end within AtomsView::moves_ahead of the last update.
  bool ends() const { return ends_; }

  const std::vector<Chunk> &chunks() const { return chunks_; }
  /// [chunks + 1] where the rows of each begin; empty without rows.
  const std::vector<int> &rows_of_chunks() const { return order_.begin; }
  const std::vector<int> &element_of_rank() const { return element_of_rank_; }

  /// The varying rows of a chunk with those neighbours that are within the cutoff; x is [atoms of the chunk][4].
  void look_through(const Chunk &chunk, const double *x, RowTable &rows) const;

  /// Atoms in no chunk, on which no force acts.
  const std::vector<int> &left_out() const { return left_out_; }

  /// Atoms in several chunks, [n_boundary()], and where their results stand, in the order of the chunks.
  int n_boundary() const { return static_cast<int>(boundary_atom_.size()); }
  int boundary_atom(int s) const { return boundary_atom_[s]; }
  const std::int64_t *slots_begin(int s) const { return slot_.data() + slot_begin_[s]; }
  const std::int64_t *slots_end(int s) const { return slot_.data() + slot_begin_[s + 1]; }
  std::int64_t n_slots() const { return static_cast<std::int64_t>(slot_.size()); }

  double memory_usage() const;

 private:
  /// What a thread needs to build a chunk, kept from one list to the next. No cache line is another thread's, too.
  struct alignas(128) Workspace {
    RowTable steady;
    RowSorter sorter;
    std::vector<int> row, row_rank, begin_of_rank;
    std::vector<int> number;  // [n_all] of an atom within the chunk, -1 outside
  };

  bool good_for(const AtomsView &atoms, int threads);
  void build(const AtomsView &atoms, int threads);
  void choose_skin(const AtomsView &atoms, int threads);
  void build_chunks(const AtomsView &atoms, int threads);
  double varying_rows() const;
  void build_chunk(const AtomsView &atoms, int c, Workspace &w, Chunk &chunk) const;
  void filter_row(const AtomsView &atoms, int centre, Workspace &w, RowTable &rows) const;

  /// Counts of find_boundary_atoms(), by spans of atoms and by chunks; first numbers, then where each begins.
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
  void make_room(BoundaryAtoms &work);
  void number_boundary(int n_atoms, const BoundaryAtoms &work);
  void number_slots(BoundaryAtoms &work, RegionErrors &errors);

  /// Elements stand in the list in an order of their own, which their parameters set: nothing depends on the order in
  /// which a script names them.
  std::vector<int> element_of_rank_;
  std::vector<int> type_to_rank_;  // -1 as in TersoffSetup
  struct Skin {
    double width;
    std::vector<double> listed_squared;  // as cutoff_squared_, of distances with this skin
  };
  std::vector<double> cutoff_squared_;  // [nelements^2] by rank
  Skin wide_, narrow_;
  const Skin *skin_ = &wide_;

  NeighborListView rows_;
  bool stale_ = true;
  int lists_to_choice_ = 0;
  RowOrder order_;  // of LAMMPS's list, kept as long as it is
  std::vector<Workspace> workspace_;
  AlignedArray<double> x_;  // [n_all][3] when the list was built
  double moved_ = 0;        // no atom has moved farther since
  bool ends_ = false;
  std::vector<int> type_;  // [n_all] likewise
  std::vector<Chunk> chunks_;
  std::vector<int> holders_;  // [n_all] number of chunks that hold an atom, then its number among the shared or -1
  std::vector<int> boundary_atom_, left_out_;
  std::vector<std::int64_t> slot_begin_, slot_, filled_;
};

}  // namespace triad
