// Common part of the kernels of all pairs (triangle_kernels.cuh): their arguments, and the rows that a warp keeps in
// registers.
#pragma once

#include "core/tuning.h"
#include "forces/pairwise/atom_tile.h"
#include "forces/pairwise/cuda/pair_accumulators.cuh"
#include "forces/pairwise/cuda/row_points.cuh"

namespace triad {
namespace cuda {

/// Arguments of both kernels.
template <class Law, class Format, Images images>
struct AllPairsJob {
  using Point = typename PointOf<Format, images>::type;
  using Real = typename Format::Real;
  using LawType = Law;
  static constexpr Images which_images = images;

  explicit AllPairsJob(const Law &l) : law(l) {}

  Law law;
  PairFrame<Real> frame = {};
  const Point *__restrict__ point = nullptr;    ///< [32 * n_tiles]
  const AtomTile *__restrict__ tile = nullptr;  ///< [n_tiles]
  int n_tiles = 0;
  int n_types = 0;                                                        ///< 0 for laws without coefficients
  const typename Law::Coefficients *__restrict__ coefficients = nullptr;  ///< [n_types^2]
  bool sided = false;                                                     ///< true if some tiles do not interact
  PairForces<Format> force = {};                                          ///< [32 * n_tiles]; the kernels add to them
  std::int64_t first = 0, last = 0;                                       ///< work items of this launch
};

/// Copies points in words of 16 bytes.
template <class Point>
struct PointWords {
  static constexpr int n = sizeof(Point) / sizeof(int4);
  static_assert(n * sizeof(int4) == sizeof(Point), "points consist of full words");
  int4 word[n];

  /// Loads from shared memory, where word w of point `at` is at w * stride + at, so that there are no bank conflicts.
  __device__ __forceinline__ static Point load_shared(const int4 *source, int stride, int at) {
    PointWords words;
    TRIAD_UNROLL
    for (int w = 0; w < n; ++w) words.word[w] = source[w * stride + at];
    return words.point();
  }
  /// Loads through the read-only cache.
  __device__ __forceinline__ static PointWords load_global(const Point *source) {
    PointWords words;
    TRIAD_UNROLL
    for (int w = 0; w < n; ++w) words.word[w] = __ldg(reinterpret_cast<const int4 *>(source) + w);
    return words;
  }
  __device__ __forceinline__ void store_shared(int4 *target, int stride, int at) const {
    TRIAD_UNROLL
    for (int w = 0; w < n; ++w) target[w * stride + at] = word[w];
  }
  __device__ __forceinline__ Point point() const {
    Point p;
    memcpy(&p, word, sizeof p);
    return p;
  }
};

__device__ __forceinline__ AtomTile load_tile(const AtomTile *p) {
  const int4 v = __ldg(reinterpret_cast<const int4 *>(p));
  return {v.x, v.y, v.z, v.w};
}

/// One column tile against K rows of a warp. The properties of the row tiles (count, type, side) are read again for
/// every column tile: in registers they would reduce the number of resident warps by a third.
template <class Law, class Format, Images images, int K, bool folded = false>
struct WarpTile {
  using Job = AllPairsJob<Law, Format, images>;
  using Real = typename Format::Real;
  using Point = typename Job::Point;
  using Row = RowPoint<Law, Point, images, folded>;
  using Coefficients = typename Law::Coefficients;

  Row row[K];
  Vec3<Real> force[K];  ///< force on the rows, in units of the law
  Coefficients coefficients[K];

  /// Returns the tile of a row, or an empty tile beyond the last.
  __device__ __forceinline__ static AtomTile tile_of(const Job &job, int row) {
    return row < job.n_tiles ? load_tile(job.tile + row) : AtomTile{0, 0, 0, 0};
  }

