#include "loops/host/short_list.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "loops/tersoff_models.h"
#include "loops/tuning.h"

namespace triad {

/// A row of the short list: its neighbours follow one another in Workspace::listed, by rank of their element.
struct ShortList::Row {
  int centre, centre_rank, neighbours;
  std::size_t begin;
};

/// What a thread needs to build a chunk.
struct ShortList::Workspace {
  std::vector<Row> row;
  std::vector<int> listed, listed_rank;
  std::vector<int> of_row, of_row_rank, begin_of_rank;
  std::vector<int> number;  // [n_all] of an atom within the chunk, -1 outside
};

ShortList::ShortList(const TersoffSetup &setup)
    : element_of_rank_(setup.table.nelements()),
      type_to_rank_(setup.type_to_element),
      inner_skin_(tuning::host_inner_skin * setup.table.reach()) {
  const int n = setup.table.nelements();
  const auto parameters = [&](int e) {
    const TersoffEntry &own = setup.table.at(e, e, e);
    return std::make_tuple(own.A, own.B, own.lam1, own.lam2, own.R, own.D, own.c, own.d);
  };
  std::iota(element_of_rank_.begin(), element_of_rank_.end(), 0);
  std::stable_sort(element_of_rank_.begin(), element_of_rank_.end(),
                   [&](int a, int b) { return parameters(a) < parameters(b); });
  const std::vector<double> squared = reach_squared(setup.table, inner_skin_);
  std::vector<int> rank_of(n);
  for (int i = 0; i < n; ++i) {
    rank_of[element_of_rank_[i]] = i;
    for (int k = 0; k < n; ++k) listed_squared_.push_back(squared[element_of_rank_[i] * n + element_of_rank_[k]]);
  }
  for (int &element : type_to_rank_)
    if (element >= 0) element = rank_of[element];
}

void ShortList::update(const AtomsView &atoms, int threads) {
  if (good_for(atoms, threads)) return;
  build(atoms, threads);
  stale_ = false;
}

/// Nothing new from LAMMPS, no type changed, and nothing has moved by half the inner skin. A position that is not a
/// number counts as moved.
bool ShortList::good_for(const AtomsView &atoms, int threads) const {
  const std::size_t n = atoms.n_all;
  if (stale_ || n != type_.size()) return false;
  if (n && std::memcmp(atoms.type, type_.data(), n * sizeof(int)) != 0) return false;
  const double limit = 0.25 * inner_skin_ * inner_skin_;
  int moved = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : moved)
  for (std::size_t i = 0; i < n; ++i) {
    const double dx = atoms.x[3 * i] - x_[3 * i], dy = atoms.x[3 * i + 1] - x_[3 * i + 1],
                 dz = atoms.x[3 * i + 2] - x_[3 * i + 2];
    moved += !(dx * dx + dy * dy + dz * dz <= limit);
  }
  return moved == 0;
}

void ShortList::build(const AtomsView &atoms, int threads) {
  constexpr int rows_per_chunk = tuning::host_rows_per_chunk;
  const int n_chunks = (rows_.n_rows + rows_per_chunk - 1) / rows_per_chunk;
  x_.assign(atoms.x, atoms.x + 3 * std::size_t(atoms.n_all));
  type_.assign(atoms.type, atoms.type + atoms.n_all);
  chunks_.resize(n_chunks);
#pragma omp parallel num_threads(threads)
  {
    Workspace w;
    w.number.assign(atoms.n_all, -1);
#pragma omp for schedule(dynamic)
    for (int c = 0; c < n_chunks; ++c) {
      const int first = c * rows_per_chunk;
      build_chunk(atoms, first, std::min(rows_.n_rows, first + rows_per_chunk), w, chunks_[c]);
    }
  }
  share_out(atoms.n_all, threads);
}

