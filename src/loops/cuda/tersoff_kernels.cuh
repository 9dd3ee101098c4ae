// The force kernels. Each centre's forces are summed in registers and leave by atomic reductions: one per neighbour and
// one for the centre itself.
//
// Source of the three optimisations (coalesced lists, unrolling for four neighbours, atomic reduction): Lin et al.,
// Computer Engineering 49(4), 2023; ARCHITECTURE.md says how they look here.
#pragma once

#include <cooperative_groups.h>

#include <cub/block/block_reduce.cuh>

#include "loops/cuda/formats.cuh"
#include "loops/cuda/shortlist.cuh"
#include "loops/cuda/step_guard.cuh"
#include "loops/tersoff_atom.h"
#include "loops/tuning.h"

namespace triad {
namespace cuda {

namespace cg = cooperative_groups;

// Flags that kernels write into page-locked host memory, so that the host reads them without a copy. They are written
// rarely: near the end of a short list's life, and when something is wrong.

/// Of the stored positions; valid once that kernel is done.
struct PositionFlags {
  int moved;         ///< 1: an atom has moved beyond its limit, the short list is not valid
  int nearly_moved;  ///< 1: an atom has moved most of that
  int bad_position;  ///< 1 + index of an atom whose position is not a number, 0: none
};

/// Of the forces; stays set until it is read.
struct ForceFlags {
  int bad_centre;  ///< 1 + index of a centre with a force out of range, 0: none
};

/// Energy and virial of one block: energy, xx yy zz xy xz yz.
struct BlockTotals {
  double v[7];
};

/// Everything a force kernel reads and writes.
template <class Format>
struct ForceJob {
  using Position = typename PositionOf<Format>::type;
  ShortListView list;
  const Position *__restrict__ position;  ///< [n_all]
  PositionScale scale;
  ForceArray<Format> force;               ///< [n_all], added to
  BlockTotals *totals;                    ///< one per block, when tallied
  typename Format::Tally *atom_energy;    ///< [n_all] or null, added to
  typename Format::Tally *atom_virial;    ///< [n_all][6] or null, added to
  typename Format::Tally *atom_centroid;  ///< [n_all][9] or null, added to
  const float *reach;                     ///< [nelements^2] of the potential, from a centre to a neighbour
  int nelements;
  typename Format::Real beyond;                 ///< a distance beyond every cutoff
  BondRecord<typename Format::Real> *overflow;  ///< [tiles][longest], for rows of more bonds than shared memory holds
  int longest;                                  ///< entries of a row at most
  ForceFlags *flags;
  ImageNames<Position> images;
  StepGuard *guard;  ///< of steps launched ahead, or null
  bool first;        ///< this kernel is the first of its step
  bool decides;      ///< this kernel says whether the step is made
  bool new_list;     ///< the kernel before wrote the list
};

/// True if this step is not to be made.
template <class Format>
__device__ __forceinline__ bool stopped(const ForceJob<Format> &job) {
  if (!job.guard) return false;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (job.first) job.guard->enter(phase_forces);
    if (job.decides) job.guard->decide();
  }
  return job.guard->stop != 0;
}

/// What a launch tallies besides forces.
enum class Tally { None, Totals, PerAtom };

/// Takes the forces of one centre: converts each gradient once, so that what a neighbour gets and what the centre gives
/// cancel exactly in fixed point.
template <class Format, bool Totals>
class Emitter {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;

 public:
  __device__ __forceinline__ explicit Emitter(const ForceJob<Format> &job) : job_(job) {}

