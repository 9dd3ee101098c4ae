// Forces and driving forces in one pass over the bonds, for steps in which the forces are gathered.
#pragma once

#include "dynamics/force_change.h"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/tuning.h"
#include "forces/tersoff/cuda/driving_kernels.cuh"

namespace triad {
namespace cuda {

/// Sums of the driving forces of all atoms, and of masses that differ: over the rows of each block, over groups of
/// blocks, and over all groups. The last block that ends in a group, and in all groups, adds their sums, so that the
/// order of the additions does not depend on the scheduling of threads.
struct DrivingSums {
  static constexpr int n_sums = 4;  ///< the driving force along x, y and z, and the mass

  double *value;    ///< [n_sums][n_blocks + n_groups]
  unsigned *ended;  ///< [n_groups + 1] blocks of each group, and groups, that have ended; 0 between kernels
  ForceSums *total;
  int n_blocks;
  int first;         ///< number of the kernel's first block
  int count;         ///< atoms
  double same_mass;  ///< mass of all atoms if they have the same mass, otherwise 0

  static constexpr TRIAD_HD int groups_of(int blocks) {
    return (blocks + tuning::driven_blocks_per_group - 1) / tuning::driven_blocks_per_group;
  }

  /// Forces that a thread sums: in fixed point where the sums of forces are, otherwise in fp64.
  template <class Sum>
  struct OfThread {
    Vec3<std::conditional_t<std::is_same<Sum, fixed_point::Word>::value, Sum, double>> sum = {};
    __device__ __forceinline__ void add(const Vec3<Sum> &f) { sum = {sum.x + f.x, sum.y + f.y, sum.z + f.z}; }
  };

  /// Adds the values of the threads of a block.
  template <int Threads, class Sum>
  __device__ __forceinline__ void add(const OfThread<Sum> &of_thread, double mass) const {
    const auto &f = of_thread.sum;
    const PartialSums<3> force = {{from_accumulator(f.x), from_accumulator(f.y), from_accumulator(f.z)}};
    const int block = first + static_cast<int>(blockIdx.x), group = block / tuning::driven_blocks_per_group;
    const int begin = group * tuning::driven_blocks_per_group;
    const int end = min(begin + tuning::driven_blocks_per_group, n_blocks), n_groups = groups_of(n_blocks);
    store(block, 0, sum_over_block<Threads>(force));
    if (same_mass == 0) store(block, 3, sum_over_block<Threads>(PartialSums<1>{{mass}}));
    if (!is_last_block(ended + group, end - begin)) return;
    store(n_blocks + group, 0, sum_of<Threads>(begin, end));
    if (!is_last_block(ended + n_groups, n_groups)) return;
    const PartialSums<n_sums> all = sum_of<Threads>(n_blocks, n_blocks + n_groups);
    if (threadIdx.x != 0) return;
    for (int axis = 0; axis < 3; ++axis) total->force[axis] = all.v[axis];
    total->count = count;
    total->mass = same_mass == 0 ? all.v[3] : same_mass * count;
  }

