// The kernel of pair forces from full lists on the positions of an engine. Each row is summed by a few lanes and added
// to the atom's force once, so forces need no atomics and ghosts receive none.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cuda/formats.cuh"
#include "core/cuda/step_guard.cuh"
#include "core/tuning.h"
#include "engine/cuda/state/sum_kernels.cuh"
#include "forces/pairwise/cuda/pair_results.cuh"
#include "forces/tersoff/cuda/tersoff_kernels.cuh"
#include "potentials/pairwise/laws.h"

namespace triad {
namespace cuda {

template <class Format>
struct PairListTermJob {
  using Real = typename Format::Real;
  using Law = LennardJonesCutLaw<Real>;
  using Position = typename PositionOf<Format>::type;

  Law law{LennardJonesCutSettings()};
  const Position *position = nullptr;  ///< [n_all]
  PositionScale scale = {};
  ImageNames<Position> images;
  const std::uint16_t *type = nullptr;  ///< [n_all], from 1
  int n_types = 0;
  const typename Law::Coefficients *coefficients = nullptr;  ///< [n_types^2]

  int n_rows = 0;                     ///< rows with entries
  const int *row = nullptr;           ///< [n_rows]
  const int *centre = nullptr;        ///< centre of each row of the list, or null if centre[row] = row
  const long long *offset = nullptr;  ///< first entry of each row of the list
  const int *neighbour = nullptr;

  ForceArray<Format> force = {};
  PairTallies tallies = {};  ///< by atom, or none; each atom has half of a pair
  // Arguments of write_grid_sum().
  BlockTotals *block_sums = nullptr, *sum = nullptr;
  unsigned *arrived = nullptr;
  const StepGuard *guard = nullptr;  ///< of the steps, or null
  int *bad = nullptr;                ///< receives 1 + index of an atom whose force is out of the accumulators' range
};

/// Sum over the lanes of a row.
template <class Number>
__device__ __forceinline__ Number sum_of_lanes(Number v, unsigned lanes_of_row) {
  TRIAD_UNROLL
  for (int distance = tuning::pair_term_lanes / 2; distance > 0; distance /= 2)
    v += __shfl_xor_sync(lanes_of_row, v, distance);
  return v;
}

/// Adds the forces of one row, which the lanes of a row share. Returns the tally of the row in lane 0, and zeros in the
/// other lanes and if `tallied` is false.
template <class Format, bool tallied>
__device__ __forceinline__ PairTally<double> add_pair_row(const PairListTermJob<Format> &job, int row, int lane) {
  using Job = PairListTermJob<Format>;
  using Real = typename Job::Real;
  using Sum = typename Format::Sum;
  using Wide = std::conditional_t<std::is_same<Format, SingleFormat>::value, float, double>;
  constexpr int lanes = tuning::pair_term_lanes;
  const unsigned lanes_of_row = ((1u << lanes) - 1) << (threadIdx.x % 32 - lane);
  const int i = job.centre ? job.centre[row] : row;
  const auto pi = load(job.position + i);
  const typename Job::Law::Coefficients *const of_type = job.coefficients + (job.type[i] - 1) * job.n_types - 1;

  Vec3<Real> sum = {0, 0, 0};
  PairTally<double> tally;
#pragma unroll 4
  for (long long k = job.offset[row] + lane; k < job.offset[row + 1]; k += lanes) {
    const int entry = job.neighbour[k];
    const Vec3<Real> d = vector_of(job.images.relative(job.position, pi, entry), job.scale);
    const PairTerm<Real> term = job.law(squared(job.law, d), of_type[job.type[job.images.index(entry)]]);
    add_scaled(sum, term.pull, d);
    if (tallied) tally.add(PairTerm<double>{0.5 * term.energy, 0.5 * term.pull}, Vec3<double>{d.x, d.y, d.z});
  }
  const Wide f[3] = {sum_of_lanes(Wide(sum.x), lanes_of_row), sum_of_lanes(Wide(sum.y), lanes_of_row),
                     sum_of_lanes(Wide(sum.z), lanes_of_row)};
  if (tallied)
    for (int v = 0; v < PairTallies::width; ++v) tally.v[v] = sum_of_lanes(tally.v[v], lanes_of_row);
  if (lane != 0) return PairTally<double>();
  constexpr bool fixed = std::is_same<Sum, fixed_point::Word>::value;
  const double size = fabs(double(f[0])) + fabs(double(f[1])) + fabs(double(f[2]));
  if (!(size < (fixed ? double(fixed_point::max_contribution) : double(INFINITY)))) *job.bad = i + 1;
  for (int axis = 0; axis < 3; ++axis) job.force.component(i, axis) += to_accumulator<Sum>(f[axis]);
  if (tallied && job.tallies.base)
    for (int v = 0; v < PairTallies::width; ++v) job.tallies.base[v * job.tallies.stride + i] = tally.v[v];
  return tally;
}

template <class Format, bool tallied>
__global__ void __launch_bounds__(tuning::pair_term_block) pair_list_term_kernel(const PairListTermJob<Format> job) {
  constexpr int lanes = tuning::pair_term_lanes, rows = tuning::pair_term_block / lanes;
  wait_for_previous_kernel();
  if (job.guard && job.guard->stopped) return;
  BlockTotals mine;
  for (long long k = blockIdx.x * static_cast<long long>(rows) + threadIdx.x / lanes; k < job.n_rows;
       k += gridDim.x * static_cast<long long>(rows)) {
    const PairTally<double> tally = add_pair_row<Format, tallied>(job, job.row[k], threadIdx.x % lanes);
    TRIAD_UNROLL
    for (int v = 0; v < BlockTotals::size && tallied; ++v) mine[v] += tally.v[v];
  }
  if constexpr (tallied) write_grid_sum<tuning::pair_term_block>(mine, job.block_sums, job.sum, job.arrived);
}

}  // namespace cuda
}  // namespace triad