void ShortList::build_chunk(const AtomsView &atoms, int first, int last, Workspace &w, Chunk &chunk) const {
  filter_rows(atoms, first, last, w);
  chunk.atom.clear();
  for (const Row &row : w.row) {
    w.number[row.centre] = static_cast<int>(chunk.atom.size());
    chunk.atom.push_back(row.centre);
  }

  const auto less = [&w](const Row &a, const Row &b) {
    if (a.neighbours != b.neighbours) return a.neighbours < b.neighbours;
    if (a.centre_rank != b.centre_rank) return a.centre_rank < b.centre_rank;
    const int *ea = w.listed_rank.data() + a.begin, *eb = w.listed_rank.data() + b.begin;
    return std::lexicographical_compare(ea, ea + a.neighbours, eb, eb + b.neighbours);
  };
  if (!std::is_sorted(w.row.begin(), w.row.end(), less)) std::stable_sort(w.row.begin(), w.row.end(), less);

  fill_blocks(w, chunk);
  for (const int i : chunk.atom) w.number[i] = -1;
}

/// Fills w.row, w.listed and w.listed_rank with the rows that have neighbours.
void ShortList::filter_rows(const AtomsView &atoms, int first, int last, Workspace &w) const {
  const std::size_t n_ranks = element_of_rank_.size();
  w.row.clear();
  w.listed.clear();
  w.listed_rank.clear();
  for (int r = first; r < last; ++r) {
    const int i = rows_.centre[r], ei = type_to_rank_[atoms.type[i]];
    if (ei < 0) continue;
    const double *xi = atoms.x + 3 * std::size_t(i);
    const double *listed_squared = listed_squared_.data() + ei * n_ranks;
    const int *entry = rows_.neighbour[i];
    w.of_row.clear();
    w.of_row_rank.clear();
    w.begin_of_rank.assign(n_ranks + 1, 0);
    for (int s = 0; s < rows_.length[i]; ++s) {
      const int j = entry[s] & rows_.mask, ej = type_to_rank_[atoms.type[j]];
      if (ej < 0) continue;
      const double *xj = atoms.x + 3 * std::size_t(j);
      const Vec3<double> d = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
      if (dot(d, d) >= listed_squared[ej]) continue;  // false for NaN, which so reaches the forces
      w.of_row.push_back(j);
      w.of_row_rank.push_back(ej);
      ++w.begin_of_rank[ej + 1];
    }
    const int n = static_cast<int>(w.of_row.size());
    if (n == 0) continue;
    const std::size_t begin = w.listed.size();
    w.row.push_back({i, ei, n, begin});
    w.listed.resize(begin + n);
    w.listed_rank.resize(begin + n);
    for (std::size_t e = 0; e < n_ranks; ++e) w.begin_of_rank[e + 1] += w.begin_of_rank[e];
    for (int s = 0; s < n; ++s) {
      const int e = w.of_row_rank[s];
      const std::size_t place = begin + w.begin_of_rank[e]++;
      w.listed[place] = w.of_row[s];
      w.listed_rank[place] = e;
    }
  }
}

