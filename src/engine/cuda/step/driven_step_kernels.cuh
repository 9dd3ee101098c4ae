// Forces and driving forces in one pass over the bonds, for steps in which the forces are gathered.
#pragma once

#include "dynamics/force_change.h"
#include "engine/cuda/state/sum_kernels.cuh"
#include "forces/tersoff/cuda/driving_kernels.cuh"

namespace triad {
namespace cuda {

/// Sums of the driving forces over the bonds of each block: number k of ForceSums is at value[k * n_blocks + block].
struct DrivingBlocks {
  double *value;
  int n_blocks;
  int first;  ///< number of the kernel's first block

  /// Writes the sums over the threads of a block.
  template <int Threads>
  __device__ __forceinline__ void write(PartialSums<ForceSums::n_of_forces> mine) const {
    mine = sum_over_block<Threads>(mine);
    if (threadIdx.x != 0) return;
    TRIAD_UNROLL
    for (int k = 0; k < ForceSums::n_of_forces; ++k) value[k * n_blocks + first + blockIdx.x] = mine.v[k];
  }
};

// The kernels below compute the forces of a step with the driving forces on all atoms, in place of the force kernels.
// The force array receives the parts of the centres, see GatherJob::with_stored_own(). `blocks` receives the sums of
// the driving forces.

template <class Format, class Model>
constexpr int driven_min_blocks() {
  return sizeof(typename Format::Real) == 4 && Model::shared && !Model::lambda3 ? tuning::driven_blocks_per_sm : 1;
}

/// Rows of up to four entries, one thread per row.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block, driven_min_blocks<Format, Model>())
    four_driven_kernel(const Model model, const DrivingJob<Format> job, const DeviceState<Format> state,
                       const DrivingBlocks blocks) {
  const PrunedListView &list = job.bonds.list;
  wait_for_previous_kernel();
  if (stopped(job.bonds)) return;
  std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  bool four = i < static_cast<std::size_t>(list.n_rows);
  if (four && list.length) {
    i = list.order[i];
    four = list.length[i] <= 4;
  }
  PartialSums<ForceSums::n_of_forces> sums;
  if (four) {
    const std::size_t first = i, stride = list.n_rows;
    const FourDriven<Format> found = drive_four<true>(model, job, static_cast<int>(i), first, stride);
    // the forces of the potential cancel in the sums, up to the rounding that the gathered forces have too
    double force[3] = {found.centre.x, found.centre.y, found.centre.z};
    TRIAD_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (found.entry[k] == static_cast<int>(i)) continue;
      const auto &g = found.gradient[k];
      job.check_range(g, static_cast<int>(i));
      job.bonds.gradient.store(first + k * stride, g);
      force[0] -= g.x;
      force[1] -= g.y;
      force[2] -= g.z;
    }
    job.set(static_cast<int>(i), found.centre);
    TRIAD_UNROLL
    for (int axis = 0; axis < 3; ++axis) sums.v[axis] = force[axis];
    sums.v[3] = 1;
    sums.v[4] = state.mass_of(i);
  }
  blocks.template write<tuning::four_block>(sums);
}

/// Longer rows, one tile of lanes per row and one bond per lane, as general_kernel().
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::general_block)
    general_driven_kernel(const Model model, const DrivingJob<Format> job, const DeviceState<Format> state,
                          const DrivingBlocks blocks) {
  using Sum = typename Format::Sum;
  using Real = typename Format::Real;
  constexpr int lanes = tuning::general_lanes, tiles = tuning::general_block / lanes;
  __shared__ TileMemory<Format> memory[tiles];
  const ForceJob<Format> &bonds = job.bonds;
  wait_for_previous_kernel();
  if (stopped(bonds)) return;
  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  const int lane = tile.thread_rank(), tile_in_block = threadIdx.x / lanes;
  PartialSums<ForceSums::n_of_forces> sums;
  const long long n_rows = rows_of(bonds.list, false);
  for (long long r = blockIdx.x * static_cast<long long>(tiles) + tile_in_block; r < n_rows;
       r += static_cast<long long>(gridDim.x) * tiles) {
    const Row row = row_at(bonds.list, r, false);
    if (row.length == 0) continue;
    const int i = row.centre;
    const auto pi = load(bonds.position + i);
    const int ei = static_cast<int>(pi.element);
    const TileBonds<Format> found = bonds_of_row<Format>(tile, model, bonds, row, pi, memory[tile_in_block],
                                                         [&](int k) { leave_out_entry(bonds, row, k); });
    const int n = found.n;
    BondRecord<Real> *const record = found.record;
    if (lane == 0) bonds.within[i] = found.within;
    for (int j = lane; j < n; j += lanes) record[j].energy = general_bond_energy(model, ei, j, n, record);
    tile.sync();
    Vec3<Sum> own = {Sum(0), Sum(0), Sum(0)};
    for (int j = lane; j < n; j += lanes) {
      BondTally none;
      const Vec3<Real> force = general_gradient<false>(model, ei, j, n, record, &none);
      const BondDriving<Real> driving = bond_driving(model, ei, j, n, record, job.field);
      const Vec3<Real> gradient = force + Real(-1) * driving.neighbour, on_centre = force + driving.centre;
      job.check_range(gradient, i);
      bonds.gradient.store(found.number_of(j), gradient);
      own = own + to_accumulators<Sum>(on_centre);
      sums.v[0] += double(on_centre.x) - gradient.x;
      sums.v[1] += double(on_centre.y) - gradient.y;
      sums.v[2] += double(on_centre.z) - gradient.z;
    }
    for (int step = lanes / 2; step > 0; step /= 2)
      own = own + Vec3<Sum>{tile.shfl_down(own.x, step), tile.shfl_down(own.y, step), tile.shfl_down(own.z, step)};
    if (lane == 0) {
      bonds.force.set(i, own);
      sums.v[3] += 1;
      sums.v[4] += state.mass_of(i);
    }
    tile.sync();  // the next row overwrites the records
  }
  blocks.template write<tuning::general_block>(sums);
}