  __device__ __forceinline__ void neighbour(int j, const Bond<Real> &bond, const Vec3<Real> &gradient) {
    if constexpr (std::is_same<Sum, fixed_point::Word>::value) in_range_ &= fixed_point::in_range(gradient);
    const Vec3<Sum> g = {to_accumulator<Sum>(gradient.x), to_accumulator<Sum>(gradient.y),
                         to_accumulator<Sum>(gradient.z)};
    job_.force.add(j, {-g.x, -g.y, -g.z});
    own_ = own_ + g;
    if constexpr (Totals) virial_.add_outer(-1.0, bond.vector(), gradient);
  }
  __device__ __forceinline__ void energy(Real e) {
    if constexpr (Totals) energy_ += e;
  }
  __device__ __forceinline__ const Vec3<Sum> &own() const { return own_; }
  __device__ __forceinline__ void start_centre() {
    own_ = {Sum(0), Sum(0), Sum(0)};
    in_range_ = true;
  }
  __device__ __forceinline__ void finish_centre(int i) const {
    if (!in_range_) job_.flags->bad_centre = i + 1;
  }

  /// Sums over the block in an order that does not depend on timing.
  template <int Threads>
  __device__ void write_totals() const {
    if constexpr (Totals) {
      using Reduce = cub::BlockReduce<double, Threads>;
      __shared__ typename Reduce::TempStorage space;
      for (int k = 0; k < 7; ++k) {
        const double sum = Reduce(space).Sum(k == 0 ? energy_ : virial_.v[k == 0 ? 0 : k - 1]);
        if (threadIdx.x == 0) job_.totals[blockIdx.x].v[k] = sum;
        __syncthreads();
      }
    }
  }

 private:
  const ForceJob<Format> &job_;
  Vec3<Sum> own_ = {Sum(0), Sum(0), Sum(0)};
  bool in_range_ = true;
  double energy_ = 0;
  Tensor6 virial_;
};

/// Per-atom tallies of one centre, as far as one lane has them: the neighbours' shares leave at once, the centre's at
/// the end.
template <class Format>
class PerAtomSums {
  using Word = typename Format::Tally;

 public:
  __device__ __forceinline__ PerAtomSums(const ForceJob<Format> &job, int centre) : job_(job), centre_(centre) {}

  __device__ __forceinline__ void add(int neighbour, const AtomShares &shares) {
    energy_ += shares.energy;
    for (int k = 0; k < 6; ++k) virial_.v[k] += shares.centre_virial.v[k];
    for (int k = 0; k < 9; ++k) centroid_.v[k] += shares.centre_centroid.v[k];
    reduce(neighbour, shares.energy, shares.neighbour_virial, shares.neighbour_centroid);
  }
  __device__ __forceinline__ void finish() const { reduce(centre_, energy_, virial_, centroid_); }

 private:
  __device__ __forceinline__ void reduce(int i, double energy, const Tensor6 &virial, const Tensor9 &centroid) const {
    const std::size_t at = i;
    if (job_.atom_energy) atomic_reduce(job_.atom_energy + at, to_accumulator<Word>(energy));
    if (job_.atom_virial)
      for (int k = 0; k < 6; ++k) atomic_reduce(job_.atom_virial + 6 * at + k, to_accumulator<Word>(virial.v[k]));
    if (job_.atom_centroid)
      for (int k = 0; k < 9; ++k) atomic_reduce(job_.atom_centroid + 9 * at + k, to_accumulator<Word>(centroid.v[k]));
  }

  const ForceJob<Format> &job_;
  int centre_;
  double energy_ = 0;
  Tensor6 virial_;
  Tensor9 centroid_;
};

/// Blocks per multiprocessor that the registers of the unrolled kernel must leave room for; 1 where more would spill.
template <class Format, class Model, Tally tally>
constexpr int four_min_blocks() {
  const bool few_registers = sizeof(typename Format::Real) == 4 && Model::shared && !Model::lambda3;
  return few_registers && tally == Tally::None ? tuning::four_blocks_per_sm : 1;
}

/// Centre i and the four entries of its row, itself where it has fewer neighbours.
template <class Format, class Model, bool Totals>
__device__ __forceinline__ void add_forces_of_four(const Model &model, const ForceJob<Format> &job, int i,
                                                   const int (&entry)[4], Emitter<Format, Totals> &emit) {
  using Real = typename Format::Real;
  constexpr int N = 4;
  const auto pi = load(job.position + i);
  int element[N];
  Bond<Real> bond[N];
  Vec3<Real> gradient[N];
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) {
    const auto pj = job.images.position(job.position, entry[k]);
    element[k] = static_cast<int>(pj.element);
    bond[k] = bond_between<Format>(pi, pj, job.scale, model.shift);
    if (entry[k] == i) bond[k] = no_bond(job.beyond);
  }
  emit.energy(tersoff_unrolled<N>(model, static_cast<int>(pi.element), element, bond, gradient));
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k)
    if (entry[k] != i) emit.neighbour(job.images.index(entry[k]), bond[k], gradient[k]);
  job.force.add(i, emit.own());
  emit.finish_centre(i);
}

