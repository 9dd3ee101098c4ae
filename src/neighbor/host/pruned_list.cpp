#include "neighbor/host/pruned_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/parallel_errors.h"
#include "core/threads.h"
#include "core/tuning.h"
#include "neighbor/host/expected_motion.h"

namespace triad {
namespace {

/// Returns a vector of at most the given length in the direction of `d`; no displacement if `d` is not finite.
Vec3<double> shortened(const double *d, double length) {
  const Vec3<double> all = {d[0], d[1], d[2]};
  const double squared = dot(all, all);
  if (squared <= length * length) return all;
  return std::isfinite(squared) ? length / std::sqrt(squared) * all : Vec3<double>{0, 0, 0};
}

}  // namespace

PrunedList::PrunedList(const TersoffSetup &setup, Isa isa)
    : element_of_rank_(setup.table.nelements()),
      filters_(row_filters(isa)),
      watches_(isa != Isa::Baseline),
      type_to_rank_(setup.type_to_element) {
  const int n = setup.table.nelements();
  const auto parameters = [&](int e) {
    const TersoffEntry &own = setup.table.at(e, e, e);
    return std::make_tuple(own.A, own.B, own.lam1, own.lam2, own.R, own.D, own.c, own.d);
  };
  std::iota(element_of_rank_.begin(), element_of_rank_.end(), 0);
  std::stable_sort(element_of_rank_.begin(), element_of_rank_.end(),
                   [&](int a, int b) { return parameters(a) < parameters(b); });
  std::vector<int> rank_of(n);
  for (int i = 0; i < n; ++i) rank_of[element_of_rank_[i]] = i;
  for (int &element : type_to_rank_)
    if (element >= 0) element = rank_of[element];
  const auto by_rank = [&](double skin) {
    const std::vector<double> squared = cutoff_squared(setup.table, skin);
    std::vector<double> result;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) result.push_back(squared[element_of_rank_[i] * n + element_of_rank_[k]]);
    return result;
  };
  const auto by_type = [&](double skin) {
    const std::vector<double> squared = by_rank(skin);
    std::vector<double> result;
    for (int i = 0; i < n; ++i)
      for (const int rank : type_to_rank_) result.push_back(rank < 0 ? 0.0 : squared[i * n + rank]);
    return result;
  };
  const double wide = tuning::host_wide_inner_skin * setup.table.cutoff(),
               narrow = tuning::host_inner_skin * setup.table.cutoff(),
               widest = tuning::host_widest_inner_skin * setup.table.cutoff();
  cutoff_squared_ = by_rank(0);
  wide_ = {wide, by_type(wide)};
  narrow_ = {narrow, by_type(narrow)};
  widest_ = {widest, by_type(widest)};
}

void PrunedList::update(const AtomsView &atoms, int threads) {
  if (atoms.renew_pruned_list)
    expired_ = true;  // an atom, here or on another rank, would soon be too far from its reference
  else if (good_for(atoms, threads))
    return;
  try {
    build(atoms, threads);
  } catch (...) {  // an incomplete list must not be used
    workspace_.clear();
    stale_ = true;
    throw;
  }
  stale_ = ends_ = false;
}

/// True if LAMMPS's list and all types are unchanged and no atom is farther than half the inner skin from its
/// reference. A NaN position counts as farther. Distances are computed only if the known bound of the motion is not
/// sufficient.
bool PrunedList::good_for(const AtomsView &atoms, int threads) {
  const std::size_t n = atoms.n_all;
  if (stale_ || n != n_atoms_) return false;
  const double most = 0.5 * skin_->width, limit = most * most;
  moved_ += atoms.moved_at_most;
  ++age_;
  if (moved_ + atoms.moves_ahead < most) return true;
  int changed = 0;
  double farthest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : changed) reduction(max : farthest)
  for (std::size_t i = 0; i < n; ++i) {
    const double *const x = x_.data() + 4 * i;
    const double dx = atoms.x[3 * i] - x[0], dy = atoms.x[3 * i + 1] - x[1], dz = atoms.x[3 * i + 2] - x[2];
    const double squared = dx * dx + dy * dy + dz * dz;
    changed += int(!(squared <= limit)) | int(atoms.type[i] != x[3]);
    farthest = std::max(farthest, squared);
  }
  moved_ = std::sqrt(farthest);
  ends_ = moved_ + atoms.moves_ahead >= most;
  expired_ = changed > 0;
  return !expired_;
}

