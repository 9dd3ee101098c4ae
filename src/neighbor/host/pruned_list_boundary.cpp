// The atoms that several chunks of the host's short list hold.
#include <algorithm>

#include "core/tuning.h"
#include "neighbor/host/pruned_list.h"

namespace triad {

/// Finds the atoms that several chunks hold and gives each of these a place per chunk to put its results aside.
void ShortList::share_out(int n_atoms, int threads) {
  SharedAtoms work(n_atoms, static_cast<int>(chunks_.size()));
  holders_.resize(n_atoms);
#pragma omp parallel num_threads(threads)
  {
    count_holders(n_atoms);
    number_shared(n_atoms, work);
    place_results(work);
  }
}

// Parts of share_out(), which all threads enter.

void ShortList::count_holders(int n_atoms) {
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

/// Atoms left out, and shared ones, in the order of atoms, their places one after the other; holders_ becomes the
/// numbers of the latter.
void ShortList::number_shared(int n_atoms, SharedAtoms &work) {
  constexpr int span = tuning::host_atoms_per_span;
  const int n_spans = work.n_spans();
#pragma omp for schedule(static)
  for (int b = 0; b < n_spans; ++b)
    for (int i = b * span; i < std::min(n_atoms, (b + 1) * span); ++i) {
      work.left_of_span[b + 1] += holders_[i] == 0;
      if (holders_[i] > 1) {
        ++work.shared_of_span[b + 1];
        work.place_of_span[b + 1] += holders_[i];
      }
    }
#pragma omp single
  {
    for (int b = 0; b < n_spans; ++b) {
      work.shared_of_span[b + 1] += work.shared_of_span[b];
      work.place_of_span[b + 1] += work.place_of_span[b];
      work.left_of_span[b + 1] += work.left_of_span[b];
    }
    left_out_.resize(work.left_of_span[n_spans]);
    shared_atom_.resize(work.shared_of_span[n_spans]);
    place_begin_.resize(work.shared_of_span[n_spans] + 1);
    place_begin_.back() = work.place_of_span[n_spans];
    filled_.resize(work.shared_of_span[n_spans]);
    place_.resize(work.place_of_span[n_spans]);
  }
#pragma omp for schedule(static)
  for (int b = 0; b < n_spans; ++b) {
    int s = work.shared_of_span[b], left = work.left_of_span[b];
    std::int64_t place = work.place_of_span[b];
    for (int i = b * span; i < std::min(n_atoms, (b + 1) * span); ++i) {
      const int count = holders_[i];
      holders_[i] = count > 1 ? s : -1;
      if (count == 0) left_out_[left++] = i;
      if (count < 2) continue;
      shared_atom_[s] = i;
      place_begin_[s] = filled_[s] = place;
      place += count;
      ++s;
    }
  }
}

/// What a chunk puts aside stands together; each atom gathers its places, in whatever order, and sorts them.
void ShortList::place_results(SharedAtoms &work) {
  const int n_chunks = static_cast<int>(chunks_.size());
#pragma omp for schedule(static)
  for (int c = 0; c < n_chunks; ++c)
    for (const int i : chunks_[c].atom) work.chunk_begin[c + 1] += holders_[i] >= 0;
#pragma omp single
  for (int c = 0; c < n_chunks; ++c) work.chunk_begin[c + 1] += work.chunk_begin[c];
#pragma omp for schedule(static)
  for (int c = 0; c < n_chunks; ++c) {
    Chunk &chunk = chunks_[c];
    std::int64_t place = chunk.first_place = work.chunk_begin[c];
    chunk.shared.resize(chunk.atom.size());
    for (std::size_t a = 0; a < chunk.atom.size(); ++a) {
      const int s = holders_[chunk.atom[a]];
      chunk.shared[a] = s >= 0;
      if (s < 0) continue;
      std::int64_t at;
#pragma omp atomic capture
      at = filled_[s]++;
      place_[at] = place++;
    }
  }
#pragma omp for schedule(static)
  for (int s = 0; s < n_shared(); ++s)
    std::sort(place_.begin() + place_begin_[s], place_.begin() + place_begin_[s + 1]);
}

}  // namespace triad
