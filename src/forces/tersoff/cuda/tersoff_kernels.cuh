// The argument of the force kernels, and the unrolled kernel. One or four threads sum the forces of a centre in
// registers. They then store one gradient per neighbour, which the atoms gather (gradients.cuh), or make one atomic
// reduction per neighbour and one for the centre.
//
// Source of unrolling for four neighbours, of coalesced lists and of atomic reductions: Lin et al., Computer
// Engineering 49(4), 2023.
#pragma once

#include <cmath>

#include "core/cuda/block_progress.cuh"
#include "core/cuda/block_sums.cuh"
#include "core/cuda/formats.cuh"
#include "core/cuda/step_guard.cuh"
#include "core/tuning.h"
#include "forces/tersoff/cuda/centre_lanes.cuh"
#include "forces/tersoff/cuda/gradients.cuh"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {

// Flags in page-locked host memory, which the host reads without a copy. Kernels write them rarely: near the end of a
// pruned list's life, and when something is wrong.

/// Flags of store_positions_kernel; valid once the kernel is done.
struct PositionFlags {
  int moved;         ///< 1 if an atom has left its limit, and the pruned list is not valid
  int nearly_moved;  ///< 1 if an atom has moved most of its limit
  int bad_position;  ///< 1 + index of an atom whose position is not a number, or 0
};

/// Tells the kernels behind store_positions_kernel() that the pruned list has expired, without the host.
struct ListExpiry {
  unsigned *computation = nullptr;  ///< device memory: number of the last computation with an expired list; or null
  unsigned now = 0;                 ///< number of this computation

  __device__ __forceinline__ void note() const { *computation = now; }
  __device__ __forceinline__ bool noted() const { return computation && *computation == now; }
};

/// Flags of the force kernels; they stay set until the host reads them.
struct ForceFlags {
  int bad_centre;  ///< 1 + index of a centre with a force out of range, or 0
};

/// Totals of one block: energy, then the virial xx yy zz xy xz yz.
struct BlockTotals {
  static constexpr int size = 7;
  double v[size] = {};

  __device__ __forceinline__ double &operator[](int k) { return v[k]; }
  __device__ __forceinline__ double operator[](int k) const { return v[k]; }
};

/// Argument of the force kernels.
template <class Format>
struct ForceJob {
  using Position = typename PositionOf<Format>::type;
  PrunedListView list;
  const Position *__restrict__ position;  ///< [n_all]
  PositionScale scale;
  /// [n_all] With atomic reductions, forces are added. With gathering, the sums of the own gradients of centres with
  /// longer rows are stored, and forces on atoms from `added_from` on, which gather nothing, are added.
  ForceArray<Format> force;
  int added_from;
  GradientArray<typename Format::Real> gradient;  ///< [entries], or null for atomic reductions
  unsigned *within;                               ///< [n] see GatherJob::within
  BlockTotals *totals;                            ///< [blocks], if totals are tallied
  double totals_rounding;                         ///< rounds the terms of totals, see rounded_term()
  typename Format::Tally *atom_energy;            ///< [n_all] or null; values are added
  typename Format::Tally *atom_virial;            ///< [n_all][6] or null; values are added
  typename Format::Tally *atom_centroid;          ///< [n_all][9] or null; values are added
  const float *cutoff;                            ///< [nelements^2] cutoffs of the potential, by centre and neighbour
  int nelements;
  typename Format::Real beyond;                 ///< a distance beyond every cutoff
  BondRecord<typename Format::Real> *overflow;  ///< [tiles][longest] records that shared memory cannot hold
  int longest;                                  ///< largest number of entries of a row
  ForceFlags *flags;
  ImageNames<Position> images;
  ListedGhosts ghosts;
  ListExpiry expiry;                       ///< without guard: whether this kernel came too early
  StepGuard *guard;                        ///< guard of the batch of steps, or null
  int stop_words = StepGuard::both_words;  ///< words of StepGuard::stop that the kernel before this one may have set
  bool first;                              ///< this kernel is the first one of its step that computes forces
  bool decides;            ///< this kernel calls StepGuard::decide(), which accepts the step or stops the batch
  int met;                 ///< reasons to stop that a renewal of the list in this step has met
  bool new_list;           ///< the kernel before this one wrote the list
  bool unrolls;            ///< the unrolled kernel computes rows of up to four entries
  int least_bonds;         ///< smallest number of entries of the rows that bond_kernel computes
  BlockProgress progress;  ///< of this kernel, for a kernel that runs beside it; or no counts
  BlockProgress beside;    ///< of the kernel before, beside which this one runs; or no counts
  unsigned beside_blocks;  ///< blocks of the kernel before

