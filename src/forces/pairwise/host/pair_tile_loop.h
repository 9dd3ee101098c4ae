// The loop over the pairs of two blocks in vector registers of `Bytes` bytes: a few rows at a time, with the atom of a
// row broadcast to all lanes, against one register of columns after the other. The reactions on a register of columns
// are loaded and stored once for these rows. Registers of which some columns are masked are left to a loop over single
// rows, which also has the tallies: two loops for each law and kind of images keep the time of compilation short.
// Formulas have masks in both loops, because all loops share the code of their steps.
#pragma once

#include <algorithm>

#include "core/tuning.h"
#include "forces/pairwise/host/pair_tiles.h"
#include "forces/pairwise/host/point_lanes.h"
#include "potentials/pairwise/formula_law.h"
#include "potentials/pairwise/formula_steps.h"

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
  static constexpr int lanes = Real::count, block = tuning::host_pair_block;
  static constexpr bool by_steps = std::is_same<Law, FormulaLaw<Scalar>>::value;
  static constexpr int rows_at_once = by_steps ? tuning::host_formula_rows : tuning::host_pair_rows;

  /// Stands for the FormulaSteps of laws that are not formulas.
  struct NoSteps {
    TRIAD_HD NoSteps(const Law &, const typename Law::Coefficients &) {}
  };
  /// The steps of a formula for n rows.
  template <int n>
  struct StepsOfRows : FormulaSteps<Real, n> {
    TRIAD_HD StepsOfRows(const Law &law, const typename Law::Coefficients &c)
        : FormulaSteps<Real, n>(*law.formula, c.p) {}
  };
  template <int n>
  using Steps = typename std::conditional<by_steps, StepsOfRows<n>, NoSteps>::type;

 public:
  /// For columns that react, without tallies.
  static void run(const PairTile &tile) {
    const PairTileLoop loop(tile);
    Steps<rows_at_once> steps(loop.law_, loop.coefficients_);
    loop.clear();
    const int n_rows = tile.rows.size(), n_columns = loop.n_columns_, end = n_columns / lanes * lanes;
    int row = 0;
    for (; row + rows_at_once <= n_rows; row += rows_at_once) {
      const int diagonal = loop.same_ ? row / lanes * lanes : 0;
      const int begin = loop.same_ ? (row + rows_at_once + lanes - 1) / lanes * lanes : 0;
      if (by_steps) {
        loop.compute_rows(steps, row, diagonal, n_columns);
        continue;
      }
      if (begin < end) loop.compute_rows(steps, row, begin, end);
      if (loop.same_) compute_single_rows(tile, row, row + rows_at_once, 0, begin);
      if (end < n_columns) compute_single_rows(tile, row, row + rows_at_once, std::max(begin, end), n_columns);
    }
    if (row < n_rows) compute_single_rows(tile, row, n_rows, 0, n_columns);
  }

  /// The same row by row, with tallies if the tile has an array for them; PairTile::reacts says whether the columns
  /// react.
  static void run_row_by_row(const PairTile &tile) {
    PairTileLoop(tile).clear();
    compute_single_rows(tile, 0, tile.rows.size(), 0, tile.columns.size());
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

  /// Computes the rows from `row` on against the columns [begin, end).
  TRIAD_HD void compute_rows(Steps<rows_at_once> &steps, int row, int begin, int end) const {
    Rows<rows_at_once> rows = load_rows<rows_at_once>(row);
    for (int at = begin; at < end; at += lanes)
      compute_pairs<true>(steps, rows, at, row, by_steps && !full(at, row, rows_at_once));
    add_forces(rows, row);
  }

  /// Computes the rows [begin, end) one by one against those of the columns [first, last) that act on them; `first` is
  /// the beginning of a register. Not inlined, so that run() and run_row_by_row() share this code.
  static __attribute__((noinline)) void compute_single_rows(const PairTile &tile, int begin, int end, int first,
                                                            int last) {
    const PairTileLoop loop(tile);
    Steps<1> steps(loop.law_, loop.coefficients_);
    for (int row = begin; row < end; ++row) {
      const int from = loop.same_ && loop.reacts_ ? std::max(first, row / lanes * lanes) : first;
      loop.compute_row(steps, row, from, std::min(last, loop.n_columns_));
    }
  }

  TRIAD_HD void compute_row(Steps<1> &steps, int row, int begin, int end) const {
    Rows<1> rows = load_rows<1>(row);
    for (int at = begin; at < end; at += lanes) compute_pairs<false>(steps, rows, at, row, !full(at, row, 1));
    add_forces(rows, row);
    if (row_tally_) store_lane_sums(rows.tally.v, Tally::width, row_tally_ + row, block);
  }

  /// True if all columns of the register from `at` on exist and none of them is one of the n rows from `row` on.
  TRIAD_HD bool full(int at, int row, int n) const {
    return at + lanes <= n_columns_ && !(same_ && at < row + n && at + lanes > row);
  }

  /// Computes the rows from `row` on against the register of columns from `at` on. `several`: rows of compute_rows(),
  /// for which the columns react and nothing is tallied.
  template <bool several, int n>
  TRIAD_HD void compute_pairs(Steps<n> &steps, Rows<n> &rows, int at, int row, bool masked) const {
    const auto q = Points::consecutive(columns_ + at, stride_);
    const bool reacts = several || reacts_;
    Vec3<Real> back;
    if (reacts)
      back = {Real::load(reaction_ + at), Real::load(reaction_ + block + at), Real::load(reaction_ + 2 * block + at)};
    Vec3<Real> apart[n];  // only if by_steps
    if constexpr (by_steps) {
      TRIAD_UNROLL
      for (int k = 0; k < n; ++k) {
        apart[k] = separation<images>(rows.point[k], q, frame_);
        steps.squared()[k] = squared(law_, apart[k]);
      }
      steps.compute(!several);
    }
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      const auto &p = rows.point[k];
      Vec3<Real> d;
      PairTerm<Real> term;
      if constexpr (by_steps) {
        d = apart[k];
        term = {several ? Real(Scalar(0)) : steps.energy()[k], steps.pull()[k]};
      } else {
        d = separation<images>(p, q, frame_);
        term = law_(squared(law_, d), coefficients_);
      }
      if ((by_steps || !several) && masked) mask(term, row + k, at);
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
