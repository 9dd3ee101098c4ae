// All pairs on the host. Atoms in the order of strips (strips.h) form blocks of one type and side; each pair of blocks
// is computed one row at a time against all columns, in a loop that vectorises. Threads take pairs of blocks in turn
// and add to arrays of their own, which are summed in the order of threads: results depend on their number by rounding.
#pragma once

#include <vector>

#include "loops/pair_geometry.h"
#include "loops/point_columns.h"
#include "loops/strips.h"
#include "loops/threads.h"
#include "loops/tuning.h"
#include "loops/vectorise.h"
#include "physics/triangle.h"

namespace triad {

/// Slots [begin, end) of one type and side.
struct PairBlock {
  int begin, end;
  int type, side;
};

/// What does not change within a launch over blocks.
template <class Law, class Format, Images images>
struct HostPairJob {
  using Real = typename Format::Real;
  using Point = typename PointOf<Format, images>::type;
  Law law;
  PairFrame<Real> frame;
  typename PointColumns<Point>::View points;
};

constexpr int pair_lanes = tuning::host_pair_lanes;

/// Forces on the columns of one block, in the order of slots.
template <class Real>
struct ColumnForces {
  Real x[tuning::host_pair_block], y[tuning::host_pair_block], z[tuning::host_pair_block];
};

/// Force on a row in units of the law, without its own strength, and tallies likewise, by lanes.
template <class Real>
struct RowSums {
  Real x[pair_lanes] = {}, y[pair_lanes] = {}, z[pair_lanes] = {};
  Real tally[PairTally<Real>::width][pair_lanes] = {};
};

/// One row atom p against the slots from `first` on, one per lane; of these only [begin, end) when masked. Plain loops
/// over lanes: GCC's `omp simd` keeps structs in arrays, where they do not vectorise.
template <bool masked, bool reacts, bool tallies, class Law, class Format, Images images, class Point>
inline __attribute__((always_inline)) void row_against_lanes(
    const HostPairJob<Law, Format, images> &job, const typename Law::Coefficients &c, const Point &p, int first,
    int begin, int end, typename Format::Real *__restrict rx, typename Format::Real *__restrict ry,
    typename Format::Real *__restrict rz, RowSums<typename Format::Real> &sums) {
  using Real = typename Format::Real;
#pragma GCC ivdep
  for (int l = 0; l < pair_lanes; ++l) {
    const Point q = job.points.at(first + l);
    const Vec3<Real> d = separation<images>(p, q, job.frame);
    PairTerm<Real> term = job.law(squared(job.law, d), c);
    if (masked) {
      const bool valid = first + l >= begin && first + l < end;
      term.pull = valid ? term.pull : Real(0);
      term.energy = valid ? term.energy : Real(0);
    }
    const Real pull = Law::by_strength ? term.pull * Real(q.strength) : term.pull;
    sums.x[l] += pull * d.x;
    sums.y[l] += pull * d.y;
    sums.z[l] += pull * d.z;
    if (reacts) {
      const Real back = Law::by_strength ? term.pull * Real(p.strength) : term.pull;
      rx[l] -= back * d.x;
      ry[l] -= back * d.y;
      rz[l] -= back * d.z;
    }
    if (tallies) {
      sums.tally[0][l] += Law::by_strength ? term.energy * Real(q.strength) : term.energy;
      sums.tally[1][l] -= pull * d.x * d.x;
      sums.tally[2][l] -= pull * d.y * d.y;
      sums.tally[3][l] -= pull * d.z * d.z;
      sums.tally[4][l] -= pull * d.x * d.y;
      sums.tally[5][l] -= pull * d.x * d.z;
      sums.tally[6][l] -= pull * d.y * d.z;
    }
  }
}

/// The row atom in slot `row` against slots [begin, end); `reaction` is that of the slots from `origin` on, a multiple
/// of the number of lanes below begin.
template <bool reacts, bool tallies, class Law, class Format, Images images>
TRIAD_CLONES void row_against_columns(const HostPairJob<Law, Format, images> &job,
                                      const typename Law::Coefficients &coefficients, int row, int origin, int begin,
                                      int end, ColumnForces<typename Format::Real> *reaction,
                                      RowSums<typename Format::Real> &sums) {
  const HostPairJob<Law, Format, images> local = job;
  const auto c = coefficients;
  const auto p = local.points.at(row);
  RowSums<typename Format::Real> s;
  const auto lanes = [&](auto masked, int first) __attribute__((always_inline)) {
    row_against_lanes<decltype(masked)::value, reacts, tallies>(
        local, c, p, first, begin, end, reacts ? reaction->x + (first - origin) : nullptr,
        reacts ? reaction->y + (first - origin) : nullptr, reacts ? reaction->z + (first - origin) : nullptr, s);
  };
  int first = origin + (begin - origin) / pair_lanes * pair_lanes;
  if (first < begin) {
    lanes(std::true_type(), first);
    first += pair_lanes;
  }
  for (; first + pair_lanes <= end; first += pair_lanes) lanes(std::false_type(), first);
  if (first < end) lanes(std::true_type(), first);
  sums = s;
}

}  // namespace triad
