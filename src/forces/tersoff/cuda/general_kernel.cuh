// Forces of centres with any number of neighbours: a tile of lanes computes one centre. Other kernels that visit all
// bonds select the bonds with the same functions.
#pragma once

#include <cooperative_groups.h>

#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

namespace cg = cooperative_groups;

/// The part of a centre's per-atom tallies that one lane computes. Parts of the neighbours are reduced at once, those
/// of the centre by finish(). Each term is converted to the format of the sums before it is added, so that sums in
/// fixed point do not depend on which lane adds it.
template <class Format>
class PerAtomSums {
  using Word = typename Format::Tally;

 public:
  __device__ __forceinline__ PerAtomSums(const ForceJob<Format> &job, int centre) : job_(job), centre_(centre) {}

  __device__ __forceinline__ void add(int neighbour, const BondTally &shares) {
    const Sums of_centre = {shares.energy, shares.centre_virial, shares.centre_centroid};
    centre_sums_.energy += of_centre.energy;
    for (int k = 0; k < 6; ++k) centre_sums_.virial[k] += of_centre.virial[k];
    for (int k = 0; k < 9; ++k) centre_sums_.centroid[k] += of_centre.centroid[k];
    reduce(neighbour, {shares.energy, shares.neighbour_virial, shares.neighbour_centroid});
  }
  __device__ __forceinline__ void finish() const { reduce(centre_, centre_sums_); }

 private:
  struct Sums {
    Word energy = Word(0), virial[6] = {}, centroid[9] = {};

    __device__ __forceinline__ Sums() {}
    __device__ __forceinline__ Sums(double e, const Tensor6 &v, const Tensor9 &c) : energy(to_accumulator<Word>(e)) {
      for (int k = 0; k < 6; ++k) virial[k] = to_accumulator<Word>(v.v[k]);
      for (int k = 0; k < 9; ++k) centroid[k] = to_accumulator<Word>(c.v[k]);
    }
  };
  __device__ __forceinline__ void reduce(int i, const Sums &sums) const {
    const std::size_t at = i;
    if (job_.atom_energy) atomic_reduce(job_.atom_energy + at, sums.energy);
    if (job_.atom_virial)
      for (int k = 0; k < 6; ++k) atomic_reduce(job_.atom_virial + 6 * at + k, sums.virial[k]);
    if (job_.atom_centroid)
      for (int k = 0; k < 9; ++k) atomic_reduce(job_.atom_centroid + 9 * at + k, sums.centroid[k]);
  }

  const ForceJob<Format> &job_;
  int centre_;
  Sums centre_sums_;
};

/// One row of the pruned list, of either table.
struct Row {
  int centre, length;
  const int *neighbour;
  std::size_t stride;
  std::size_t number;  ///< number of the first entry; entry k has number + k * stride
};

/// Number of rows for row_at(): those of the general table, and those of the slot-major table if `all` or if that table
/// can hold longer rows.
__device__ __forceinline__ long long rows_of(const PrunedListView &list, bool all) {
  return list.n_general + static_cast<long long>(all || list.length ? list.n_rows : 0);
}

/// Row r: first come the rows of the general table, then those of the slot-major table. A row of the latter has length
/// 0 if the general table holds the atom's row, or if the row has at most four entries and not `all` are wanted.
__device__ __forceinline__ Row row_at(const PrunedListView &list, long long r, bool all) {
  if (r < list.n_general) {
    const long long begin = list.general_offset[r];
    return {list.general_centre[r], static_cast<int>(list.general_offset[r + 1] - begin),
            list.general_neighbour + begin, 1, 0};
  }
  const std::size_t n_rows = list.n_rows, at = r - list.n_general, row = list.length ? list.order[at] : at;
  const int centre = list.centre ? list.centre[row] : static_cast<int>(row);
  int length = 0;
  if (list.length) {
    length = list.length[row];
    if (length < 0 || (!all && length <= 4)) length = 0;
    if (length > 4) {
      const std::size_t first = long_entry(list.width, list.n_rows, row, 0);
      return {centre, length, list.neighbour + first, 1, first};
    }
  } else if (list.neighbour[row] != PrunedListView::no_row) {
    while (length < 4 && list.neighbour[length * n_rows + row] != centre) ++length;
  }
  return {centre, length, list.neighbour + row, n_rows, row};
}

