// Kernels over all pairs: triangular (each pair once) and one-sided (each pair from both sides).
//
// Slots are atoms in the order of atom tiles (forces/pairwise/tile_order.h): 32 slots, one per lane, of one type and
// side. A warp keeps K atom tiles, its rows, in registers, K atoms per lane, and loops over the column tiles.
//
// Triangular: in rotation step r, lane l computes the pair with atom (l + r) mod 32 of the column tile. The positions
// of the tile are in shared memory; its reactions rotate between lanes by shuffles and return to the lane of their atom
// after 32 steps. The kernel makes one reduction per column tile, and one per row when the warp has finished its
// columns. Sources: Nyland, Harris and Prins (GPU Gems 3, 2007) for the tiles; Eastman and Pande (J. Comput. Chem. 31,
// 1268, 2010) for the rotation.
//
// One-sided: a block stages atom tiles in shared memory, all lanes process the same column atom, and there are no
// reactions. This needs twice the arithmetic, but allows any number of warps, sums each force in one thread, and leaves
// registers for tallies.
#pragma once

#include "core/triangle.h"
#include "forces/pairwise/cuda/warp_tile.cuh"

namespace triad {
namespace cuda {

/// A work item is a part of a square of K by K atom tiles, with K / tiles_per_item parts per square; squares are
/// numbered by triangle_pair().
template <class Law, class Format, Images images, int K, bool folded>
__global__ void __launch_bounds__(tuning::triangle_block, tuning::triangle_blocks_per_sm)
    triangle_kernel(const AllPairsJob<Law, Format, images> job, std::integral_constant<int, K>,
                    std::bool_constant<folded>, const int tiles_per_item) {
  using Tile = WarpTile<Law, Format, images, K, folded>;
  using Words = PointWords<typename Tile::Point>;
  constexpr int warps = tuning::triangle_block / 32;
  __shared__ int4 stages[warps][64 * Words::n];
  const int lane = threadIdx.x & 31;
  int4 *stage = stages[threadIdx.x / 32];

  for (std::int64_t item = job.first + std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; item < job.last;
       item += std::int64_t(gridDim.x) * warps) {
    const int parts = K / tiles_per_item;
    const TrianglePair square = triangle_pair(item / parts);
    const int low = static_cast<int>(square.low), first_row = low * K, first_column = static_cast<int>(square.high) * K;
    const int first_in_square = static_cast<int>(item % parts) * tiles_per_item;
    Tile tile;
    tile.load_rows(job, first_row, lane);
    const bool plain = !job.sided && first_row < first_column && Tile::rows_full(job, first_row);

    for (int m = 0; m < tiles_per_item; ++m) {
      // Squares of one column start with different atom tiles, so that their reactions do not use the same address at
      // the same time.
      const int in_square = first_in_square + (m + low) % tiles_per_item, s = first_column + in_square;
      if (s >= job.n_tiles) continue;
      const AtomTile column_tile = load_tile(job.tile + s);
      tile.load_coefficients(job, first_row, column_tile.type);
      const Words words = Words::load_global(job.point + 32 * static_cast<std::size_t>(s) + lane);
      __syncwarp();
      words.store_shared(stage, 64, lane);
      words.store_shared(stage, 64, lane + 32);
      __syncwarp();
      Vec3<typename Tile::Real> reaction;
      if (plain && column_tile.count == 32) {
        reaction = tile.template rotate_tile<false>(job, stage, lane, nullptr, 32, K);
      } else {
        int rows[K];
        if (!Tile::acting_rows(job, first_row, column_tile, rows)) continue;
        const int diagonal = first_row == first_column ? in_square : K;
        reaction = tile.template rotate_tile<true>(job, stage, lane, rows, column_tile.count, diagonal);
      }
      if (lane < column_tile.count) Tile::add(job, s, lane, reaction);
    }
    tile.flush_rows(job, first_row, lane);
  }
}

/// Scaled pairs by slot: partners of a slot in ascending order.
template <class Real>
struct ScaledSlots {
  const long long *offset;  ///< [slots + 1], or null
  const int *partner;
  const Real *factor;

