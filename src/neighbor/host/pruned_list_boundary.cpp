// The atoms that several chunks of the host's pruned list hold.
#include <algorithm>

#include "core/parallel_errors.h"
#include "core/tuning.h"
#include "neighbor/host/pruned_list.h"

namespace triad {

/// Finds the atoms that several chunks hold and gives each of these a slot per chunk to put its results aside.
void PrunedList::find_boundary_atoms(int n_atoms, int threads) {
  BoundaryAtoms work(n_atoms, static_cast<int>(chunks_.size()));
  holders_.resize(n_atoms);
  RegionErrors errors;
#pragma omp parallel num_threads(threads)
  {
    count_holders(n_atoms);
    count_boundary(n_atoms, work);
#pragma omp single
    errors.guard([&] { make_room(work); });
    if (!errors.any()) {  // the same for all threads behind the barrier of `single`
      number_boundary(n_atoms, work);
      number_slots(work, errors);
    }
  }
  errors.rethrow();
}

// Parts of find_boundary_atoms(), which all threads enter.

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

/// Atoms left out, shared ones, and the slots of the latter, of each span of atoms.
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

/// By one thread: the counts become sums over the spans before, and the arrays get their sizes.
void PrunedList::make_room(BoundaryAtoms &work) {
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

/// Atoms left out, and shared ones, in the order of atoms, their slots one after the other; holders_ becomes the
/// numbers of the latter.
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

/// What a chunk puts aside stands together; each atom gathers its places, in whatever order, and sorts them.
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
    errors.guard([&] { chunk.shared.resize(chunk.atom.size()); });
    for (std::size_t a = 0; a < chunk.shared.size(); ++a) {
      const int s = holders_[chunk.atom[a]];
      chunk.shared[a] = s >= 0;
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