  __device__ __forceinline__ bool gathers() const { return gradient.base != nullptr; }

  /// The atom that receives the force on a neighbour.
  __device__ __forceinline__ int receiver(int entry) const { return ghosts.receiver(images.index(entry)); }
};

/// True if the steps have stopped before this step, or without steps if the pruned list has expired.
template <class Format>
__device__ __forceinline__ bool stopped(const ForceJob<Format> &job) {
  if (!job.guard) return job.expiry.noted();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (job.first) job.guard->enter(phase_forces);
    if (job.decides) job.guard->decide(job.stop_words, job.met);
  }
  // `stopped` is set by this step only if it also finds a reason here
  return (job.guard->stopped | (job.guard->reasons(job.stop_words) & ~job.met)) != 0;
}

/// Waits for the results of the kernels before, except those of the kernel beside which this one runs. All threads of
/// a block call this.
template <class Format>
__device__ __forceinline__ void wait_for_positions(const ForceJob<Format> &job) {
  if (!job.beside.started) return wait_for_previous_kernel();
  if (threadIdx.x == 0) wait_for_count(job.beside.started, 1);
  __syncthreads();
  allow_next_kernel();
}
/// To be called by all threads of a block of a kernel beside which the next one may run: when the results of the
/// kernels before are visible, and at the end.
template <class Format>
__device__ __forceinline__ void note_start(const ForceJob<Format> &job) {
  if (job.progress.started && blockIdx.x == 0 && threadIdx.x == 0) add_release(job.progress.started);
}
template <class Format>
__device__ __forceinline__ void note_end(const ForceJob<Format> &job) {
  if (!job.progress.done) return;
  __syncthreads();
  if (threadIdx.x == 0) add_release(job.progress.done);
}
/// To be called by all threads of a block at the end. The last block ends after the kernel beside which this one runs,
/// and clears the counts.
template <class Format>
__device__ __forceinline__ void wait_for_kernel_beside(const ForceJob<Format> &job) {
  if (!job.beside.done) return;
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(job.beside.left, 1) == gridDim.x - 1) {
    wait_for_count(job.beside.done, job.beside_blocks);
    *job.beside.started = *job.beside.done = *job.beside.left = 0;
  }
}

/// A term of the totals. If the arithmetic is fp32, rounded to a multiple of a unit so large that sums of such terms
/// are exact, and do not depend on the order of the additions. `rounding`: 1.5 * 2^52 units.
template <class Real>
__device__ __forceinline__ double rounded_term(double term, double rounding) {
  return sizeof(Real) == 4 ? __dsub_rn(__dadd_rn(term, rounding), rounding) : term;
}
/// The rounding for sums of up to `most` in magnitude.
inline double rounding_of_sums(double most) { return 1.5 * std::exp2(std::ceil(std::log2(most))); }

/// Adds xx, yy and zz of the virial of a bond. `rounding`: as of rounded_term().
template <class Real>
__device__ __forceinline__ void add_diagonal_virial(PartialSums<3> &sums, const Bond<Real> &bond,
                                                    const Vec3<Real> &gradient, double rounding) {
  const Vec3<Real> r = bond.vector();
  sums.v[0] -= rounded_term<Real>(double(r.x) * gradient.x, rounding);
  sums.v[1] -= rounded_term<Real>(double(r.y) * gradient.y, rounding);
  sums.v[2] -= rounded_term<Real>(double(r.z) * gradient.z, rounding);
}

/// Quantities that a launch computes besides forces.
enum class Tally { None, Totals, PerAtom };

