// The forces of a step and what follows them in one kernel, where forces are gathered. A kernel before this one, beside
// which this one runs, computes rows with more than four entries. Some blocks compute forces, the others gather them
// and hand them to a consumer, which moves the atoms, say. A block that gathers waits until the blocks have ended that
// compute the forces of its atoms and of their neighbours: then all gradients that it gathers are stored, and no block
// reads the positions of its atoms any more.
//
// The arithmetic of the forces then overlaps the memory traffic of the consumer, and the gradients are still in the L2
// cache when they are gathered. Blocks start in the order of their numbers, so that none waits for a block that cannot
// start.
#pragma once

#include <algorithm>

#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

/// Order of the blocks of a combined kernel. Block b that gathers has the atoms from b * combined_block on, and parts()
/// blocks share the forces of these atoms.
struct CombinedOrder {
  unsigned blocks;  ///< that gather
  unsigned reach;   ///< neighbours of the atoms of block b are those of blocks b - reach to b + reach, modulo `blocks`
  unsigned lead;    ///< blocks of atoms whose forces are computed before the first block that gathers
  unsigned shift;   ///< 0, or, if all forces are computed first, log2 of the lanes of a centre

  static constexpr unsigned groups = tuning::combined_block;  ///< see ForceProgress
  static __host__ __device__ unsigned blocks_per_group(unsigned blocks) { return (blocks + groups - 1) / groups; }
  /// The order in which blocks that gather start when the forces that they wait for are mostly done. `under_way`:
  /// blocks of the forces that are computed at the same time. A block waits for whole groups, so that the forces of a
  /// group more than those of its neighbours must have started before it.
  static CombinedOrder of(unsigned blocks, unsigned reach, unsigned under_way) {
    return {blocks, reach, std::min(blocks, 2 * reach + std::max(under_way, blocks_per_group(blocks))), 0};
  }
  /// The order in which all forces start before the first block that gathers.
  static CombinedOrder at_once(unsigned blocks, unsigned lanes) {
    unsigned shift = 0;
    while (1u << shift < lanes) ++shift;
    return {blocks, blocks, blocks, shift};
  }

  __host__ __device__ unsigned parts() const { return 1u << shift; }
  /// Blocks of the kernel.
  __host__ __device__ unsigned count() const { return (parts() + 1) * blocks; }

  struct Turn {
    bool gathers;
    unsigned block, part;
  };
  /// What block number x of the kernel does, x < count().
  __host__ __device__ __forceinline__ Turn turn(unsigned x) const {
    const unsigned first = lead << shift;
    if (x < first) return {false, x >> shift, x & (parts() - 1)};
    const unsigned y = x - first, alternating = 2 * (blocks - lead);
    if (y < alternating) return y % 2 ? Turn{true, reach + y / 2, 0} : Turn{false, lead + y / 2, 0};
    return {true, (reach + y - (blocks - lead)) % blocks, 0};
  }
};

/// Counts of the blocks that have computed forces, in groups of neighbouring blocks, one group per thread of a block.
struct ForceProgress {
  unsigned *done;        ///< [counts] of this kernel; zero before
  unsigned *done_next;   ///< [counts] of the next combined kernel, which this one clears
  unsigned per_group;    ///< CombinedOrder::blocks_per_group()
  unsigned longer_rows;  ///< blocks of the kernel before, which computes longer rows; 0 if there is none

  static constexpr unsigned groups = CombinedOrder::groups, others = 3, counts = groups + others;

  /// Counts of the blocks that compute longer rows.
  static __host__ __device__ BlockProgress of_longer_rows(unsigned *done) { return {done + groups, done + groups + 1}; }
  /// Count of the blocks that have called meet().
  __device__ __forceinline__ unsigned *met() const { return done + groups + 2; }

