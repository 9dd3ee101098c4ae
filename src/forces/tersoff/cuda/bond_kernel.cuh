// Forces, and if wanted totals of energy and virial, of centres whose rows have more than four entries, or of all
// centres if such rows are many. A warp computes several consecutive rows. Its lanes first select the entries that are
// within the cutoff now, one entry per lane, and then compute these bonds, one bond per lane. The lanes are busy
// whatever the lengths of the rows are, and a lane needs few registers, so that many warps are resident.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "core/cuda/warp.cuh"
#include "forces/tersoff/cuda/bond_parts.cuh"
#include "forces/tersoff/cuda/rows_of_warp.cuh"
#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

/// Shared memory of a warp: its rows, and the bonds that it computes together.
template <class Format>
struct WarpBonds {
  using Real = typename Format::Real;
  using Position = typename PositionOf<Format>::type;
  static constexpr int lanes = 32, rows = tuning::most_rows_per_warp;
  /// Bonds that fit. The warp computes its bonds as soon as the next entries, one per lane, might not fit.
  static constexpr int capacity = sizeof(Real) == 4 ? tuning::bonds_per_warp : tuning::bonds_per_warp_double;
  static_assert(capacity >= 2 * lanes && lanes >= PrunedListView::most_slots, "a row and the next entries must fit");

  BondParts<Real, capacity> bonds;
  Vec3<Real> gradient[capacity];
  int entry[capacity];
  /// Row, counted from the first row of the warp, times `lanes`, plus slot of the entry.
  unsigned short row_and_slot[capacity];
  Position position[rows];              ///< of the centre
  int centre[rows];                     ///< atom, or no_row for a row that the warp does not compute
  unsigned number[rows], stride[rows];  ///< number of the first entry, and from one entry to the next
  int first[rows], count[rows];         ///< bonds of a row
  unsigned within[rows];                ///< one bit per entry within the cutoff
};

/// `Totals`: energy and virial are tallied.
template <class Format, class Model, bool Totals>
class WarpOfRows {
  using Memory = WarpBonds<Format>;
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  using Position = typename Memory::Position;
  static constexpr int lanes = Memory::lanes;

 public:
  __device__ __forceinline__ WarpOfRows(const Model &model, const ForceJob<Format> &job, Memory &memory)
      : model_(model),
        job_(job),
        memory_(memory),
        lane_(static_cast<int>(threadIdx.x % lanes)),
        gathers_(job.gathers()),
        reach_(Model::shared ? selection_reach(0) : 0),
        emit_(job) {}

  /// The emitter with the tallies of this lane.
  __device__ __forceinline__ const Emitter<Format, Totals> &emitter() const { return emit_; }

  /// Computes the rows of at least ForceJob::least_bonds entries among the `count` rows of PrunedListView::order from
  /// `first` on. Returns false if there are none. All lanes must call the function together. count <= Memory::rows.
  __device__ __forceinline__ bool compute(int first, int count) {
    __syncwarp();
    const int length = lane_ < count ? take_row(first + lane_) : 0;
    __syncwarp();
    if (!__any_sync(all_lanes, length > 0)) return false;
    const int end = inclusive_sum_of_warp(length), start = end - length, total = __shfl_sync(all_lanes, end, lanes - 1);
    int n_bonds = 0, done = 0;
    Candidate now = find(end, start, 0, total);
    load_position(now);
    Candidate ahead = find(end, start, lanes, total);
    for (int next = 0; next < total; next += lanes) {
      const Candidate candidate = now;
      now = ahead;
      load_position(now);  // the loads of the next entries are in flight while these are selected
      ahead = find(end, start, next + 2 * lanes, total);
      n_bonds = select(candidate, n_bonds);
      if (n_bonds <= Memory::capacity - lanes && next + lanes < total) continue;
      const int complete = min(__popc(__ballot_sync(all_lanes, end <= next + lanes)), count);
      n_bonds = finish_rows(done, complete, n_bonds);
      done = complete;
    }
    return true;
  }