/// Writes the forces of one centre. Each gradient is converted to fixed point once, so that the force on the neighbour
/// and its reaction on the centre cancel exactly.
template <class Format, bool Totals>
class Emitter {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;

 public:
  __device__ __forceinline__ explicit Emitter(const ForceJob<Format> &job) : job_(job) {}

  /// Writes the gradient of entry number `number`. Also adds the reaction on the centre to own(): if forces are
  /// gathered only with `sums`.
  template <bool sums>
  __device__ __forceinline__ void neighbour(int entry, std::size_t number, const Bond<Real> &bond,
                                            const Vec3<Real> &gradient) {
    if constexpr (std::is_same<Sum, fixed_point::Word>::value) in_range_ &= fixed_point::in_range(gradient);
    if (job_.gathers()) job_.gradient.store(number, gradient);
    const bool adds = !job_.gathers() || job_.images.index(entry) >= job_.added_from;
    if (sums || adds) {
      const Vec3<Sum> g = to_accumulators<Sum>(gradient);
      if (adds) job_.force.add(job_.receiver(entry), {-g.x, -g.y, -g.z});
      own_ = own_ + g;
    }
    if constexpr (Totals) {
      Tensor6 of_bond;
      of_bond.add_outer(-1.0, bond.vector(), gradient);
      TRIAD_UNROLL
      for (int k = 0; k < 6; ++k) virial_.v[k] += rounded_term<Real>(of_bond.v[k], job_.totals_rounding);
    }
  }
  __device__ __forceinline__ void energy(Real e) {
    if constexpr (Totals) energy_ += rounded_term<Real>(e, job_.totals_rounding);
  }
  __device__ __forceinline__ const Vec3<Sum> &own() const { return own_; }
  __device__ __forceinline__ void start_centre() {
    own_ = {Sum(0), Sum(0), Sum(0)};
    in_range_ = true;
  }
  /// Writes the force on centre i, which is the sum of own() over its lanes. Where forces are gathered, only to be
  /// called for rows of more than four entries.
  __device__ __forceinline__ void centre(int i, const Vec3<Sum> &own) const {
    if (job_.gathers())
      job_.force.set(i, own);
    else
      job_.force.add(i, own);
  }
  __device__ __forceinline__ void finish_centre(int i) const {
    if (!in_range_) job_.flags->bad_centre = i + 1;
  }

  /// Writes the totals of the block, summed in an order that does not depend on the scheduling of threads.
  template <int Threads>
  __device__ void write_totals() const {
    if constexpr (Totals) {
      PartialSums<BlockTotals::size> sum = {{energy_}};
      TRIAD_UNROLL
      for (int k = 0; k < 6; ++k) sum.v[1 + k] = virial_.v[k];
      sum = sum_over_block<Threads>(sum);
      if (threadIdx.x != 0) return;
      TRIAD_UNROLL
      for (int k = 0; k < BlockTotals::size; ++k) job_.totals[blockIdx.x].v[k] = sum.v[k];
    }
  }

 private:
  const ForceJob<Format> &job_;
  Vec3<Sum> own_ = {Sum(0), Sum(0), Sum(0)};
  bool in_range_ = true;
  double energy_ = 0;
  Tensor6 virial_;
};

/// Minimum resident blocks per SM of the unrolled kernel, for __launch_bounds__; 1 where more would spill many
/// registers.
template <class Format, class Model, Tally tally, int Lanes>
constexpr int four_min_blocks() {
  constexpr bool fp64 = sizeof(typename Format::Real) > 4;
  if (fp64 && Lanes > 1) return tuning::four_blocks_per_sm_double;
  if (fp64 || tally != Tally::None) return 1;
  if (Lanes > 1) return tuning::four_blocks_per_sm_few;
  if (Model::lambda3)
    return Model::shared ? tuning::four_blocks_per_sm_lambda3 : tuning::four_blocks_per_sm_elements_lambda3;
  return Model::shared              ? tuning::four_blocks_per_sm
         : Model::bond_cutoffs_only ? tuning::four_blocks_per_sm_elements
                                    : tuning::four_blocks_per_sm_cutoffs;
}