  __device__ __forceinline__ void load_rows(const Job &job, int first, int lane) {
    TRIAD_UNROLL
    for (int k = 0; k < K; ++k) {
      const int s = min(first + k, job.n_tiles - 1);
      row[k] =
          Row(PointWords<Point>::load_global(job.point + 32 * static_cast<std::size_t>(s) + lane).point(), job.law);
      force[k] = {0, 0, 0};
    }
  }
  __device__ __forceinline__ void load_coefficients(const Job &job, int first, int type) {
    if constexpr (!std::is_empty<Coefficients>::value) {
      TRIAD_UNROLL
      for (int k = 0; k < K; ++k) coefficients[k] = job.coefficients[tile_of(job, first + k).type * job.n_types + type];
    }
  }
  __device__ __forceinline__ void flush_rows(const Job &job, int first, int lane) const {
    TRIAD_UNROLL
    for (int k = 0; k < K; ++k)
      if (lane < tile_of(job, first + k).count) add(job, first + k, lane, row[k].on_row(force[k]));
  }
  __device__ __forceinline__ static void add(const Job &job, int tile, int lane, const Vec3<Real> &f) {
    using Sum = typename Format::Sum;
    job.force.add(32 * tile + lane, {Sum(f.x), Sum(f.y), Sum(f.z)});
  }
  /// True if all rows are full atom tiles.
  __device__ __forceinline__ static bool rows_full(const Job &job, int first) {
    bool full = true;
    TRIAD_UNROLL
    for (int k = 0; k < K; ++k) full = full && tile_of(job, first + k).count == 32;
    return full;
  }
  /// Counts the atoms of each row that interact with `tile`; returns true if there are any.
  __device__ __forceinline__ static bool acting_rows(const Job &job, int first, const AtomTile &tile, int (&rows)[K]) {
    bool any = false;
    TRIAD_UNROLL
    for (int k = 0; k < K; ++k) {
      const AtomTile row = tile_of(job, first + k);
      rows[k] = acts(row.side, tile.side) ? row.count : 0;
      any = any || rows[k] > 0;
    }
    return any;
  }

  /// Adds the pair of row k and atom q to the force on the row, and the reaction to `reaction`. `valid` is used only if
  /// Masked.
  template <bool Masked>
  __device__ __forceinline__ void pair(const Job &job, int k, const Point &q, bool valid, Vec3<Real> *reaction) {
    const Vec3<Real> d = row[k].separation_to(q, job.frame);
    Real pull = job.law(row[k].squared(job.law, d), coefficients[k]).pull;
    if (Masked) pull = valid ? pull : Real(0);
    add_scaled(force[k], Law::by_strength ? pull * Real(q.strength) : pull, d);
    if (reaction) add_scaled(*reaction, -row[k].weighed(pull), d);
  }

  /// Computes the rows against the tile of which two consecutive copies are at `stage` in shared memory; returns the
  /// reaction on atom `lane` of the tile. Masked: only the first rows[k] lanes of row k and the first `columns` atoms
  /// of the tile; rows after number `diagonal` are skipped, and row `diagonal`, the same tile, has only pairs with
  /// lane < column.
  template <bool Masked>
  __device__ __forceinline__ Vec3<Real> rotate_tile(const Job &job, const int4 *stage, int lane, const int *rows,
                                                    int columns, int diagonal) {
    Vec3<Real> reaction = {0, 0, 0};
    const int next = (lane + 1) & 31;
#pragma unroll(Masked ? 1 : tuning::triangle_unroll)
    for (int r = 0; r < 32; ++r) {
      const Point q = PointWords<Point>::load_shared(stage, 64, lane + r);
      const int column = (lane + r) & 31;
      TRIAD_UNROLL
      for (int k = 0; k < K; ++k) {
        const bool valid =
            Masked && lane < rows[k] && column < columns && k <= diagonal && (k != diagonal || lane < column);
        pair<Masked>(job, k, q, valid, &reaction);
      }
      reaction.x = __shfl_sync(~0u, reaction.x, next);
      reaction.y = __shfl_sync(~0u, reaction.y, next);
      reaction.z = __shfl_sync(~0u, reaction.z, next);
    }
    return reaction;
  }
};

}  // namespace cuda
}  // namespace triad