/// Notes for how many steps the list was in use that is about to be replaced.
void PrunedList::note_life() {
  const bool expired = std::exchange(expired_, false);
  if (age_ == 0) return;
  // a list that ended with LAMMPS's list would have lasted at least as long
  if (!life_ || expired || age_ > life_->of(skin_->width)) life_.emplace().note(age_, skin_->width);
  age_ = 0;
}

void PrunedList::build(const AtomsView &atoms, int threads) {
  note_life();
  if (stale_) order_ = rows_.index_map ? ordered_rows(rows_.n_rows) : order_rows(rows_, atoms, threads);
  expected_ = atoms.expected ? atoms.expected->to_means() : nullptr;
  build_chunks(atoms, threads);
  const double many = tuning::host_many_varying * rows_.n_rows;
  if (--lists_to_choice_ < 0 && (skin_ == &narrow_ || varying_rows() > many)) choose_skin(atoms, threads);
  find_boundary_atoms(atoms.n_all, threads);
}

/// Chooses the inner skin that is fastest for these atoms. The chunks were built with one of the skins; the function
/// may rebuild them with others.
void PrunedList::choose_skin(const AtomsView &atoms, int threads) {
  lists_to_choice_ = life_ ? tuning::host_lists_per_choice : 1;
  const auto varying_with = [&](const Skin &skin) {
    if (skin_ != &skin) {
      skin_ = &skin;
      build_chunks(atoms, threads);
    }
    return varying_rows();
  };
  const double narrow = varying_with(narrow_);
  if (narrow > tuning::host_mostly_varying * rows_.n_rows && life_ &&
      life_->of(wide_.width) < tuning::host_short_life) {
    varying_with(widest_);
    return;
  }
  const double wide = varying_with(wide_);
  if (wide > tuning::host_many_varying * rows_.n_rows && wide > tuning::host_many_more * narrow) varying_with(narrow_);
}

double PrunedList::varying_rows() const {
  double rows = 0;
  for (const Chunk &chunk : chunks_) rows += double(chunk.varying.rows().size() + chunk.watched.rows.rows().size());
  return rows;
}

void PrunedList::build_chunks(const AtomsView &atoms, int threads) {
  const int n_chunks = order_.chunks();
  const std::size_t n = atoms.n_all;
  x_.require(4 * n);
  n_atoms_ = n;
  chunks_.resize(n_chunks);
  workspace_.resize(threads);
  WorkStealingRange chunk_range(order_.begin, threads);
  RegionErrors errors;
  // a reference must not be so far away that ends() is true in the next step, even if atoms become faster
  const double reach =
      std::max(0.0, std::min(tuning::host_expected_reach * skin_->width, 0.5 * skin_->width - 1.5 * atoms.moves_ahead));
  double farthest = 0;
#pragma omp parallel num_threads(threads) reduction(max : farthest)
  {
    Workspace &w = workspace_[thread_index()];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3<double> by = expected_ ? shortened(expected_ + 3 * i, reach) : Vec3<double>{0, 0, 0};
      farthest = std::max(farthest, dot(by, by));
      x_[4 * i] = atoms.x[3 * i] + by.x;
      x_[4 * i + 1] = atoms.x[3 * i + 1] + by.y;
      x_[4 * i + 2] = atoms.x[3 * i + 2] + by.z;
      x_[4 * i + 3] = atoms.type[i];
    }
    errors.guard([&] {
      w.number.resize(n, -1);
      chunk_range.work([&](int c) { build_chunk(c, w, chunks_[c]); });
    });
  }
  errors.rethrow();
  moved_ = std::sqrt(farthest);
}