  /// Waits for the results of the kernels before this step. The kernel that computes the longer rows of this step may
  /// still run: it allows the launch of this kernel at its start. All threads of a block call this.
  __device__ __forceinline__ void wait_for_previous_step() const {
    if (threadIdx.x == 0) wait_for_count(of_longer_rows(done).started, 1);
    __syncthreads();
    allow_next_kernel();
  }
  /// To be called by all threads of a block that has stored its gradients.
  __device__ __forceinline__ void note(unsigned block) const {
    __syncthreads();
    if (threadIdx.x == 0) add_release(done + block / per_group);
  }
  /// Waits for the blocks from `block` - reach to `block` + reach, for all longer rows, and for block 0, which counts
  /// the steps. All threads of a block call this.
  template <bool LongerRows>
  __device__ __forceinline__ void wait_for(const CombinedOrder &order, unsigned block) const {
    const unsigned first = threadIdx.x * per_group;
    if (first < order.blocks) {
      const unsigned size = min(per_group, order.blocks - first), n = order.blocks;
      const unsigned low = (block + n - order.reach) % n;
      if (first == 0 || (first + n - low) % n <= 2 * order.reach || (low + n - first) % n < size)
        wait_for_count(done + threadIdx.x, size << order.shift);
    }
    if (LongerRows && threadIdx.x == groups - 1) wait_for_count(of_longer_rows(done).done, longer_rows);
    __syncthreads();
  }
  /// Waits until all of n blocks have called this function; what thread 0 of each has written before is then visible.
  /// All threads of a block call this.
  __device__ __forceinline__ void meet(unsigned n) const {
    if (threadIdx.x == 0) {
      add_release(met());
      wait_for_count(met(), n);
    }
    __syncthreads();
  }
  /// Clears the counts of the next kernel. All threads of a block call this.
  __device__ __forceinline__ void clear_next() const {
    done_next[threadIdx.x] = 0;
    if (threadIdx.x < others) done_next[groups + threadIdx.x] = 0;
  }
};

/// Argument of the combined kernel.
template <class Format, class Consumer>
struct CombinedJob {
  ForceJob<Format> forces;  ///< row i is that of atom i
  GatherJob<Format> gather;
  CombinedOrder order;
  ForceProgress progress;
  typename Consumer::Job consumer;
};

/// Computes the gradients of the lane's bonds of centre i, and stores them unless the steps have stopped. `entry`:
/// those of its row. All lanes of a warp call this, if a centre has several; `mine`: the lane has a centre. `Virials`:
/// xx, yy and zz of the virials of the bonds are added to `virial`.
template <int Lanes, bool Virials, class Format, class Model>
__device__ __forceinline__ void store_gradients(const Model &model, const ForceJob<Format> &job, int i, bool mine,
                                                bool stop, int (&entry)[CentreLanes<Lanes>::own],
                                                PartialSums<3> &virial) {
  using Of = CentreLanes<Lanes>;
  TRIAD_UNROLL
  for (int k = 0; k < Of::own; ++k)
    if (Lanes > 1 && !mine) entry[k] = i;
  const LaneOfCentre<Format, Lanes> lane(model, job, i, entry);
  if (stop) return;
  bool in_range = true;
  TRIAD_UNROLL
  for (int k = 0; k < Of::own; ++k) {
    if (entry[k] == i) continue;
    if constexpr (std::is_same<typename Format::Sum, fixed_point::Word>::value)
      in_range &= fixed_point::in_range(lane.gradient[k]);
    job.gradient.store(short_entry(job.list.n_rows, i, Of::slot(k)), lane.gradient[k]);
    if constexpr (Virials) add_diagonal_virial(virial, lane.bond[k], lane.gradient[k], job.totals_rounding);
  }
  if (!in_range) job.flags->bad_centre = i + 1;
}

/// Computes the forces of the rows of a block from `first` on that have up to four entries, several lanes per centre.
/// `Virials`, `stop`, `virial`: as for store_gradients().
template <int Lanes, bool LongerRows, bool Virials, class Format, class Model>
__device__ __forceinline__ void store_gradients_of_block(const Model &model, const ForceJob<Format> &job,
                                                         std::size_t first, int turns, bool stop,
                                                         PartialSums<3> &virial) {
  using Of = CentreLanes<Lanes>;
  const int n = job.list.n_rows;
  std::size_t row = first + threadIdx.x / Lanes;
  for (int turn = 0; turn < turns; ++turn, row += tuning::combined_block / Lanes) {
    bool mine = row < static_cast<std::size_t>(n);
    const int i = mine ? static_cast<int>(row) : 0;
    int entry[Of::own];
    TRIAD_UNROLL
    for (int k = 0; k < Of::own; ++k) entry[k] = job.list.neighbour[short_entry(n, i, Of::slot(k))];
    if constexpr (LongerRows) mine = mine && job.list.length[i] >= 0 && job.list.length[i] <= centre_bonds;
    if (__any_sync(all_lanes, mine)) store_gradients<Lanes, Virials>(model, job, i, mine, stop, entry, virial);
  }
}