/// Shared memory of a tile.
template <class Format>
struct TileMemory {
  BondRecord<typename Format::Real> record[tuning::general_shared_bonds];
  int slot[tuning::general_shared_bonds];
};

/// Bonds of a centre, and the entries of its row to which they belong.
template <class Format>
struct TileBonds {
  int n;
  BondRecord<typename Format::Real> *record;  ///< [n]
  const int *slot;                            ///< [n] entry of each bond; null if bond k is entry k
  const Row &row;
  unsigned within;  ///< one bit per entry within the cutoff, of the first PrunedListView::most_slots entries

  __device__ __forceinline__ int slot_of(int j) const { return slot ? slot[j] : j; }
  __device__ __forceinline__ int entry_of(int j) const { return row.neighbour[slot_of(j) * row.stride]; }
  __device__ __forceinline__ std::size_t number_of(int j) const { return row.number + slot_of(j) * row.stride; }
};

/// Makes the records, without energies, of those bonds of a row that are within the cutoff now. If shared memory cannot
/// hold these, makes records of all entries in the tile's part of `overflow`. Calls leave_out(k) for entries k beyond
/// the cutoff. All lanes of the tile must call the function together. `pi`: position of the centre.
template <class Format, class Tile, class Model, class Position, class LeaveOut>
__device__ __forceinline__ TileBonds<Format> bonds_of_row(const Tile &tile, const Model &model,
                                                          const ForceJob<Format> &job, const Row &row,
                                                          const Position &pi, TileMemory<Format> &memory,
                                                          LeaveOut &&leave_out) {
  constexpr int lanes = Tile::num_threads(), capacity = tuning::general_shared_bonds;
  const int lane = tile.thread_rank(), ei = static_cast<int>(pi.element);
  const auto within_cutoff = [&](int entry) {
    const Position relative = job.images.relative(job.position, pi, entry);
    const auto d = vector_of(relative, job.scale);
    const float cutoff =
        tuning::more_than_rounding * job.cutoff[ei * job.nelements + static_cast<int>(relative.element)];
    return static_cast<float>(dot(d, d)) < cutoff * cutoff;
  };
  int n = 0;
  unsigned within = 0;
  for (int first = 0; first < row.length; first += lanes) {
    const int j = first + lane, entry = j < row.length ? row.neighbour[j * row.stride] : 0;
    const bool kept = j < row.length && within_cutoff(entry);
    const unsigned hits = tile.ballot(kept);
    const int k = n + __popc(hits & ((1u << lane) - 1));
    if (kept && k < capacity) memory.slot[k] = j;
    if (!kept && j < row.length) leave_out(j);
    if (first < PrunedListView::most_slots) within |= hits << first;
    n += __popc(hits);
  }
  tile.sync();
  const long long tile_of_grid = blockIdx.x * static_cast<long long>(blockDim.x / lanes) + threadIdx.x / lanes;
  const TileBonds<Format> bonds =
      n <= capacity ? TileBonds<Format>{n, memory.record, memory.slot, row, within}
                    : TileBonds<Format>{row.length, job.overflow + tile_of_grid * job.longest, nullptr, row, within};
  for (int j = lane; j < bonds.n; j += lanes) {
    const Position relative = job.images.relative(job.position, pi, bonds.entry_of(j));
    bonds.record[j] =
        make_record(model, ei, static_cast<int>(relative.element), bond_to<Format>(relative, job.scale, model.shift));
  }
  tile.sync();
  return bonds;
}

/// Handles entry k of a row, which is beyond the cutoff now, where forces are gathered: its gradient becomes zero
/// unless the neighbour certainly does not read it, see PrunedListView::in_short_rows.
template <class Format>
__device__ __forceinline__ void leave_out_entry(const ForceJob<Format> &job, const Row &row, int k) {
  using Real = typename Format::Real;
  if (job.gathers() && (row.length <= 4 || (job.list.in_short_rows[row.centre] >> k & 1u)))
    job.gradient.store(row.number + k * row.stride, {Real(0), Real(0), Real(0)});
}