/// Centres with up to four neighbours: one thread per centre, fully unrolled, all terms in registers.
template <class Format, class Model, Tally tally>
__global__ void __launch_bounds__(tuning::four_block, four_min_blocks<Format, Model, tally>())
    four_neighbour_kernel(const Model model, const ForceJob<Format> job) {
  constexpr int N = 4;
  if (job.new_list) wait_for_previous_kernel();
  Emitter<Format, tally == Tally::Totals> emit(job);
  const std::size_t row = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  const std::size_t n_rows = job.list.n_rows;
  int index[N];
  index[0] = row < n_rows ? job.list.four_neighbour[row] : ShortListView::no_row;
  const bool four = index[0] != ShortListView::no_row;
  TRIAD_UNROLL
  for (int k = 1; k < N; ++k) index[k] = four ? job.list.four_neighbour[k * n_rows + row] : 0;
  const int i = four && job.list.centre ? __ldg(job.list.centre + row) : static_cast<int>(row);
  if (!job.new_list) wait_for_previous_kernel();
  if (stopped(job)) return;
  if (four) add_forces_of_four(model, job, i, index, emit);
  emit.template write_totals<tuning::four_block>();
}

/// One row of the short list, of whichever table.
struct Row {
  int centre, length;
  const int *neighbour;
  std::size_t stride;
};

/// General rows first, then the rows of four (which this path visits for per-atom tallies only); of length 0 where such
/// a row is not of four.
__device__ __forceinline__ Row row_at(const ShortListView &list, long long r) {
  if (r < list.n_general) {
    const long long begin = list.general_offset[r];
    return {list.general_centre[r], static_cast<int>(list.general_offset[r + 1] - begin),
            list.general_neighbour + begin, 1};
  }
  const std::size_t row = r - list.n_general, n_rows = list.n_rows;
  const int centre = list.centre ? list.centre[row] : static_cast<int>(row);
  int length = 0;
  if (list.four_neighbour[row] != ShortListView::no_row)
    while (length < 4 && list.four_neighbour[length * n_rows + row] != centre) ++length;
  return {centre, length, list.four_neighbour + row, n_rows};
}

/// Shared memory of a tile of lanes that goes over the bonds of one centre.
template <class Format>
struct TileMemory {
  BondRecord<typename Format::Real> record[tuning::general_shared_bonds];
  int entry[tuning::general_shared_bonds];
};

/// Bonds of a centre, and which entries of the list they are.
template <class Format>
struct TileBonds {
  int n;
  BondRecord<typename Format::Real> *record;  ///< [n]
  const int *entry;
  std::size_t stride;

  __device__ __forceinline__ int entry_of(int j) const { return entry[j * stride]; }
};

