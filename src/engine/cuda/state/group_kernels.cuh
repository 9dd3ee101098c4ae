// Jobs and kernels that sum over the atoms of a group, and changes of the atoms that follow from the sums.
#pragma once

#include <cmath>
#include <cub/block/block_reduce.cuh>

#include "core/cuda/step_guard.cuh"
#include "dynamics/heat_current.h"
#include "dynamics/step_limits.h"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/engine_tallies.cuh"
#include "engine/cuda/state/exchange_of_atom.cuh"

namespace triad {
namespace cuda {

struct Plus {
  static __host__ __device__ double start() { return 0; }
  __host__ __device__ double operator()(double a, double b) const { return a + b; }
};
struct Least {
  static __host__ __device__ double start() { return StepLimits::none; }
  __host__ __device__ double operator()(double a, double b) const { return b < a ? b : a; }
};

// A job adds the values of atom i to those in `sums`, by its operation.

template <class Format>
struct LongestStepJob {
  using Operation = Least;
  DeviceState<Format> state;
  StepLimits limits;
  __device__ void operator()(double (&least)[1], std::size_t i) const {
    const auto u = state.velocity(i);
    const double v[3] = {u.x, u.y, u.z};
    double f[3];
    for (int axis = 0; axis < 3; ++axis) f[axis] = from_accumulator(state.force.component(i, axis));
    least[0] = Operation()(least[0], limits.step_of(state.mass_of(i), v, f));
  }
};

/// Power of forces[3][n] on the atoms.
template <class Format>
struct PowerJob {
  using Operation = Plus;
  DeviceState<Format> state;
  const double *force;
  __device__ void operator()(double (&sums)[1], std::size_t i) const {
    const std::size_t s = state.n;
    const auto v = state.velocity(i);
    sums[0] += force[i] * v.x + force[s + i] * v.y + force[2 * s + i] * v.z;
  }
};

template <class Format>
struct MomentJob {
  using Operation = Plus;
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  const double *points;  ///< [n][3], or null for the origin
  __device__ void operator()(double (&sums)[MomentSums::size], std::size_t i) const {
    const Vec3<double> x = state.position(anchor, i);
    double by[3] = {x.x, x.y, x.z};
    if (points)
      for (int d = 0; d < 3; ++d) by[d] -= points[3 * i + d];
    const auto u = state.velocity(i);
    const double v[3] = {u.x, u.y, u.z};
    MomentSums mine;
    mine.add(state.mass_of(i), by, v);
    TRIAD_UNROLL
    for (int k = 0; k < MomentSums::size; ++k) sums[k] += mine[k];
  }
};

/// The heat current from per-atom tallies: of owned atoms in the group, and of ghosts, whose velocities are 0 outside
/// of the group.
template <class Format>
struct TalliedFlowJob {
  using Operation = Plus;
  static constexpr int size = HeatFlow::size;
  DeviceState<Format> state;
  int bit;  ///< bit of the group; 0 for all atoms
  double kinetic_factor;
  AtomTallies tallies;
  const double *ghost_velocity;  ///< [ghosts][3]
  __device__ void operator()(double (&sums)[size], std::size_t i) const {
    double v[3], energy = tallies.energy[i];
    if (i < static_cast<std::size_t>(state.n)) {
      if (bit && !(state.mask[i] & bit)) return;
      const auto u = state.velocity(i);
      v[0] = u.x;
      v[1] = u.y;
      v[2] = u.z;
      energy += kinetic_factor * state.mass_of(i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    } else {
      for (int d = 0; d < 3; ++d) v[d] = ghost_velocity[3 * (i - state.n) + d];
    }
    HeatFlow mine;
    add_tallied_flow(mine, v, energy, tallies.virial + tallies.components * i, tallies.components);
    TRIAD_UNROLL
    for (int k = 0; k < size; ++k) sums[k] += mine[k];
  }
};

/// Tests if atoms are in a block. Most atoms outside are recognised by their wrapped positions alone, a fifth of what
/// the exact position takes to read.
template <class Format>
class BlockTest {
 public:
  BlockTest() = default;
  BlockTest(const DeviceState<Format> &state, const double *anchor, const BlockRegion &block)
      : anchor_(anchor), block_(block) {
    const double range = 4294967296.0, per_length = state.at.scale.per_length;
    for (int d = 0; d < 3; ++d) {
      const double low = std::floor(block.low[d] * per_length) - 2, high = std::ceil(block.high[d] * per_length) + 2;
      const double edge = block.wraps[d] ? std::ceil((block.box_high[d] - block.box_low[d]) * per_length) : 0;
      // the bounds of an image are off by up to one count
      const bool usable = !block.everywhere && std::fabs(low) < 1e15 && high - low < range && edge < range;
      edge_[d] = usable ? static_cast<unsigned>(edge) : 0;
      first_[d] = usable ? static_cast<unsigned>(static_cast<long long>(low)) : 0;
      width_[d] = usable ? static_cast<unsigned>(high - low) : ~0u;
    }
  }
  __device__ __forceinline__ bool contains(const DeviceState<Format> &state, std::size_t i) const {
    if (block_.everywhere) return true;
    if (!may_contain(state.at.position[i])) return false;
    const Vec3<double> at = state.position(anchor_, i);
    const double x[3] = {at.x, at.y, at.z};
    return block_.contains(x);
  }