 private:
  /// Prepares a row, and returns the number of its entries, or 0 for a row that is left out.
  __device__ __forceinline__ int take_row(int index) {
    const PrunedListView &list = job_.list;
    const int row = list.order[index], length = list.length[row];
    if (length < job_.least_bonds) {
      memory_.centre[lane_] = no_row;
      return 0;
    }
    const int centre = list.centre ? list.centre[row] : row;
    memory_.centre[lane_] = centre;
    memory_.position[lane_] = load(job_.position + centre);
    const bool longer = length > 4;
    memory_.number[lane_] = static_cast<unsigned>(longer ? long_entry(list.width, list.n_rows, row, 0) : row);
    memory_.stride[lane_] = longer ? 1 : list.n_rows;
    memory_.count[lane_] = 0;
    memory_.within[lane_] = 0;
    return length;
  }

  /// An entry of a row, which may become a bond.
  struct Candidate {
    int row, slot;  ///< slot: negative if there is no entry
    int entry;
    Position neighbour;
  };

  /// Entry number `base` plus lane of all `total` entries of the rows. Lane r holds the numbers of the first entry of
  /// row r and of the one after the last. Rows with entries come before those without, so that the row of an entry
  /// follows from the number of rows whose first entry is this one or comes before it.
  __device__ __forceinline__ Candidate find(int end, int start, int base, int total) const {
    const int t = base + lane_, ahead = start - base;
    const bool exists = end > start;
    const auto warp = cooperative_groups::tiled_partition<lanes>(cooperative_groups::this_thread_block());
    const unsigned starts = cooperative_groups::reduce(warp, exists && ahead >= 0 && ahead < lanes ? 1u << ahead : 0u,
                                                       cooperative_groups::bit_or<unsigned>());
    const int row = __popc(__ballot_sync(all_lanes, exists && ahead < 0)) + __popc(starts & ((2u << lane_) - 1)) - 1;
    Candidate found = {row, t - __shfl_sync(all_lanes, start, row), 0, {}};
    if (t < total)
      found.entry = job_.list.neighbour[number_of(row, found.slot)];
    else
      found.slot = -1;
    return found;
  }
  __device__ __forceinline__ void load_position(Candidate &of) const {
    if (of.slot >= 0) of.neighbour = load(job_.position + job_.images.index(of.entry));
  }

  /// Appends the bonds of the candidates, one per lane, that are within the cutoff. Returns the new number of bonds. If
  /// forces are gathered, the gradients of the other entries become zero where the neighbour gathers all its entries.
  __device__ __forceinline__ int select(const Candidate &candidate, int n_bonds) {
    const int row = candidate.row, slot = candidate.slot, entry = candidate.entry;
    const Position &pi = memory_.position[row];
    const Position relative = job_.images.relative(pi, candidate.neighbour, entry);
    const auto d = vector_of(relative, job_.scale);
    const int pair = static_cast<int>(pi.element) * job_.nelements + static_cast<int>(relative.element);
    const float reach = Model::shared ? reach_ : selection_reach(pair);
    const bool within = slot >= 0 && static_cast<float>(dot(d, d)) < reach;
    if (gathers_ && !within && slot >= 0 && (job_.list.in_short_rows[memory_.centre[row]] >> slot & 1u))
      job_.gradient.store(number_of(row, slot), {Real(0), Real(0), Real(0)});
    const unsigned hits = __ballot_sync(all_lanes, within);
    if (within) {
      const int at = n_bonds + __popc(hits & ((1u << lane_) - 1));
      memory_.bonds.set_position(at, relative);
      memory_.entry[at] = entry;
      memory_.row_and_slot[at] = static_cast<unsigned short>(row * lanes + slot);
      atomicAdd(&memory_.count[row], 1);
      if (gathers_) atomicOr(&memory_.within[row], 1u << slot);
    }
    return n_bonds + __popc(hits);
  }