/// The sum of all blocks, in one block, so that the order of the additions is fixed.
static __global__ void __launch_bounds__(tuning::total_block)
    total_driving_kernel(const DrivingBlocks blocks, const StepGuard *guard, ForceSums *total) {
  wait_for_previous_kernel();
  if (guard->stopped) return;
  PartialSums<ForceSums::n_of_forces> sums;
  for (int b = static_cast<int>(threadIdx.x); b < blocks.n_blocks; b += tuning::total_block) TRIAD_UNROLL
  for (int k = 0; k < ForceSums::n_of_forces; ++k) sums.v[k] += blocks.value[k * blocks.n_blocks + b];
  sums = sum_over_block<tuning::total_block>(sums);
  if (threadIdx.x != 0) return;
  for (int k = 0; k < ForceSums::n_of_forces; ++k) (*total)[k] = sums.v[k];
}

/// The force on atom i from the gradients of four_driven_kernel(), without the mean acceleration.
template <class Format>
__device__ __forceinline__ Vec3<typename Format::Sum> driven_force(const DeviceState<Format> &state,
                                                                   const GatherJob<Format> &gather,
                                                                   const ForceSums &sums, std::size_t i) {
  using Sum = typename Format::Sum;
  const Vec3<Sum> f = gather.with_stored_own(i);
  const double mass = state.mass_of(i);
  return {f.x - to_accumulator<Sum>(mass * sums.acceleration(0)),
          f.y - to_accumulator<Sum>(mass * sums.acceleration(1)),
          f.z - to_accumulator<Sum>(mass * sums.acceleration(2))};
}

/// Gathers these forces, in steps in which no thermostat does so.
template <class Format>
struct GatherDrivenOp {
  DeviceState<Format> state;
  GatherJob<Format> gather;
  const ForceSums *sums;  ///< of the driving forces
  const StepGuard *guard;

  __device__ void operator()(std::size_t i) const {
    if (!guard->stopped) state.force.set(i, driven_force(state, gather, *sums, i));
  }
};

}  // namespace cuda
}  // namespace triad