/// Calls use(tile, row, element of the centre, bonds) for each row, with the energies of its bonds, and
/// leave_out(row, k) for entries k beyond the cutoff. A tile of `Lanes` threads works on a row, and its lanes call both
/// functions. `all`: see row_at(). All threads of a block of tuning::general_block threads call the function.
template <int Lanes, class Format, class Model, class LeaveOut, class Use>
__device__ __forceinline__ void for_rows(const Model &model, const ForceJob<Format> &job, bool all,
                                         LeaveOut &&leave_out, Use &&use) {
  constexpr int tiles = tuning::general_block / Lanes;
  __shared__ TileMemory<Format> memory[tiles];
  const auto tile = cg::tiled_partition<Lanes>(cg::this_thread_block());
  const int tile_in_block = static_cast<int>(threadIdx.x) / Lanes;
  const long long n_rows = rows_of(job.list, all);
  for (long long r = blockIdx.x * static_cast<long long>(tiles) + tile_in_block; r < n_rows;
       r += static_cast<long long>(gridDim.x) * tiles) {
    const Row row = row_at(job.list, r, all);
    if (row.length == 0) continue;
    const auto pi = load(job.position + row.centre);
    const int element = static_cast<int>(pi.element);
    const TileBonds<Format> bonds =
        bonds_of_row<Format>(tile, model, job, row, pi, memory[tile_in_block], [&](int k) { leave_out(row, k); });
    for (int j = tile.thread_rank(); j < bonds.n; j += Lanes)
      bonds.record[j].energy = general_bond_energy(model, element, j, bonds.n, bonds.record);
    tile.sync();
    use(tile, row, element, bonds);
    tile.sync();  // the next row overwrites the records
  }
}

/// The sum of `own` over the lanes of a tile, in their order.
template <class Tile, class Sum>
__device__ __forceinline__ Vec3<Sum> sum_over(const Tile &tile, const Vec3<Sum> &own) {
  Vec3<Sum> sum = {Sum(0), Sum(0), Sum(0)};
  for (int lane = 0; lane < static_cast<int>(Tile::num_threads()); ++lane)
    sum = sum + Vec3<Sum>{tile.shfl(own.x, lane), tile.shfl(own.y, lane), tile.shfl(own.z, lane)};
  return sum;
}

/// Forces of rows of any length: a tile of lanes per centre, one bond per lane and iteration.
template <class Format, class Model, Tally tally>
__global__ void __launch_bounds__(tuning::general_block) general_kernel(const Model model, const ForceJob<Format> job) {
  constexpr int lanes = tuning::general_lanes;
  constexpr bool per_atom = tally == Tally::PerAtom;
  wait_for_previous_kernel();
  if (stopped(job)) return;
  Emitter<Format, tally != Tally::None> emit(job);
  const auto leave_out = [&](const Row &row, int k) { leave_out_entry(job, row, k); };
  for_rows<lanes>(model, job, !job.unrolls, leave_out, [&](const auto &tile, const Row &row, int element, auto &bonds) {
    const int i = row.centre, lane = tile.thread_rank();
    if (lane == 0 && job.gathers() && row.length > 4) job.within[i] = bonds.within;
    emit.start_centre();
    PerAtomSums<Format> centre(job, i);
    for (int j = lane; j < bonds.n; j += lanes) {
      emit.energy(bonds.record[j].energy.energy);
      BondTally shares;
      emit.template neighbour<true>(bonds.entry_of(j), bonds.number_of(j), bonds.record[j].bond,
                                    general_gradient<per_atom>(model, element, j, bonds.n, bonds.record, &shares));
      if constexpr (per_atom) centre.add(job.receiver(bonds.entry_of(j)), shares);
    }
    const auto own = sum_over(tile, emit.own());
    if (lane == 0 && (!job.gathers() || row.length > 4)) emit.centre(i, own);
    if constexpr (per_atom) centre.finish();
    emit.finish_centre(i);
  });
  emit.template write_totals<tuning::general_block>();
}

}  // namespace cuda
}  // namespace triad
