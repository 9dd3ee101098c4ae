// The loop over the pairs of two blocks in vector registers of `Bytes` bytes: a few rows at a time, with the atom of a
// row broadcast to all lanes, against one register of columns after the other. The reactions on a register of columns
// are loaded and stored once for these rows. Registers of which some columns do not count are left to a loop over
// single rows, which also has the tallies: two loops for each law and kind of images keep the time of compilation
// short.
#pragma once

#include "core/tuning.h"
#include "forces/pairwise/host/pair_tiles.h"
#include "forces/pairwise/host/point_lanes.h"

namespace triad {

/// Stores the sums of the lanes of x[0] to x[n - 1] at p[0], p[stride], ... The compiler would need long to repeat this
/// code in every loop.
template <class T, int Bytes>
__attribute__((noinline)) void store_lane_sums(const Lanes<T, Bytes> *x, int n, T *p, int stride) {
  for (int k = 0; k < n; ++k) p[k * stride] = sum(x[k]);
}

/// The loops for a law, a kind of points and a rule for images.
template <class Law, class Point, Images images, int Bytes>
class PairTileLoop {
  using Scalar = typename Law::Real;
  using Real = Lanes<Scalar, Bytes>;
  using Points = PointLanes<Point, Bytes>;
  using Tally = PairTally<Real>;
  static constexpr int lanes = Real::count, block = tuning::host_pair_block, rows_at_once = tuning::host_pair_rows;

 public:
  /// For columns that react, without tallies.
  static void run(const PairTile &tile) {
    const PairTileLoop loop(tile);
    loop.clear();
    const int n_rows = tile.rows.size(), end = loop.n_columns_ / lanes * lanes;
    int row = 0;
    for (; row + rows_at_once <= n_rows; row += rows_at_once) {
      const int begin = loop.same_ ? (row + rows_at_once + lanes - 1) / lanes * lanes : 0;
      if (begin < end) loop.compute_rows(row, begin, end);
      if (!loop.same_ && end == loop.n_columns_) continue;
      compute_single_rows(tile, row, row + rows_at_once, begin, end);
    }
    if (row < n_rows) compute_single_rows(tile, row, n_rows, 0, 0);
  }

  /// The same row by row, with tallies if the tile has an array for them; PairTile::reacts says whether the columns
  /// react.
  static void run_row_by_row(const PairTile &tile) {
    PairTileLoop(tile).clear();
    compute_single_rows(tile, 0, tile.rows.size(), 0, 0);
  }

 private:
  explicit TRIAD_HD PairTileLoop(const PairTile &tile)
      : law_(*static_cast<const Law *>(tile.law)),
        coefficients_(*static_cast<const typename Law::Coefficients *>(tile.coefficients)),
        frame_(*static_cast<const PairFrame<Scalar> *>(tile.frame)),
        rows_(static_cast<const Scalar *>(tile.points) + tile.rows.begin),
        columns_(static_cast<const Scalar *>(tile.points) + tile.columns.begin),
        stride_(tile.stride),
        n_rows_(tile.rows.size()),
        n_columns_(tile.columns.size()),
        same_(tile.rows.begin == tile.columns.begin),
        reacts_(tile.reacts),
        row_force_(static_cast<Scalar *>(tile.row_force)),
        row_tally_(static_cast<Scalar *>(tile.row_tally)),
        reaction_(static_cast<Scalar *>(tile.reaction)) {}

  TRIAD_HD void clear() const {
    for (int axis = 0; axis < 3; ++axis) {
      for (int row = 0; row < n_rows_; ++row) row_force_[axis * block + row] = 0;
      for (int at = 0; reacts_ && at < n_columns_; at += lanes) Real(Scalar(0)).store(reaction_ + axis * block + at);
    }
  }

  /// `n` rows and the forces on them.
  template <int n>
  struct Rows {
    typename Points::type point[n];
    Vec3<Real> force[n];
    Tally tally;
  };

  template <int n>
  TRIAD_HD Rows<n> load_rows(int row) const {
    const Real zero = Scalar(0);
    Rows<n> rows;
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      rows.point[k] = Points::same(rows_ + row + k, stride_);
      rows.force[k] = {zero, zero, zero};
    }
    for (Real &v : rows.tally.v) v = zero;
    return rows;
  }