 private:
  __device__ __forceinline__ double *at(int k, int where) const {
    return value + k * static_cast<std::size_t>(n_blocks + groups_of(n_blocks)) + where;
  }
  template <int Sums>
  __device__ __forceinline__ void store(int where, int first_sum, const PartialSums<Sums> &sums) const {
    if (threadIdx.x != 0) return;
    TRIAD_UNROLL
    for (int k = 0; k < Sums; ++k) *at(first_sum + k, where) = sums.v[k];
  }
  /// The sum of the values from `begin` to `end`; thread 0 receives it.
  template <int Threads>
  __device__ __forceinline__ PartialSums<n_sums> sum_of(int begin, int end) const {
    PartialSums<n_sums> mine;
    for (int b = begin + static_cast<int>(threadIdx.x); b < end; b += Threads) {
      TRIAD_UNROLL
      for (int k = 0; k < n_sums; ++k)
        if (k < 3 || same_mass == 0) mine.v[k] += __ldcg(at(k, b));
    }
    return sum_over_block<Threads>(mine);
  }
};

// The kernels below replace the force kernels in a step with driving forces on all atoms: they compute the sum of both
// forces. The force array receives the parts of the centres, see GatherJob::with_stored_own(). `sums` receives the sums
// of these forces, in which the forces of the potential cancel, apart from rounding errors. In mixed, the terms are
// those of the fixed-point sums of the forces, so that sums below 2^21 are exact.

template <class Format, class Model>
constexpr int driven_min_blocks() {
  return sizeof(typename Format::Real) == 4 && Model::shared && !Model::lambda3 ? tuning::driven_blocks_per_sm : 1;
}

/// Rows of up to four entries, one thread per row.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block, driven_min_blocks<Format, Model>())
    four_forces_and_driving_kernel(const Model model, const DrivingJob<Format> job, const DeviceState<Format> state,
                                   const DrivingSums sums) {
  using Sum = typename Format::Sum;
  using Real = typename Format::Real;
  const PrunedListView &list = job.bonds.list;
  if (job.bonds.new_list) wait_for_previous_kernel();
  std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  bool four = i < static_cast<std::size_t>(list.n_rows);
  const double mass = four ? state.mass_of(i) : 0;  // also of atoms with longer rows, so that the order is the same
  if (four && list.length) {
    i = list.order[i];
    four = list.length[i] <= 4;
  }
  const std::size_t first = i, stride = list.n_rows;
  int entry[4] = {};
  TRIAD_UNROLL
  for (int k = 0; k < 4; ++k)
    if (four) entry[k] = list.neighbour[first + k * stride];
  if (!job.bonds.new_list) wait_for_previous_kernel();
  if (stopped(job.bonds)) return;
  DrivingSums::OfThread<Sum> total;
  if (four) {
    BondDriving<Real> driving[4];
    const int centre = static_cast<int>(i);
    drive_four<true>(model, job, centre, entry, driving);
    Vec3<Sum> own = {};
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (entry[k] == centre) continue;
      job.bonds.gradient.store(first + k * stride, driving[k].gradient);
      total.add(job.term_of(Real(-1) * driving[k].gradient, centre));
      own = own + job.term_of(driving[k].centre, centre);
    }
    job.bonds.force.set(i, own);
    total.add(own);
  }
  sums.template add<tuning::four_block>(total, mass);
}

/// Longer rows, one tile of lanes per row and one bond per lane, as general_kernel().
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::general_block)
    general_forces_and_driving_kernel(const Model model, const DrivingJob<Format> job, const DrivingSums sums) {
  using Sum = typename Format::Sum;
  using Real = typename Format::Real;
  constexpr int lanes = tuning::general_lanes;
  const ForceJob<Format> &bonds = job.bonds;
  wait_for_previous_kernel();
  if (stopped(bonds)) return;
  DrivingSums::OfThread<Sum> total;
  const auto leave_out = [&](const Row &row, int k) { leave_out_entry(bonds, row, k); };
  for_rows<lanes>(model, bonds, false, leave_out, [&](const auto &tile, const Row &row, int element, auto &found) {
    const int i = row.centre, lane = tile.thread_rank();
    if (lane == 0) bonds.within[i] = found.within;
    Vec3<Sum> own = {};
    for (int j = lane; j < found.n; j += lanes) {
      const BondDriving<Real> driving = bond_driving<true>(model, element, j, found.n, found.record, job.field);
      bonds.gradient.store(found.number_of(j), driving.gradient);
      total.add(job.term_of(Real(-1) * driving.gradient, i));
      own = own + job.term_of(driving.centre, i);
    }
    total.add(own);
    own = sum_over(tile, own);
    if (lane == 0) bonds.force.set(i, own);
  });
  sums.template add<tuning::general_block>(total, 0);
}

/// The force on atom i from the gradients of four_forces_and_driving_kernel(), without the mean `acceleration`.
template <class Format>
__device__ __forceinline__ Vec3<typename Format::Sum> driven_force(const DeviceState<Format> &state,
                                                                   const GatherJob<Format> &gather,
                                                                   const Vec3<double> &acceleration, std::size_t i,
                                                                   const typename GatherJob<Format>::Slots &slots) {
  using Sum = typename Format::Sum;
  const Vec3<Sum> f = gather.with_stored_own(i, slots);
  const double mass = state.mass_of(i);
  return {f.x - to_accumulator<Sum>(mass * acceleration.x), f.y - to_accumulator<Sum>(mass * acceleration.y),
          f.z - to_accumulator<Sum>(mass * acceleration.z)};
}
static __device__ __forceinline__ Vec3<double> mean_acceleration(const ForceSums &sums) {
  return {sums.acceleration(0), sums.acceleration(1), sums.acceleration(2)};
}

/// Gathers these forces, in steps in which no thermostat does so.
template <class Format>
struct GatherDrivenOp {
  DeviceState<Format> state;
  GatherJob<Format> gather;
  const ForceSums *sums;  ///< of the driving forces
  const StepGuard *guard;

  __device__ void operator()(std::size_t i) const {
    if (!guard->stopped) state.force.set(i, driven_force(state, gather, mean_acceleration(*sums), i, gather.slots(i)));
  }
};

}  // namespace cuda
}  // namespace triad
