// Heat current from positions, velocities and the pruned list, in one pass over the bonds.
#pragma once

#include "dynamics/heat_current.h"
#include "engine/cuda/state/sum_kernels.cuh"
#include "forces/tersoff/cuda/general_kernel.cuh"

namespace triad {
namespace cuda {

template <class Format>
struct HeatJob {
  DeviceState<Format> state;
  ForceJob<Format> bonds;  ///< list, positions and memory for records; forces are neither read nor written
  bool counts_atoms;       ///< adds the kinetic energies that atoms carry, besides the bonds of the list
  int bit;                 ///< bit of the group, 0 for all atoms; atoms outside the group count as at rest
  double kinetic_factor;
  const double *ghost_velocity;                ///< [ghosts][3]
  const StepGuard *guard = nullptr;            ///< of the steps of a batch, or null
  HeatFlow *blocks = nullptr, *sum = nullptr;  ///< this and the next line: of write_grid_sum()
  unsigned *arrived = nullptr;

  /// Velocity of an owned atom or a ghost.
  __device__ __forceinline__ Vec3<typename Format::Real> velocity(int i) const {
    using Real = typename Format::Real;
    if (i >= state.n) {
      const double *u = ghost_velocity + 3 * static_cast<std::size_t>(i - state.n);
      return {Real(u[0]), Real(u[1]), Real(u[2])};
    }
    if (bit && !(state.mask[i] & bit)) return {Real(0), Real(0), Real(0)};
    const auto u = state.velocity(i);
    return {Real(u.x), Real(u.y), Real(u.z)};
  }
};

/// Sums of the kinetic energies that atoms carry, and over the bonds of the pruned list, one row per tile and one bond
/// per lane as in general_kernel.
template <class Format, class Model, AtomVirial Kind>
__global__ void __launch_bounds__(tuning::general_block)
    heat_current_kernel(const Model model, const HeatJob<Format> job) {
  using Real = typename Format::Real;
  constexpr int lanes = tuning::heat_lanes;
  const ForceJob<Format> &bonds = job.bonds;
  if (job.guard && job.guard->stopped) return;
  HeatFlow sum;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       job.counts_atoms && i < static_cast<std::size_t>(job.state.n);
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const Vec3<Real> v = job.velocity(static_cast<int>(i));
    const double kinetic = job.kinetic_factor * job.state.mass_of(i) * double(dot(v, v));
    sum.convective[0] += kinetic * v.x;
    sum.convective[1] += kinetic * v.y;
    sum.convective[2] += kinetic * v.z;
  }

  const auto nothing = [](const Row &, int) {};
  for_rows<lanes>(model, bonds, true, nothing, [&](const auto &tile, const Row &row, int element, auto &found) {
    const Vec3<Real> v = job.velocity(row.centre);
    const auto velocity_of = [&](int k) { return job.velocity(bonds.images.index(found.entry_of(k))); };
    for (int j = tile.thread_rank(); j < found.n; j += lanes)
      add_bond_heat<Kind>(model, element, j, found.n, found.record, v, velocity_of, sum);
  });
  write_grid_sum<tuning::general_block>(sum, job.blocks, job.sum, job.arrived);
}

}  // namespace cuda
}  // namespace triad
