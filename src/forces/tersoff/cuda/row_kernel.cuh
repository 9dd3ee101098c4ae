// Forces of centres whose rows have more than four entries, one thread per centre. The thread first selects the entries
// that are within the cutoff now. Up to most_unrolled of these are unrolled in registers; the general kernel computes
// the few centres that have more.
#pragma once

#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

/// Largest number of neighbours within the cutoff that row_kernel unrolls, as registers allow.
template <class Real>
constexpr int most_unrolled = sizeof(Real) == 4 ? 8 : 6;

template <class Format, class Model>
constexpr int row_min_blocks() {
  return sizeof(typename Format::Real) == 4 && !Model::lambda3 ? tuning::row_blocks_per_sm : 1;
}

/// The row of a centre, and those of its entries that are within the cutoff.
struct ChosenRow {
  int row, centre, n;
  const int *entry;           ///< [PrunedListView::width]
  const unsigned char *slot;  ///< [n] at a stride of tuning::row_block
};

/// Computes the forces of a row of at most N neighbours within the cutoff.
template <int N, class Format, class Model, class Position>
__device__ __forceinline__ void add_forces_of_row(const Model &model, const ForceJob<Format> &job, const ChosenRow &row,
                                                  const Position &pi) {
  using Real = typename Format::Real;
  int element[N];
  Bond<Real> bond[N];
  Vec3<Real> gradient[N];
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    element[j] = static_cast<int>(pi.element);
    bond[j] = no_bond(job.beyond);
    if (j >= row.n) continue;
    const auto pj = job.images.position(job.position, row.entry[row.slot[j * tuning::row_block]]);
    element[j] = static_cast<int>(pj.element);
    bond[j] = bond_between<Format>(pi, pj, job.scale, model.shift);
  }
  tersoff_unrolled<N>(model, static_cast<int>(pi.element), element, bond, gradient);
  Emitter<Format, false> emit(job);
  TRIAD_UNROLL
  for (int j = 0; j < N; ++j) {
    if (j >= row.n) continue;
    const int k = row.slot[j * tuning::row_block];
    emit.template neighbour<true>(row.entry[k], job.list.number(row.row, k), bond[j], gradient[j]);
  }
  emit.centre(row.centre, emit.own());
  emit.finish_centre(row.centre);
}

/// Selects the entries of a row of `length` entries that are within the cutoff now: writes the first most_unrolled of
/// their slots to `chosen` and their number to row.n. Returns one bit per entry within the cutoff. If forces are
/// gathered, the gradients of the other entries become zero where the neighbour gathers all its entries. Entries are
/// read in batches, so that the loads of several positions are in flight.
template <class Format, class Position, std::size_t Most>
__device__ __forceinline__ unsigned select_within_cutoff(const ForceJob<Format> &job, int length, const Position &pi,
                                                         ChosenRow &row,
                                                         unsigned char (&chosen)[Most][tuning::row_block]) {
  using Real = typename Format::Real;
  constexpr int batch = 4;
  const float *const cutoffs = job.cutoff + static_cast<int>(pi.element) * job.nelements;
  const unsigned in_short_rows = job.gathers() ? job.list.in_short_rows[row.row] : 0;
  unsigned within = 0;
  for (int first = 0; first < length; first += batch) {
    const int4 quad = *reinterpret_cast<const int4 *>(row.entry + first);
    const int entry[batch] = {quad.x, quad.y, quad.z, quad.w};
    float excess[batch];
    TRIAD_UNROLL
    for (int b = 0; b < batch; ++b) {
      const auto d = job.images.separation(job.position, pi, entry[b], job.scale);  // the row is padded
      const float cutoff = tuning::more_than_rounding * cutoffs[d.element];
      excess[b] = static_cast<float>(dot(d.vector, d.vector)) - cutoff * cutoff;
    }
    TRIAD_UNROLL
    for (int b = 0; b < batch; ++b) {
      const int k = first + b;
      if (k >= length) break;
      if (excess[b] < 0) {
        if (row.n < static_cast<int>(Most)) chosen[row.n][threadIdx.x] = static_cast<unsigned char>(k);
        ++row.n;
        within |= 1u << k;
      } else if (in_short_rows >> k & 1u) {
        job.gradient.store(job.list.number(row.row, k), {Real(0), Real(0), Real(0)});
      }
    }
  }
  return within;
}

template <class Format, class Model>
__global__ void __launch_bounds__(tuning::row_block, row_min_blocks<Format, Model>())
    row_kernel(const Model model, const ForceJob<Format> job) {
  constexpr int most = most_unrolled<typename Format::Real>;
  constexpr unsigned warp = 0xffffffffu;
  __shared__ unsigned char chosen[most][tuning::row_block];
  wait_for_previous_kernel();
  if (stopped(job)) return;
  const int at = blockIdx.x * tuning::row_block + threadIdx.x;
  const int index = at < job.list.n_rows ? job.list.order[at] : 0;
  const int length = at < job.list.n_rows ? job.list.length[index] : 0;
  bool mine = length > 4;
  if (!__any_sync(warp, mine)) return;
  const int centre = job.list.centre ? job.list.centre[index] : index;
  ChosenRow row = {index, centre, 0, job.list.four_neighbour + job.list.number(index, 0), &chosen[0][threadIdx.x]};
  const auto pi = load(job.position + centre);
  if (mine) {
    const unsigned within = select_within_cutoff(job, length, pi, row, chosen);
    if (job.gathers()) job.within[centre] = within;
    if (row.n > most) {
      job.crowded[atomicAdd(job.n_crowded, 1)] = index;
      mine = false;
    }
  }
  const int n = mine ? row.n : 0;
  const bool many = __any_sync(warp, n > 6), some = __any_sync(warp, n > 4);
  if (!mine) return;
  if (most > 6 && many)
    add_forces_of_row<most>(model, job, row, pi);
  else if (some)
    add_forces_of_row<6>(model, job, row, pi);
  else
    add_forces_of_row<4>(model, job, row, pi);
}

}  // namespace cuda
}  // namespace triad