void PrunedList::build_chunk(int c, Workspace &w, Chunk &chunk) const {
  w.steady.clear();
  chunk.varying.clear();
  chunk.watched.clear();
  const int end = order_.begin[c + 1];
  for (int r = order_.begin[c]; r < end; ++r) {
    const int i = rows_.centre[order_.order[r]];
    const int *ahead = rows_.first(rows_.centre[order_.order[std::min(r + 8, end - 1)]]);
    __builtin_prefetch(ahead);  // the rows of a chunk are scattered over LAMMPS's list
    __builtin_prefetch(ahead + 16);
    if (rank_of(rows_.index_of(i)) >= 0) filter_row(i, w, chunk);
  }

  // The centres receive the first local indices, then the other atoms in order of occurrence.
  chunk.atom.clear();
  const auto renumber = [&](int &i) {
    if (w.number[i] < 0) {
      w.number[i] = static_cast<int>(chunk.atom.size());
      chunk.atom.push_back(i);
    }
    i = w.number[i];
  };
  const auto renumber_centres = [&](RowTable &table) {
    for (TableRow &row : table.rows()) renumber(row.centre);
  };
  const auto renumber_neighbours = [&](RowTable &table) {
    for (const TableRow &row : table.rows())
      for (int s = 0; s < row.neighbours; ++s) renumber(table.index_of(row)[s]);
  };
  renumber_centres(w.steady);
  const int first_watched = static_cast<int>(chunk.atom.size());
  chunk.watched.for_tables(renumber_centres);
  renumber_centres(chunk.varying);
  renumber_neighbours(w.steady);
  chunk.watched.for_tables(renumber_neighbours);
  renumber_neighbours(chunk.varying);
  for (const int i : chunk.atom) w.number[i] = -1;
  w.sorter.sort(w.steady, element_of_rank_, chunk.steady);
  chunk.watched.make_blocks(first_watched, element_of_rank_, cutoff_squared_, w.sorter);
}

/// Adds the row of atom `centre` to w.steady or to a table of the chunk: its neighbours within cutoff and inner skin,
/// in the order of element ranks. Rows are watched with the wide skin only. In BN with carbon, which has the narrow
/// skin, watching takes 7 % more time.
void PrunedList::filter_row(int centre, Workspace &w, Chunk &chunk) const {
  const std::size_t n_ranks = element_of_rank_.size(), n_types = type_to_rank_.size();
  const int i = rows_.index_of(centre), ei = rank_of(i);
  const int *entry = rows_.first(centre), length = rows_.length[centre];
  w.row.resize(length + row_filter_padding);
  w.row_rank.resize(length + row_filter_padding);
  for (int s = 0; s < length; ++s) w.row[s] = rows_.index_of(entry[s * rows_.entry_stride] & rows_.mask);
  const int listed = filters_.list({length, x_.data(), x_.data() + 4 * std::size_t(i),
                                    skin_->listed_squared.data() + ei * n_types, static_cast<int>(n_types)},
                                   w.row.data(), w.row_rank.data());
  w.begin_of_rank.assign(n_ranks + 1, 0);
  int n = 0;
  for (int s = 0; s < listed; ++s) {
    const int rank = type_to_rank_[w.row_rank[s]];
    if (rank < 0) continue;
    w.row[n] = w.row[s];
    w.row_rank[n++] = rank;
    ++w.begin_of_rank[rank + 1];
  }
  if (n == 0) return;
  for (std::size_t e = 0; e < n_ranks; ++e) w.begin_of_rank[e + 1] += w.begin_of_rank[e];
  const bool steady = n <= tuning::host_steady_neighbours;
  const auto is_near = [&](int atom, int rank) {
    const double *a = x_.data() + 4 * std::size_t(i), *b = x_.data() + 4 * std::size_t(atom);
    const Vec3<double> d = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return dot(d, d) < cutoff_squared_[ei * n_ranks + rank];
  };
  int near = 0;
  if (!steady && watches_ && skin_ == &wide_)
    for (int s = 0; s < n; ++s) near += int(is_near(w.row[s], w.row_rank[s]));
  const bool watched = near > 0 && near <= tuning::host_steady_neighbours;
  RowTable &rows = steady ? w.steady : watched ? chunk.watched.rows : chunk.varying;
  rows.open(n);
  for (int s = 0; s < n; ++s) {
    const int at = w.begin_of_rank[w.row_rank[s]]++;
    rows.index[at] = w.row[s];
    rows.rank[at] = w.row_rank[s];
  }
  rows.close(i, ei, n);
  if (watched) chunk.watched.add_near(near, [&](int s) { return is_near(rows.index[s], rows.rank[s]); });
}

double PrunedList::memory_usage() const {
  double bytes = double(x_.bytes()) +
                 sizeof(int) * double(holders_.capacity() + boundary_atom_.capacity() + left_out_.capacity() +
                                      order_.order.capacity() + order_.begin.capacity()) +
                 sizeof(std::int64_t) * double(slot_.capacity() + slot_begin_.capacity() + filled_.capacity());
  for (const Workspace &w : workspace_) bytes += w.steady.bytes() + sizeof(int) * double(w.number.capacity());
  for (const Chunk &c : chunks_)
    bytes += c.steady.bytes() + c.varying.bytes() + c.watched.bytes() + sizeof(int) * double(c.atom.capacity()) +
             double(c.on_boundary.capacity());
  return bytes;
}

}  // namespace triad