  /// Computes the rows begin ... end - 1, of which all entries have been selected. Returns the number of bonds that are
  /// left, which belong to row `end`.
  __device__ __forceinline__ int finish_rows(int begin, int end, int n_bonds) {
    __syncwarp();
    const bool mine = lane_ >= begin && lane_ < end && memory_.centre[lane_] != no_row;
    const int count = mine ? memory_.count[lane_] : 0, sum = inclusive_sum_of_warp(count);
    if (mine) memory_.first[lane_] = sum - count;
    const int complete = __shfl_sync(all_lanes, sum, lanes - 1), left = n_bonds - complete;
    compute_bonds(complete);
    if (mine && gathers_) job_.within[memory_.centre[lane_]] = memory_.within[lane_];
    reduce_row(begin + lane_ / 2, end, lane_ % 2);
    if (left > 0) move_bonds(complete, left);
    return left;
  }

  /// Stores or reduces the gradients of the first n bonds, and keeps them for the sums over rows.
  __device__ __forceinline__ void compute_bonds(int n) {
    __syncwarp();
    for (int b = lane_; b < n; b += lanes) {
      const Position relative = memory_.bonds.template position<Position>(b), &pi = memory_.position[row_of(b)];
      memory_.bonds.set(b, make_record(model_, static_cast<int>(pi.element), static_cast<int>(relative.element),
                                       bond_to<Format>(relative, job_.scale, model_.shift)));
    }
    __syncwarp();
    for (int b = lane_; b < n; b += lanes) {
      const int row = row_of(b), first = memory_.first[row];
      const BondEnergy<Real> energy =
          general_bond_energy(model_, element_of(row), b - first, memory_.count[row], memory_.bonds.from(first));
      memory_.bonds.set_energy(b, energy);
      emit_.energy(energy.energy);
    }
    __syncwarp();
    for (int b = lane_; b < n; b += lanes) {
      const int row = row_of(b), first = memory_.first[row], slot = memory_.row_and_slot[b] % lanes;
      const Vec3<Real> gradient = general_gradient<false>(model_, element_of(row), b - first, memory_.count[row],
                                                          memory_.bonds.from(first), nullptr);
      memory_.gradient[b] = gradient;
      emit_.start_centre();
      emit_.template neighbour<false>(memory_.entry[b], number_of(row, slot), memory_.bonds.from(b)[0].bond, gradient);
      emit_.finish_centre(memory_.centre[row]);
    }
    __syncwarp();
  }

  /// Writes the force of the centre of a row before `end`. Two lanes per row sum the gradients of every other bond. In
  /// floating point, where forces are gathered, one lane sums them in the order of the row, as GatherJob does for rows
  /// of up to four entries.
  __device__ __forceinline__ void reduce_row(int row, int end, int half) {
    const bool exists = row < end && memory_.centre[row] != no_row;
    const bool in_order = gathers_ && !std::is_same<Sum, fixed_point::Word>::value;
    Vec3<Sum> own = {Sum(0), Sum(0), Sum(0)};
    if (exists && !(in_order && half == 1)) {
      const int first = memory_.first[row], last = first + memory_.count[row], step = in_order ? 1 : 2;
      for (int b = first + half; b < last; b += step) own = own + to_accumulators<Sum>(memory_.gradient[b]);
    }
    own = own + Vec3<Sum>{__shfl_xor_sync(all_lanes, own.x, 1), __shfl_xor_sync(all_lanes, own.y, 1),
                          __shfl_xor_sync(all_lanes, own.z, 1)};
    if (exists && half == 0) emit_.centre(memory_.centre[row], own);
  }

  /// Moves n bonds, at most one per lane, from `first` to the start of the list.
  __device__ __forceinline__ void move_bonds(int first, int n) {
    Position relative = {};
    int entry = 0;
    unsigned short row_and_slot = 0;
    if (lane_ < n) {
      relative = memory_.bonds.template position<Position>(first + lane_);
      entry = memory_.entry[first + lane_];
      row_and_slot = memory_.row_and_slot[first + lane_];
    }
    __syncwarp();
    if (lane_ < n) {
      memory_.bonds.set_position(lane_, relative);
      memory_.entry[lane_] = entry;
      memory_.row_and_slot[lane_] = row_and_slot;
    }
  }