/// Minimum resident blocks per SM of the kernel, for __launch_bounds__.
template <class Format, class Model, bool Many>
constexpr int combined_min_blocks() {
  constexpr bool plain = is_plain<typename Model::Params> && Model::shared && !Model::lambda3;
  constexpr bool fp64 = sizeof(typename Format::Real) > 4;
  constexpr int lanes = lanes_of<Model, Many>;
  if (Many && plain && fp64) return tuning::combined_blocks_per_sm_double;
  if (!fp64 && lanes > 1) return 1;  // there are few blocks, and consumers need registers
  return four_min_blocks<Format, Model, Tally::None, lanes>();
}

/// `LongerRows`: some rows have more than four entries, and their forces are computed. `Many`: the kernel for many
/// centres, see CombinedLaunches::with_kernel(). `Consumer`: a class with these members, where all threads of a block
/// call the functions:
///   Job                             its part of the argument; Job::atoms() is the number of rows
///   kernels                         a KernelsFor (combined_launches.cuh)
///   virials                         true: Job::take_virial(block, v) receives a thread's part of the virial of the
///                                   rows of a block, xx, yy and zz; requires KernelsFor::Many
///   Consumer(job, block, i, mine)   loads what the forces do not change; i is the atom of the thread, if it is `mine`
///   bool begin()                    called when all gradients that the block gathers are stored; false if the thread
///                                   needs no force, for all threads of a block if take() has barriers
///   void take(f, progress)          receives the force on the atom
template <class Format, class Model, bool LongerRows, bool Many, class Consumer>
__global__ void __launch_bounds__(tuning::combined_block, combined_min_blocks<Format, Model, Many>())
    combined_kernel(const Model model, const CombinedJob<Format, Consumer> job) {
  constexpr int Lanes = lanes_of<Model, Many>;
  const ForceJob<Format> &forces = job.forces;
  const CombinedOrder::Turn turn = job.order.turn(blockIdx.x);
  const std::size_t k = turn.block * static_cast<std::size_t>(tuning::combined_block) + threadIdx.x;
  const std::size_t n = job.consumer.atoms();  // the consumer knows this number, which spares registers
  const bool mine = k < n;
  const std::size_t i = mine ? k : 0;
  // loads before the wait read only the list, which the kernel before may write only if it renews the list
  const auto wait = [&] {
    if (LongerRows)
      job.progress.wait_for_previous_step();
    else
      wait_for_previous_kernel();
  };
  if (forces.new_list) wait();
  const int *const table = turn.gathers ? job.gather.reverse : forces.list.neighbour;
  int entry[4];
  TRIAD_UNROLL
  for (int s = 0; s < 4; ++s) entry[s] = table[short_entry(static_cast<int>(n), i, s)];
  int length = 4;
  if constexpr (LongerRows) length = forces.list.length[i];
  if (!forces.new_list) wait();
  if (blockIdx.x == 0) job.progress.clear_next();
  const bool stop = stopped(forces);
  if (Many && stop) return;  // with few centres, what follows need not wait for the answer
  if (!turn.gathers) {
    constexpr bool virials = Consumer::virials;
    PartialSums<3> virial;
    if constexpr (Lanes == 1) {
      if (mine && length >= 0 && length <= 4)
        store_gradients<1, virials>(model, forces, static_cast<int>(i), true, stop, entry, virial);
    } else {
      const std::size_t first =
          turn.block * static_cast<std::size_t>(tuning::combined_block) + turn.part * (tuning::combined_block / Lanes);
      store_gradients_of_block<Lanes, LongerRows, virials>(model, forces, first, Lanes >> job.order.shift, stop,
                                                           virial);
    }
    if (!stop) job.progress.note(turn.block);
    if constexpr (virials) job.consumer.take_virial(turn.block, virial);  // one block has all forces of its atoms
    return;
  }
  Consumer consumer(job.consumer, turn.block, i, mine);
  if (stop) return;
  job.progress.template wait_for<LongerRows>(job.order, turn.block);
  if (!consumer.begin()) return;
  consumer.take(LongerRows ? job.gather.force_of_row(i, entry, length > 4) : job.gather.force_of_four(i, entry),
                job.progress);
}

}  // namespace cuda
}  // namespace triad