/// Blocks of the sorted rows; numbers the chunk's other atoms as they come.
void ShortList::fill_blocks(Workspace &w, Chunk &chunk) const {
  chunk.block.clear();
  chunk.table.clear();
  chunk.element.clear();
  chunk.longest = w.row.empty() ? 0 : w.row.back().neighbours;
  const auto same_kind = [&w](const Row &a, const Row &b) {
    const int *ea = w.listed_rank.data() + a.begin, *eb = w.listed_rank.data() + b.begin;
    return a.neighbours == b.neighbours && a.centre_rank == b.centre_rank && std::equal(ea, ea + a.neighbours, eb);
  };
  const auto number_of = [&](int i) {
    if (w.number[i] < 0) {
      w.number[i] = static_cast<int>(chunk.atom.size());
      chunk.atom.push_back(i);
    }
    return w.number[i];
  };
  for (std::size_t first = 0; first < w.row.size();) {
    const Row &kind = w.row[first];
    std::size_t last = first + 1;
    while (last < w.row.size() && last < first + block_rows && same_kind(kind, w.row[last])) ++last;
    const int n = kind.neighbours, used = static_cast<int>(last - first);
    const int *e = w.listed_rank.data() + kind.begin;
    chunk.block.push_back({used, n, element_of_rank_[kind.centre_rank], e[0] == e[n - 1],
                           static_cast<std::int64_t>(chunk.table.size()),
                           static_cast<std::int64_t>(chunk.element.size())});
    for (int s = 0; s < n; ++s) chunk.element.push_back(element_of_rank_[e[s]]);
    std::size_t place = chunk.table.size();
    chunk.table.resize(place + std::size_t(1 + n) * block_rows);
    for (int s = -1; s < n; ++s)
      for (int l = 0; l < block_rows; ++l) {
        const Row &row = w.row[first + std::min(l, used - 1)];
        chunk.table[place++] = s < 0 ? w.number[row.centre] : number_of(w.listed[row.begin + s]);
      }
    first = last;
  }
}

/// Finds the atoms that several chunks hold and gives each of these a place to put its results aside.
void ShortList::share_out(int n_atoms, int threads) {
  const int n_chunks = static_cast<int>(chunks_.size());
  std::vector<int> holders(n_atoms, 0), shared(n_atoms, -1);
  std::vector<std::int64_t> chunk_begin(n_chunks + 1, 0), filled;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int c = 0; c < n_chunks; ++c)
    for (const int i : chunks_[c].atom) {
#pragma omp atomic
      ++holders[i];
    }

  shared_atom_.clear();
  place_begin_.assign(1, 0);
  for (int i = 0; i < n_atoms; ++i) {
    if (holders[i] < 2) continue;
    shared[i] = static_cast<int>(shared_atom_.size());
    shared_atom_.push_back(i);
    place_begin_.push_back(place_begin_.back() + holders[i]);
  }
  place_.resize(place_begin_.back());
  filled.assign(place_begin_.begin(), place_begin_.end() - 1);

#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic)
    for (int c = 0; c < n_chunks; ++c) {
      std::int64_t count = 0;
      for (const int i : chunks_[c].atom) count += shared[i] >= 0;
      chunk_begin[c + 1] = count;
    }
#pragma omp single
    for (int c = 0; c < n_chunks; ++c) chunk_begin[c + 1] += chunk_begin[c];
      // places of a chunk follow one another; each atom gathers its own, in whatever order, and sorts them
#pragma omp for schedule(dynamic)
    for (int c = 0; c < n_chunks; ++c) {
      Chunk &chunk = chunks_[c];
      std::int64_t place = chunk_begin[c];
      chunk.aside.resize(chunk.atom.size());
      for (std::size_t a = 0; a < chunk.atom.size(); ++a) {
        const int s = shared[chunk.atom[a]];
        chunk.aside[a] = s < 0 ? -1 : place;
        if (s < 0) continue;
        std::int64_t at;
#pragma omp atomic capture
        at = filled[s]++;
        place_[at] = place++;
      }
    }
#pragma omp for schedule(static)
    for (int s = 0; s < n_shared(); ++s)
      std::sort(place_.begin() + place_begin_[s], place_.begin() + place_begin_[s + 1]);
  }
}

double ShortList::memory_usage() const {
  double bytes = sizeof(double) * double(x_.capacity()) +
                 sizeof(int) * double(type_.capacity() + shared_atom_.capacity()) +
                 sizeof(std::int64_t) * double(place_.capacity() + place_begin_.capacity());
  for (const Chunk &c : chunks_)
    bytes += sizeof(int) * double(c.atom.capacity() + c.table.capacity() + c.element.capacity()) +
             sizeof(RowBlock) * double(c.block.capacity()) + sizeof(std::int64_t) * double(c.aside.capacity());
  return bytes;
}

}  // namespace triad
