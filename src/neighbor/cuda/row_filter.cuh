// Filter of a row of the neighbour list: the entries that a pruned list keeps.
#pragma once

#include <cooperative_groups.h>

#include "core/cuda/warp.cuh"
#include "core/portable_math.h"
#include "core/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {
namespace pruning {

namespace cg = cooperative_groups;
constexpr int tile_size = tuning::pruned_list_lanes;
using Tile = cg::thread_block_tile<tile_size>;

static __device__ int centre_of(const DeviceNeighborList &rows, int row) {
  return rows.centre ? rows.centre[row] : row;
}

/// The entries of one row.
struct Entries {
  const int *first;
  std::size_t stride;
  int length;
};
__device__ __forceinline__ Entries entries_of(const DeviceNeighborList &rows, int row, int centre) {
  if (!rows.offset) return {rows.neighbour + centre * rows.row_stride, rows.entry_stride, rows.length[centre]};
  const long long *offset = rows.offset + (rows.second_to ? centre : row), begin = offset[0];
  return {rows.neighbour + begin, 1, static_cast<int>(offset[1] - begin)};
}

/// The number of entries of a row that are kept, and the number of these within the cutoff.
struct Kept {
  int n, within;
};

/// Prunes `row`, with distances between references: calls keep(k, j) for the k-th entry j within the cutoff plus the
/// shares of both atoms, in list order, and leave_out(j, own, other) for the other atoms of the potential, with the
/// limits of displacement that the pair allows the centre and the neighbour. Returns the number of entries kept and the
/// number of these within the cutoff; 0 if the row is not `wanted`. All threads of a warp must call the function
/// together, with one row per tile.
template <class Position, class Keep, class LeaveOut>
__device__ __forceinline__ Kept filter_row(const Tile &tile, const DeviceNeighborList &rows,
                                           const DeviceAtoms<Position> &atoms, int row, bool wanted, Keep &&keep,
                                           LeaveOut &&leave_out) {
  constexpr unsigned tile_bits = (1u << tile_size) - 1;
  const int centre = wanted ? centre_of(rows, row) : 0;
  const auto own = atoms.listed(centre);
  wanted = wanted && own.reference.element >= 0;
  Entries entries = {nullptr, 0, 0};
  if (wanted) entries = entries_of(rows, row, centre);
  const float *cutoffs = atoms.cutoff + (wanted ? static_cast<int>(own.reference.element) * atoms.nelements : 0);
  const float first_cutoff = wanted ? cutoffs[0] : 0.0f;  // a table without elements has none
  const int lane = tile.thread_rank(), first_of_tile = static_cast<int>(threadIdx.x % 32) - lane;
  const unsigned before = (1u << lane) - 1;
  const int *next = entries.first + lane * entries.stride;
  int left = entries.length - lane, n = 0, within = 0;
  while (__any_sync(all_lanes, left > 0)) {
    bool hit = false, near = false;
    int j = 0;
    if (left > 0) {
      j = *next & rows.mask;
      const auto other = atoms.listed(atoms.images.index(j));
      const auto d = vector_of(atoms.images.relative(own.reference, other.reference, j), atoms.scale);
      const float squared = static_cast<float>(dot(d, d));
      if (other.reference.element >= 0) {
        const float cutoff = atoms.nelements == 1 ? first_cutoff : cutoffs[other.reference.element];
        const float wide = cutoff + (own.share + other.share) + atoms.image_reserve;
        hit = squared < wide * wide;
        near = squared < cutoff * cutoff;
        if (!hit) {
          const float half_excess = 0.5f * (squared * math::rsqrt_normal(squared) - wide);
          leave_out(j, own.share + half_excess, other.share + half_excess);
        }
      }
    }
    next += tile_size * entries.stride;
    left -= tile_size;
    const unsigned hits = __ballot_sync(all_lanes, hit) >> first_of_tile & tile_bits;
    if (hit) keep(n + __popc(hits & before), j);
    n += __popc(hits);
    within += __popc(__ballot_sync(all_lanes, near) >> first_of_tile & tile_bits);
  }
  return {n, within};
}

static __device__ std::size_t tile_index() {
  return (blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) / tile_size;
}

}  // namespace pruning
}  // namespace cuda
}  // namespace triad