/// Records, energies left out, of the bonds of a row that are within reach now: most of what the list keeps of a second
/// shell is not. Where shared memory does not hold them, of all entries, in the tile's part of `overflow`. All lanes of
/// the tile call it together; `pi` is the centre's position.
template <class Format, class Tile, class Model, class Position>
__device__ __forceinline__ TileBonds<Format> bonds_of_row(const Tile &tile, const Model &model,
                                                          const ForceJob<Format> &job, const Row &row,
                                                          const Position &pi, TileMemory<Format> &memory) {
  constexpr int lanes = Tile::num_threads(), room = tuning::general_shared_bonds;
  const int lane = tile.thread_rank(), ei = static_cast<int>(pi.element);
  const auto position = [&](int entry) { return job.images.position(job.position, entry); };
  const auto within_reach = [&](int entry) {
    const Position pj = position(entry);
    const auto d = difference(pi, pj, job.scale);
    const float reach = tuning::more_than_rounding * job.reach[ei * job.nelements + static_cast<int>(pj.element)];
    return static_cast<float>(dot(d, d)) < reach * reach;
  };
  int n = 0;
  for (int first = 0; first < row.length; first += lanes) {
    const int j = first + lane, entry = j < row.length ? row.neighbour[j * row.stride] : 0;
    const bool kept = j < row.length && within_reach(entry);
    const unsigned hits = tile.ballot(kept);
    const int k = n + __popc(hits & ((1u << lane) - 1));
    if (kept && k < room) memory.entry[k] = entry;
    n += __popc(hits);
  }
  tile.sync();
  const long long tile_of_grid = blockIdx.x * static_cast<long long>(blockDim.x / lanes) + threadIdx.x / lanes;
  const TileBonds<Format> bonds =
      n <= room ? TileBonds<Format>{n, memory.record, memory.entry, 1}
                : TileBonds<Format>{row.length, job.overflow + tile_of_grid * job.longest, row.neighbour, row.stride};
  for (int j = lane; j < bonds.n; j += lanes) {
    const Position pj = position(bonds.entry_of(j));
    bonds.record[j] =
        make_record(model, ei, static_cast<int>(pj.element), bond_between<Format>(pi, pj, job.scale, model.shift));
  }
  tile.sync();
  return bonds;
}

/// Any number of neighbours: a tile of lanes per centre, one bond per lane and turn.
template <class Format, class Model, Tally tally>
__global__ void __launch_bounds__(tuning::general_block) general_kernel(const Model model, const ForceJob<Format> job) {
  using Sum = typename Format::Sum;
  constexpr int lanes = tuning::general_lanes;
  constexpr int tiles = tuning::general_block / lanes;
  constexpr bool per_atom = tally == Tally::PerAtom;
  __shared__ TileMemory<Format> memory[tiles];

  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  const int lane = tile.thread_rank();
  const int tile_in_block = threadIdx.x / lanes;
  wait_for_previous_kernel();
  if (stopped(job)) return;
  const long long n_rows = job.list.n_general + static_cast<long long>(per_atom ? job.list.n_rows : 0);
  Emitter<Format, tally != Tally::None> emit(job);

  for (long long r = blockIdx.x * tiles + tile_in_block; r < n_rows; r += gridDim.x * tiles) {
    const Row row = row_at(job.list, r);
    if (row.length == 0) continue;
    const int i = row.centre;
    const auto pi = load(job.position + i);
    const int ei = static_cast<int>(pi.element);
    const TileBonds<Format> bonds = bonds_of_row<Format>(tile, model, job, row, pi, memory[tile_in_block]);
    const int n = bonds.n;
    for (int j = lane; j < n; j += lanes) {
      bonds.record[j].energy = general_bond_energy(model, ei, j, n, bonds.record);
      emit.energy(bonds.record[j].energy.energy);
    }
    tile.sync();
    emit.start_centre();
    PerAtomSums<Format> centre(job, i);
    for (int j = lane; j < n; j += lanes) {
      AtomShares shares;
      emit.neighbour(job.images.index(bonds.entry_of(j)), bonds.record[j].bond,
                     general_gradient<per_atom>(model, ei, j, n, bonds.record, &shares));
      if constexpr (per_atom) centre.add(job.images.index(bonds.entry_of(j)), shares);
    }
    Vec3<Sum> own = emit.own();
    for (int step = lanes / 2; step > 0; step /= 2)
      own = own + Vec3<Sum>{tile.shfl_down(own.x, step), tile.shfl_down(own.y, step), tile.shfl_down(own.z, step)};
    if (lane == 0) job.force.add(i, own);
    if constexpr (per_atom) centre.finish();
    emit.finish_centre(i);
    tile.sync();  // records are overwritten by the next row
  }
  emit.template write_totals<tuning::general_block>();
}

}  // namespace cuda
}  // namespace triad
