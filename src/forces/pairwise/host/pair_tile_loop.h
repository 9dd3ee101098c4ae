// The loop over the pairs of two blocks in vector registers of `Bytes` bytes: a few rows at a time, with the atom of a
// row broadcast to all lanes, against one register of columns after the other. The reactions on a register of columns
// are loaded and stored once for these rows.
#pragma once

#include "core/tuning.h"
#include "forces/pairwise/host/pair_tiles.h"
#include "forces/pairwise/host/point_lanes.h"
#include "potentials/pairwise/formula_law.h"
#include "potentials/pairwise/formula_steps.h"

namespace triad {

/// Stores the sums of the lanes of x[0] to x[n - 1] at p[0], p[stride], ... The compiler would need long to repeat this
/// code in every loop with tallies.
template <class T, int Bytes>
__attribute__((noinline)) void store_lane_sums(const Lanes<T, Bytes> *x, int n, T *p, int stride) {
  for (int k = 0; k < n; ++k) p[k * stride] = sum(x[k]);
}

/// Without tallies, the columns react. With tallies, PairTile::reacts says whether they do: loops that are seldom used
/// share their code.
template <class Law, class Point, Images images, int Bytes, bool tallies>
class PairTileLoop {
  using Scalar = typename Law::Real;
  using Real = Lanes<Scalar, Bytes>;
  using Points = PointLanes<Point, Bytes>;
  using Tally = PairTally<Real>;
  static constexpr int lanes = Real::count, block = tuning::host_pair_block;
  static constexpr bool by_steps = std::is_same<Law, FormulaLaw<Scalar>>::value;
  static constexpr int rows_at_once = tallies ? 1 : by_steps ? tuning::host_formula_rows : tuning::host_pair_rows;

  /// Stands for the FormulaSteps of laws that are not formulas.
  struct NoSteps {
    TRIAD_HD NoSteps(const Law &, const typename Law::Coefficients &) {}
  };
  /// The steps of a formula for the rows.
  struct StepsOfRows : FormulaSteps<Real, rows_at_once> {
    TRIAD_HD StepsOfRows(const Law &law, const typename Law::Coefficients &c)
        : FormulaSteps<Real, rows_at_once>(*law.formula, c.p) {}
  };

 public:
  static void run(const PairTile &tile) {
    PairTileLoop loop(tile);
    if (loop.reacts())
      for (int axis = 0; axis < 3; ++axis)
        for (int at = 0; at < loop.n_columns_; at += lanes) Real(Scalar(0)).store(loop.reaction_ + axis * block + at);
    int row = 0;
    for (; row + rows_at_once <= tile.rows.size(); row += rows_at_once) loop.template compute_rows<rows_at_once>(row);
    if constexpr (rows_at_once > 1)
      for (; row < tile.rows.size(); ++row) loop.template compute_rows<1>(row);
  }

 private:
  explicit TRIAD_HD PairTileLoop(const PairTile &tile)
      : law_(*static_cast<const Law *>(tile.law)),
        coefficients_(*static_cast<const typename Law::Coefficients *>(tile.coefficients)),
        frame_(*static_cast<const PairFrame<Scalar> *>(tile.frame)),
        rows_(static_cast<const Scalar *>(tile.points) + tile.rows.begin),
        columns_(static_cast<const Scalar *>(tile.points) + tile.columns.begin),
        stride_(tile.stride),
        n_columns_(tile.columns.size()),
        same_(tile.rows.begin == tile.columns.begin),
        reacts_(tile.reacts),
        row_force_(static_cast<Scalar *>(tile.row_force)),
        row_tally_(static_cast<Scalar *>(tile.row_tally)),
        reaction_(static_cast<Scalar *>(tile.reaction)),
        steps_(law_, coefficients_) {}

  TRIAD_HD bool reacts() const { return !tallies || reacts_; }

  /// `n` rows and the forces on them.
  template <int n>
  struct Rows {
    int first;
    typename Points::type point[n];
    Vec3<Real> force[n];
    Tally tally;
  };

  /// Computes n rows from `row` on against all columns.
  template <int n>
  TRIAD_HD void compute_rows(int row) {
    const Real zero = Scalar(0);
    Rows<n> rows;
    rows.first = row;
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      rows.point[k] = Points::same(rows_ + row + k, stride_);
      rows.force[k] = {zero, zero, zero};
    }
    if (tallies)
      for (Real &v : rows.tally.v) v = zero;
    for (int at = same_ && reacts() ? row / lanes * lanes : 0; at < n_columns_; at += lanes) {
      const bool full = at + lanes <= n_columns_ && !(same_ && at < row + n && at + lanes > row);
      full ? compute_pairs<false>(rows, at) : compute_pairs<true>(rows, at);
    }
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      row_force_[row + k] = sum(rows.force[k].x);
      row_force_[block + row + k] = sum(rows.force[k].y);
      row_force_[2 * block + row + k] = sum(rows.force[k].z);
    }
    if (tallies) store_lane_sums(rows.tally.v, Tally::width, row_tally_ + row, block);
  }

  /// Computes the rows against the register of columns from `at` on. Masked: only existing columns; within a single
  /// block, only columns after the row if they react, otherwise all columns but the row.
  template <bool masked, int n>
  TRIAD_HD void compute_pairs(Rows<n> &rows, int at) {
    const auto q = Points::consecutive(columns_ + at, stride_);
    Vec3<Real> back;
    if (reacts())
      back = {Real::load(reaction_ + at), Real::load(reaction_ + block + at), Real::load(reaction_ + 2 * block + at)};
    Vec3<Real> apart[by_steps ? n : 1];
    if constexpr (by_steps) {
      TRIAD_UNROLL
      for (int k = 0; k < rows_at_once; ++k) {
        if (k < n) apart[k] = separation<images>(rows.point[k], q, frame_);
        steps_.squared()[k] = squared(law_, apart[k < n ? k : 0]);
      }
      steps_.compute(tallies);
    }
    TRIAD_UNROLL
    for (int k = 0; k < n; ++k) {
      const auto &p = rows.point[k];
      Vec3<Real> d;
      PairTerm<Real> term;
      if constexpr (by_steps) {
        d = apart[k];
        term = {tallies ? steps_.energy()[k] : Real(Scalar(0)), steps_.pull()[k]};
      } else {
        d = separation<images>(p, q, frame_);
        term = law_(squared(law_, d), coefficients_);
      }
      if (masked) mask(term, rows.first + k, at);
      const Real pull = weighed(term.pull, q.strength);
      Vec3<Real> &force = rows.force[k];
      force.x += pull * d.x;
      force.y += pull * d.y;
      force.z += pull * d.z;
      if (reacts()) {
        const Real pull_back = weighed(term.pull, p.strength);
        back.x -= pull_back * d.x;
        back.y -= pull_back * d.y;
        back.z -= pull_back * d.z;
      }
      if (tallies) rows.tally.add(PairTerm<Real>{weighed(term.energy, q.strength), pull}, d);
    }
    if (!reacts()) return;
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
    if (reacts())
      where(column > Scalar(row));
    else
      where(column > Scalar(row) || column < Scalar(row));
  }

  const Law law_;
  const typename Law::Coefficients coefficients_;
  const PairFrame<Scalar> frame_;
  const Scalar *rows_, *columns_;
  const std::size_t stride_;
  const int n_columns_;
  const bool same_, reacts_;
  Scalar *row_force_, *row_tally_, *reaction_;
  typename std::conditional<by_steps, StepsOfRows, NoSteps>::type steps_;
};

}  // namespace triad
