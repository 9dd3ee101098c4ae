// Boundary atoms of the host's pruned list: atoms that belong to several chunks.
#include <algorithm>

#include "core/parallel_errors.h"
#include "core/tuning.h"
#include "neighbor/host/pruned_list.h"

namespace triad {

/// Finds the boundary atoms and assigns to each of them one result slot per chunk.
void PrunedList::find_boundary_atoms(int n_atoms, int threads) {
  BoundaryAtoms work(n_atoms, static_cast<int>(chunks_.size()));
  holders_.resize(n_atoms);
  RegionErrors errors;
#pragma omp parallel num_threads(threads)
  {
    count_holders(n_atoms);
    count_boundary(n_atoms, work);
#pragma omp single
    errors.guard([&] { resize_arrays(work); });
    if (!errors.any()) {  // the same for all threads after the barrier of `single`
      number_boundary(n_atoms, work);
      number_slots(work, errors);
    }
  }
  errors.rethrow();
}

// Parts of find_boundary_atoms(); all threads call them.

void PrunedList::count_holders(int n_atoms) {
  const int n_chunks = static_cast<int>(chunks_.size());
#pragma omp for schedule(static)
  for (int i = 0; i < n_atoms; ++i) holders_[i] = 0;
#pragma omp for schedule(static)
  for (int c = 0; c < n_chunks; ++c)
    for (const int i : chunks_[c].atom) {
#pragma omp atomic
      ++holders_[i];
    }
}

/// Counts the atoms without a chunk, the boundary atoms and their slots in each span of atoms.
void PrunedList::count_boundary(int n_atoms, BoundaryAtoms &work) const {
  constexpr int span = tuning::host_atoms_per_span;
  const int n_spans = work.n_spans();
#pragma omp for schedule(static)
  for (int b = 0; b < n_spans; ++b)
    for (int i = b * span; i < std::min(n_atoms, (b + 1) * span); ++i) {
      work.left_of_span[b + 1] += holders_[i] == 0;
      if (holders_[i] > 1) {
        ++work.boundary_of_span[b + 1];
        work.slot_of_span[b + 1] += holders_[i];
      }
    }
}

/// Called by one thread: replaces the counts by prefix sums and resizes the arrays.
void PrunedList::resize_arrays(BoundaryAtoms &work) {
  const int n_spans = work.n_spans();
  for (int b = 0; b < n_spans; ++b) {
    work.boundary_of_span[b + 1] += work.boundary_of_span[b];
    work.slot_of_span[b + 1] += work.slot_of_span[b];
    work.left_of_span[b + 1] += work.left_of_span[b];
  }
  left_out_.resize(work.left_of_span[n_spans]);
  boundary_atom_.resize(work.boundary_of_span[n_spans]);
  slot_begin_.resize(work.boundary_of_span[n_spans] + 1);
  slot_begin_.back() = work.slot_of_span[n_spans];
  filled_.resize(work.boundary_of_span[n_spans]);
  slot_.resize(work.slot_of_span[n_spans]);
}

/// Numbers the atoms without a chunk and the boundary atoms in the order of atoms, and assigns consecutive slots. After
/// this function holders_ holds the numbers of the boundary atoms.
void PrunedList::number_boundary(int n_atoms, const BoundaryAtoms &work) {
  constexpr int span = tuning::host_atoms_per_span;
  const int n_spans = work.n_spans();
#pragma omp for schedule(static)
  for (int b = 0; b < n_spans; ++b) {
    int s = work.boundary_of_span[b], left = work.left_of_span[b];
    std::int64_t slot = work.slot_of_span[b];
    for (int i = b * span; i < std::min(n_atoms, (b + 1) * span); ++i) {
      const int count = holders_[i];
      holders_[i] = count > 1 ? s : -1;
      if (count == 0) left_out_[left++] = i;
      if (count < 2) continue;
      boundary_atom_[s] = i;
      slot_begin_[s] = filled_[s] = slot;
      slot += count;
      ++s;
    }
  }
}

/// The slots of a chunk are contiguous. Each boundary atom collects its slots in arbitrary order and sorts them.
void PrunedList::number_slots(BoundaryAtoms &work, RegionErrors &errors) {
  const int n_chunks = static_cast<int>(chunks_.size());
#pragma omp for schedule(static)
  for (int c = 0; c < n_chunks; ++c)
    for (const int i : chunks_[c].atom) work.chunk_begin[c + 1] += holders_[i] >= 0;
#pragma omp single
  for (int c = 0; c < n_chunks; ++c) work.chunk_begin[c + 1] += work.chunk_begin[c];
#pragma omp for schedule(static)
  for (int c = 0; c < n_chunks; ++c) {
    Chunk &chunk = chunks_[c];
    std::int64_t slot = chunk.first_slot = work.chunk_begin[c];
    errors.guard([&] { chunk.on_boundary.resize(chunk.atom.size()); });
    for (std::size_t a = 0; a < chunk.on_boundary.size(); ++a) {
      const int s = holders_[chunk.atom[a]];
      chunk.on_boundary[a] = s >= 0;
      if (s < 0) continue;
      std::int64_t at;
#pragma omp atomic capture
      at = filled_[s]++;
      slot_[at] = slot++;
    }
  }
#pragma omp for schedule(static)
  for (int s = 0; s < n_boundary(); ++s) std::sort(slot_.begin() + slot_begin_[s], slot_.begin() + slot_begin_[s + 1]);
}

}  // namespace triad