/// The bonds of a centre with up to four neighbours that one of its lanes computes.
template <class Format, int Lanes>
struct LaneOfCentre {
  using Real = typename Format::Real;
  using Of = CentreLanes<Lanes>;
  Bond<Real> bond[Of::own];
  Vec3<Real> gradient[Of::own];
  Real energy[Of::own];

  /// `entry`: entries of the lane in the row of centre i; those that equal i are padding. All lanes of a warp call
  /// this, if a centre has several.
  template <class Model>
  __device__ __forceinline__ LaneOfCentre(const Model &model, const ForceJob<Format> &job, int i,
                                          const int (&entry)[Of::own]) {
    // Lanes without a centre compute too, perhaps on an atom whose type has no element (-1).
    const auto element_of = [](const auto &position) {
      const int e = static_cast<int>(position.element);
      return Lanes > 1 && !Model::shared ? max(e, 0) : e;
    };
    const auto pi = load(job.position + i);
    int element[Of::own];
    TRIAD_UNROLL
    for (int k = 0; k < Of::own; ++k) {
      const auto relative = job.images.relative(job.position, pi, entry[k]);
      element[k] = element_of(relative);
      bond[k] = bond_to<Format>(relative, job.scale, model.shift);
      if (entry[k] == i) bond[k] = no_bond(job.beyond);
    }
    Of::gradients(model, element_of(pi), element, bond, gradient, energy);
  }
};

/// Rows per block of the kernel for up to four neighbours.
template <int Lanes>
constexpr int four_rows_per_block = tuning::four_block / Lanes;

/// Centres with up to four neighbours, unrolled, with all terms in registers.
template <class Format, class Model, Tally tally, int Lanes>
__global__ void __launch_bounds__(tuning::four_block, four_min_blocks<Format, Model, tally, Lanes>())
    four_neighbour_kernel(const Model model, const ForceJob<Format> job) {
  using Of = CentreLanes<Lanes>;
  if (job.new_list) wait_for_positions(job);
  Emitter<Format, tally == Tally::Totals> emit(job);
  const int n_rows = job.list.n_rows;
  std::size_t row = blockIdx.x * static_cast<std::size_t>(four_rows_per_block<Lanes>) + threadIdx.x / Lanes;
  bool four = row < static_cast<std::size_t>(n_rows);
  if (!four) row = 0;
  if (four && job.list.length) {
    row = job.list.order[row];
    const int length = job.list.length[row];
    four = length >= 0 && length <= centre_bonds;
  }
  int entry[Of::own];
  TRIAD_UNROLL
  for (int k = 0; k < Of::own; ++k) entry[k] = job.list.neighbour[short_entry(n_rows, row, Of::slot(k))];
  const bool listed = Of::of_lane(0, entry[0]) != PrunedListView::no_row;  // all lanes of the warp must call of_lane()
  four = four && listed;
  const int i = job.list.centre ? __ldg(job.list.centre + row) : static_cast<int>(row);
  TRIAD_UNROLL
  for (int k = 0; k < Of::own; ++k)
    if (!four) entry[k] = i;
  if (!job.new_list) wait_for_positions(job);
  const bool stop = stopped(job);
  // Several lanes serve few centres, where a step is a chain of dependent loads: they compute before the answer is
  // known.
  if (Lanes > 1 || !stop) {
    if (Lanes == 1 ? four : __any_sync(all_lanes, four)) {
      const LaneOfCentre<Format, Lanes> lane(model, job, i, entry);
      if (!stop) {
        TRIAD_UNROLL
        for (int k = 0; k < Of::own; ++k) {
          if (entry[k] == i) continue;
          emit.energy(lane.energy[k]);
          emit.template neighbour<false>(entry[k], short_entry(n_rows, row, Of::slot(k)), lane.bond[k],
                                         lane.gradient[k]);
        }
        if (!job.gathers()) {
          const auto own = Of::sum(emit.own());
          if (four && Of::lane() == 0) job.force.add(i, own);
        }
        if (four) emit.finish_centre(i);
      }
    }
    if (!stop) emit.template write_totals<tuning::four_block>();
  }
  wait_for_kernel_beside(job);
}

}  // namespace cuda
}  // namespace triad