 private:
  /// An atom is less than one box edge outside of the periodic box, into which lists wrap atoms.
  __device__ __forceinline__ bool may_contain(const WrappedPosition &p) const {
    const int c[3] = {p.x, p.y, p.z};
    TRIAD_UNROLL
    for (int d = 0; d < 3; ++d) {
      const unsigned at = static_cast<unsigned>(c[d]) - first_[d], edge = edge_[d];
      if (at > width_[d] && (edge == 0 || (at + edge > width_[d] && at - edge > width_[d]))) return false;
    }
    return true;
  }
  __device__ __forceinline__ bool may_contain(const DoublePosition &) const { return true; }

  const double *anchor_;  // [n][3]
  BlockRegion block_;
  unsigned first_[3], width_[3], edge_[3];  // counts of wrapped positions
};

template <class Format>
struct ExchangeSumJob {
  using Operation = Plus;
  DeviceState<Format> state;
  BlockTest<Format> block;
  __device__ void operator()(double (&sums)[ExchangeSums::size], std::size_t i) const {
    if (!block.contains(state, i)) return;
    add_exchange(sums, state.mass_of(i), state.velocity(i), state.force_on(i));
  }
};

/// The change that ExchangeSums lead to.
template <class Format>
struct ExchangeOp {
  DeviceState<Format> state;
  BlockTest<Format> block;
  HeatExchange exchange;
  __device__ void operator()(std::size_t i) const {
    if (!block.contains(state, i)) return;
    const auto v = state.velocity(i);
    if (exchange.moves) {
      auto coord = state.at.load_coord(i);
      move_by(exchange, state.at, state.mass_of(i), v, state.force_on(i), coord);
      state.at.store_coord(i, coord);
    }
    state.set_velocity(i, velocity_after(exchange, v));
  }
};

/// N values per block over the atoms of a group.
template <int N, class Job>
__global__ void __launch_bounds__(tuning::kinetic_block)
    group_sums_kernel(int n, const int *mask, int bit, const Job job, double *blocks) {
  using Operation = typename Job::Operation;
  double sums[N];
  for (double &sum : sums) sum = Operation::start();
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < static_cast<std::size_t>(n);
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    if (bit == 0 || (mask[i] & bit)) job(sums, i);
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  __syncwarp();  // see sum_over_block()
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) {
    const double total = Reduce(space).Reduce(sums[k], Operation());
    if (threadIdx.x == 0) blocks[N * blockIdx.x + k] = total;
    __syncthreads();
  }
}

}  // namespace cuda
}  // namespace triad
