// Pair forces from lists in device memory, one thread per row. Half lists: the force of the row is summed in registers,
// and reactions are added with atomics. Full lists need no atomics.
#pragma once

#include "core/tuning.h"
#include "forces/pairwise/atom_tile.h"
#include "forces/pairwise/cuda/pair_accumulators.cuh"
#include "forces/pairwise/cuda/sliced_rows.cuh"

namespace triad {
namespace cuda {

/// Attributes stored with a position: type, from 0, and side.
struct TypeAndSide {
  static constexpr int side_shift = 28;
  __host__ __device__ static int pack(int type, int side) { return type | side << side_shift; }
  __device__ static int type(long long packed) { return static_cast<int>(packed) & ((1 << side_shift) - 1); }
  __device__ static int side(long long packed) { return static_cast<int>(packed) >> side_shift & 3; }
};

template <class Law, class Format, class Position>
struct PairListJob {
  explicit PairListJob(const Law &l) : law(l) {}

  Law law;
  SlicedRows rows = {};
  const Position *__restrict__ position = nullptr;  ///< [n]
  PositionScale scale = {};
  const double *__restrict__ strength = nullptr;                          ///< [n], for laws by strength
  const typename Law::Coefficients *__restrict__ coefficients = nullptr;  ///< [n_types^2]
  int n_types = 1;
  typename Law::Real cutoff_squared = 0, special[4] = {};
  PairForces<Format> force = {};
  PairTallies tallies = {};
};

template <bool both_sides, bool tallied, class Law, class Format, class Position>
__global__ void __launch_bounds__(tuning::pair_list_block)
    pair_list_kernel(const PairListJob<Law, Format, Position> job, std::bool_constant<both_sides>,
                     std::bool_constant<tallied>) {
  using Real = typename Law::Real;
  using Sum = typename Format::Sum;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= job.rows.n_rows) return;
  const int i = job.rows.centre ? job.rows.centre[row] : row, length = job.rows.length[row];
  const long long first = job.rows.slice[row / 32] + row % 32;
  const Position pi = load(job.position + i);
  Vec3<Real> own = {0, 0, 0};
  PairTally<double> own_tally;
  for (int k = 0; k < length; ++k) {
    const unsigned entry = __ldg(job.rows.entry + first + 32ll * k);
    const int j = entry & ListEntry::index_bits;
    const Position pj = load(job.position + j);
    const auto between = difference(pi, pj, job.scale);
    const Vec3<Real> d = {Real(between.x), Real(between.y), Real(between.z)};
    const Real distance_squared = dot(d, d);
    constexpr bool listed = std::is_same<Law, ListedLaw<Real>>::value;
    const Real factor = listed ? Real(1) : job.special[entry >> 30];
    const bool fixed = listed && (entry & ListEntry::fixed_bit);
    const bool act = (fixed || distance_squared < job.cutoff_squared) && factor != 0 &&
                     acts(TypeAndSide::side(pi.element), TypeAndSide::side(pj.element));
    if (!act) continue;
    typename Law::Coefficients c;
    if constexpr (listed) {
      c = typename Law::Coefficients(job.rows.constants.at(first + 32ll * k));
    } else if constexpr (!std::is_empty<typename Law::Coefficients>::value) {
      c = job.coefficients[TypeAndSide::type(pi.element) * job.n_types + TypeAndSide::type(pj.element)];
    }
    PairTerm<Real> term = job.law(squared(job.law, d), c);
    term.energy *= factor;
    term.pull *= factor;
    Real pull = term.pull;
    if constexpr (Law::by_strength) pull *= Real(job.strength[j]);
    add_scaled(own, pull, d);
    if constexpr (!both_sides) {
      Real back = term.pull;
      if constexpr (Law::by_strength) back *= Real(job.strength[i]);
      job.force.add(j, {Sum(-back * d.x), Sum(-back * d.y), Sum(-back * d.z)});
    }
    if constexpr (tallied) {
      // The tally of each atom is multiplied by its own strength when the tallies are collected.
      const auto tally_for = [&](int other) {
        double half = 0.5;
        if constexpr (Law::by_strength) half *= job.strength[other];
        PairTally<double> tally;
        tally.add(PairTerm<double>{half * term.energy, half * term.pull}, Vec3<double>{d.x, d.y, d.z});
        return tally;
      };
      const PairTally<double> tally = tally_for(j);
      for (int v = 0; v < PairTallies::width; ++v) own_tally.v[v] += tally.v[v];
      if constexpr (!both_sides) job.tallies.add(j, tally_for(i));
    }
  }
  job.force.add(i, {Sum(own.x), Sum(own.y), Sum(own.z)});
  if constexpr (tallied) job.tallies.add(i, own_tally);
}

}  // namespace cuda
}  // namespace triad