  /// Position in a row during a pass over ascending slots.
  struct Cursor {
    long long at, end;
  };
  __device__ __forceinline__ Cursor start(std::size_t slot, int first) const {
    Cursor c = {offset[slot], offset[slot + 1]};
    while (c.at < c.end && partner[c.at] < first) ++c.at;
    return c;
  }
  __device__ __forceinline__ Real factor_of(Cursor &c, int slot) const {
    while (c.at < c.end && partner[c.at] < slot) ++c.at;
    return c.at < c.end && partner[c.at] == slot ? factor[c.at] : Real(1);
  }
};

/// A work item is a group of rows, K atom tiles for each warp of a block, times a chunk of column tiles. General: with
/// tallies and scaled pairs, K = 1.
template <class Law, class Format, Images images, int K, bool general>
__global__ void __launch_bounds__(tuning::onesided_block)
    onesided_kernel(const AllPairsJob<Law, Format, images> job, std::integral_constant<int, K>,
                    std::bool_constant<general>, const int tiles_per_chunk, const int chunks, const PairTallies tallies,
                    const ScaledSlots<typename Format::Real> scaled) {
  using Tile = WarpTile<Law, Format, images, K>;
  using Point = typename Tile::Point;
  using Words = PointWords<Point>;
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  static_assert(!general || K == 1, "one row per lane");
  constexpr int warps = tuning::onesided_block / 32, staged = tuning::onesided_tiles;
  __shared__ int4 stage[32 * staged * Words::n];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;

  for (std::int64_t item = job.first + blockIdx.x; item < job.last; item += gridDim.x) {
    const int first_row = (static_cast<int>(item / chunks) * warps + warp) * K;
    const int chunk = static_cast<int>(item % chunks);
    const int begin = chunk * tiles_per_chunk, end = min(begin + tiles_per_chunk, job.n_tiles);
    Tile tile;
    tile.load_rows(job, first_row, lane);
    Vec3<Sum> total[K];
    TRIAD_UNROLL
    for (int k = 0; k < K; ++k) total[k] = {0, 0, 0};
    PairTally<double> tallied;
    typename ScaledSlots<Real>::Cursor cursor = {0, 0};
    if (general && scaled.offset && lane < Tile::tile_of(job, first_row).count)
      cursor = scaled.start(32 * static_cast<std::size_t>(first_row) + lane, 32 * begin);

    for (int at = begin; at < end; at += staged) {
      const int n = min(staged, end - at);
      __syncthreads();
      for (int k = threadIdx.x; k < 32 * n; k += tuning::onesided_block)
        Words::load_global(job.point + 32 * static_cast<std::size_t>(at) + k).store_shared(stage, 32 * staged, k);
      __syncthreads();
      PairTally<Real> row_tally;
      for (int s = at; s < at + n; ++s) {
        const AtomTile column_tile = load_tile(job.tile + s);
        tile.load_coefficients(job, first_row, column_tile.type);
        const int column = 32 * (s - at);
        if (!general && !job.sided && (s < first_row || s >= first_row + K)) {
#pragma unroll(tuning::onesided_unroll)
          for (int j = 0; j < column_tile.count; ++j) {
            const Point q = Words::load_shared(stage, 32 * staged, column + j);
            TRIAD_UNROLL
            for (int k = 0; k < K; ++k) tile.template pair<false>(job, k, q, true, nullptr);
          }
          continue;
        }
        int rows[K];
        if (!Tile::acting_rows(job, first_row, column_tile, rows)) continue;
        for (int j = 0; j < column_tile.count; ++j) {
          const Point q = Words::load_shared(stage, 32 * staged, column + j);
          TRIAD_UNROLL
          for (int k = 0; k < K; ++k) {
            const bool valid = rows[k] > 0 && (first_row + k != s || lane != j);
            if constexpr (general) {
              const Vec3<Real> d = tile.row[k].separation_to(q, job.frame);
              PairTerm<Real> term = job.law(tile.row[k].squared(job.law, d), tile.coefficients[k]);
              Real factor = 1;
              if (scaled.offset) factor = scaled.factor_of(cursor, 32 * s + j);
              if constexpr (Law::by_strength) factor *= q.strength;
              term = valid && factor != 0 ? PairTerm<Real>{term.energy * factor, term.pull * factor}
                                          : PairTerm<Real>{0, 0};
              add_scaled(tile.force[k], term.pull, d);
              row_tally.add(term, d);
            } else {
              tile.template pair<true>(job, k, q, valid, nullptr);
            }
          }
        }
      }
      TRIAD_UNROLL
      for (int k = 0; k < K; ++k) {
        total[k] = total[k] + Vec3<Sum>{Sum(tile.force[k].x), Sum(tile.force[k].y), Sum(tile.force[k].z)};
        tile.force[k] = {0, 0, 0};
      }
      if constexpr (general)
        for (int v = 0; v < PairTallies::width; ++v) tallied.v[v] += 0.5 * row_tally.v[v];
    }
    TRIAD_UNROLL
    for (int k = 0; k < K; ++k)
      if (lane < Tile::tile_of(job, first_row + k).count) job.force.add(32 * (first_row + k) + lane, total[k]);
    if constexpr (general)
      if (tallies.base && lane < Tile::tile_of(job, first_row).count)
        tallies.add(32 * static_cast<std::size_t>(first_row) + lane, tallied);
  }
}

}  // namespace cuda
}  // namespace triad