  template <int n>
  TRIAD_HD void add_forces(const Rows<n> &rows, int row) const {
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      row_force_[row + k] += sum(rows.force[k].x);
      row_force_[block + row + k] += sum(rows.force[k].y);
      row_force_[2 * block + row + k] += sum(rows.force[k].z);
    }
  }

  /// Computes the rows from `row` on against the full registers of columns [begin, end).
  TRIAD_HD void compute_rows(int row, int begin, int end) const {
    Rows<rows_at_once> rows = load_rows<rows_at_once>(row);
    for (int at = begin; at < end; at += lanes) compute_pairs<true>(rows, at, row, false);
    add_forces(rows, row);
  }

  /// Computes the rows [begin, end) one by one against the columns that act on them, except [skip_begin, skip_end) if
  /// that is not empty. Not inlined, so that run() and run_row_by_row() share this code.
  static __attribute__((noinline)) void compute_single_rows(const PairTile &tile, int begin, int end, int skip_begin,
                                                            int skip_end) {
    const PairTileLoop loop(tile);
    for (int row = begin; row < end; ++row) loop.compute_row(row, skip_begin, skip_end);
  }

  TRIAD_HD void compute_row(int row, int skip_begin, int skip_end) const {
    Rows<1> rows = load_rows<1>(row);
    for (int at = same_ && reacts_ ? row / lanes * lanes : 0; at < n_columns_; at += lanes) {
      if (at == skip_begin && skip_begin < skip_end) at = skip_end;
      if (at >= n_columns_) break;
      const bool full = at + lanes <= n_columns_ && !(same_ && at <= row && at + lanes > row);
      compute_pairs<false>(rows, at, row, !full);
    }
    add_forces(rows, row);
    if (row_tally_) store_lane_sums(rows.tally.v, Tally::width, row_tally_ + row, block);
  }

  /// Computes the rows from `row` on against the register of columns from `at` on. `several`: rows of compute_rows(),
  /// for which the columns react, nothing is tallied and no column is masked.
  template <bool several, int n>
  TRIAD_HD void compute_pairs(Rows<n> &rows, int at, int row, bool masked) const {
    const auto q = Points::consecutive(columns_ + at, stride_);
    const bool reacts = several || reacts_;
    Vec3<Real> back;
    if (reacts)
      back = {Real::load(reaction_ + at), Real::load(reaction_ + block + at), Real::load(reaction_ + 2 * block + at)};
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      const auto &p = rows.point[k];
      const Vec3<Real> d = separation<images>(p, q, frame_);
      PairTerm<Real> term = law_(squared(law_, d), coefficients_);
      if (!several && masked) mask(term, row, at);
      const Real pull = weighed(term.pull, q.strength);
      Vec3<Real> &force = rows.force[k];
      force.x += pull * d.x;
      force.y += pull * d.y;
      force.z += pull * d.z;
      if (reacts) {
        const Real pull_back = weighed(term.pull, p.strength);
        back.x -= pull_back * d.x;
        back.y -= pull_back * d.y;
        back.z -= pull_back * d.z;
      }
      if (!several) rows.tally.add(PairTerm<Real>{weighed(term.energy, q.strength), pull}, d);
    }
    if (!reacts) return;
    back.x.store(reaction_ + at);
    back.y.store(reaction_ + block + at);
    back.z.store(reaction_ + 2 * block + at);
  }

  static TRIAD_HD Real weighed(Real x, Real strength) {
    if constexpr (Law::by_strength)
      return x * strength;
    else
      return x;
  }

  /// Removes the terms of columns that do not exist, of the row itself and, if the columns react, of columns before it.
  TRIAD_HD void mask(PairTerm<Real> &term, int row, int at) const {
    const Real zero = Scalar(0);
    const auto where = [&](auto acts) __attribute__((always_inline)) {
      term.pull = math::select(acts, term.pull, zero);
      term.energy = math::select(acts, term.energy, zero);
    };
    alignas(Bytes) Scalar number[lanes];
    for (int l = 0; l < lanes; ++l) number[l] = Scalar(at + l);
    const Real column = Real::load(number);
    where(column < Scalar(n_columns_));
    if (!same_) return;
    if (reacts_)
      where(column > Scalar(row));
    else
      where(column > Scalar(row) || column < Scalar(row));
  }

  const Law law_;
  const typename Law::Coefficients coefficients_;
  const PairFrame<Scalar> frame_;
  const Scalar *rows_, *columns_;
  const std::size_t stride_;
  const int n_rows_, n_columns_;
  const bool same_, reacts_;
  Scalar *row_force_, *row_tally_, *reaction_;
};

}  // namespace triad