  /// Square of the distance up to which entries of a pair of elements are selected.
  __device__ __forceinline__ float selection_reach(int pair) const {
    const float cutoff = tuning::more_than_rounding * job_.cutoff[pair];
    return cutoff * cutoff;
  }
  __device__ __forceinline__ unsigned number_of(int row, int slot) const {
    return memory_.number[row] + slot * memory_.stride[row];
  }
  __device__ __forceinline__ int row_of(int bond) const { return memory_.row_and_slot[bond] / lanes; }
  __device__ __forceinline__ int element_of(int row) const { return static_cast<int>(memory_.position[row].element); }

  static constexpr int no_row = PrunedListView::no_row;
  const Model &model_;
  const ForceJob<Format> &job_;
  Memory &memory_;
  const int lane_;
  const bool gathers_;
  const float reach_;  ///< selection_reach() of all pairs, if the model has one element
  Emitter<Format, Totals> emit_;
};

/// Minimum resident blocks per SM of the kernel, for __launch_bounds__. Tallies take more registers.
template <class Format, class Model, bool Totals>
constexpr int bond_min_blocks() {
  const int blocks = sizeof(typename Format::Real) == 4 ? tuning::bond_blocks_per_sm
                     : Model::lambda3                   ? tuning::bond_blocks_per_sm_double_lambda3
                                                        : tuning::bond_blocks_per_sm_double;
  return Totals ? blocks / 2 : blocks;
}

/// Brings the first rows of a warp into the first-level cache.
__device__ __forceinline__ void prefetch_rows(const PrunedListView &list, const RowsOfWarp &of, int rows_per_warp) {
  const int row_of_lane = of.first + static_cast<int>(threadIdx.x % 32);
  if (threadIdx.x % 32 >= static_cast<unsigned>(rows_per_warp) || row_of_lane >= of.size) return;
  const int row = list.order[of.begin + row_of_lane];
  const bool longer = list.length[row] > 4;
  const int *const entry =
      list.neighbour + (longer ? long_entry(list.width, list.n_rows, row, 0) : static_cast<std::size_t>(row));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(entry)));
}

template <class Format, class Model, bool Totals>
__global__ void __launch_bounds__(tuning::bond_block, bond_min_blocks<Format, Model, Totals>())
    bond_kernel(const Model model, const ForceJob<Format> job, int rows_per_warp, unsigned blocks_per_window) {
  __shared__ WarpBonds<Format> memory[tuning::bond_block / WarpBonds<Format>::lanes];
  const RowsOfWarp of_warp(job.list.n_rows, rows_per_warp, blocks_per_window);
  // The kernel before, which may still run, does not write the list, unless it has renewed it. H200, mixed, us per step
  // without and with it: SiC, 4,096 atoms, 8.2 and 8.0, 1 M 219 and 217, GaN, 1 M, 266 and 263, a melt of 262,144 atoms
  // 117 and 116.
  if (!job.new_list) prefetch_rows(job.list, of_warp, rows_per_warp);
  wait_for_previous_kernel();
  note_start(job);
  if (!stopped(job)) {
    // The compiler would compute the address of shared memory again for each access, unless a statement hides its
    // origin.
    WarpBonds<Format> *own = memory + threadIdx.x / WarpBonds<Format>::lanes;
    asm("" : "+l"(own));
    __builtin_assume(__isShared(own));
    WarpOfRows<Format, Model, Totals> rows(model, job, *own);
    for (int k = of_warp.first; k < of_warp.size; k += of_warp.stride)
      if (!rows.compute(of_warp.begin + k, min(rows_per_warp, of_warp.size - k))) break;
    rows.emitter().template write_totals<tuning::bond_block>();
  }
  note_end(job);
}

}  // namespace cuda
}  // namespace triad
