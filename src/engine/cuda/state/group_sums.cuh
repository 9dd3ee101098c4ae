// Sums over the atoms of a group outside of batches: the work of a Langevin thermostat, heat exchange, slabs; and the
// longest time step that all atoms allow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cub/block/block_reduce.cuh>
#include <deque>
#include <vector>

#include "dynamics/heat_exchange.h"
#include "dynamics/slabs.h"
#include "dynamics/step_limits.h"
#include "engine/cuda/state/engine_atoms.cuh"

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
struct ExchangeSumJob {
  using Operation = Plus;
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  BlockRegion block;
  __device__ void operator()(double (&sums)[ExchangeSums::size], std::size_t i) const {
    if (!block.everywhere) {
      const double *const a = anchor + 3 * i;
      const Vec3<double> at = state.at.decode(state.at.load_coord(i), {a[0], a[1], a[2]});
      const double x[3] = {at.x, at.y, at.z};
      if (!block.contains(x)) return;
    }
    const auto u = state.velocity(i);
    const double v[3] = {u.x, u.y, u.z};
    double f[3];
    for (int axis = 0; axis < 3; ++axis) f[axis] = from_accumulator(state.force.component(i, axis));
    ExchangeSums mine;
    mine.add(state.mass_of(i), v, f);
    TRIAD_UNROLL
    for (int k = 0; k < ExchangeSums::size; ++k) sums[k] += mine[k];
  }
};

/// The change that ExchangeSums lead to.
template <class Format>
struct ExchangeOp {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  BlockRegion block;
  HeatExchange exchange;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    auto coord = state.at.load_coord(i);
    if (!block.everywhere) {
      const double *const a = anchor + 3 * i;
      const Vec3<double> at = state.at.decode(coord, {a[0], a[1], a[2]});
      const double x[3] = {at.x, at.y, at.z};
      if (!block.contains(x)) return;
    }
    const auto u = state.velocity(i);
    const double v[3] = {u.x, u.y, u.z}, m = state.mass_of(i);
    if (exchange.moves) {
      double by[3];
      for (int axis = 0; axis < 3; ++axis)
        by[axis] = exchange.displacement(axis, m, v[axis], from_accumulator(state.force.component(i, axis)));
      const double unit = state.at.step(1.0);
      Coordinates<Format>::move(coord, {static_cast<Velocity>(unit * by[0]), static_cast<Velocity>(unit * by[1]),
                                        static_cast<Velocity>(unit * by[2])});
      state.at.store_coord(i, coord);
    }
    state.set_velocity(
        i, {static_cast<Velocity>(exchange.velocity(0, v[0])), static_cast<Velocity>(exchange.velocity(1, v[1])),
            static_cast<Velocity>(exchange.velocity(2, v[2]))});
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
  TRIAD_UNROLL
  for (int k = 0; k < N; ++k) {
    const double total = Reduce(space).Reduce(sums[k], Operation());
    if (threadIdx.x == 0) blocks[N * blockIdx.x + k] = total;
    __syncthreads();
  }
}

/// Sums of slabs as whole multiples of units that are so small that the errors do not matter, and so large that no sum
/// is out of range. The result then does not depend on the order of the additions.
struct SlabUnits {
  double per_unit[SlabSums::size];  ///< multiples per unit of each sum
};

template <class Format>
struct SlabJob {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  int bit;               ///< bit of the group; 0 for all atoms
  Slabs slabs;
  SlabUnits units;
  unsigned long long *sums;  ///< [slabs.count][SlabSums::size] output
};

/// All lanes of a warp call this. Lanes of one slab add up their values first, and make one addition per sum.
static __device__ __forceinline__ void add_to_slabs(unsigned long long *sums, int slab,
                                                    const long long (&values)[SlabSums::size]) {
  constexpr unsigned all = 0xffffffffu;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned left = __ballot_sync(all, slab >= 0); left;) {
    const int first = __shfl_sync(all, slab, __ffs(left) - 1);
    const bool in = slab == first;
    left &= ~__ballot_sync(all, in);
    TRIAD_UNROLL
    for (int k = 0; k < SlabSums::size; ++k) {
      long long total = in ? values[k] : 0;
      TRIAD_UNROLL
      for (int offset = 16; offset; offset /= 2) total += __shfl_xor_sync(all, total, offset);
      if (lane == static_cast<unsigned>(k))
        atomicAdd(sums + SlabSums::size * static_cast<std::size_t>(first) + k, static_cast<unsigned long long>(total));
    }
  }
}

/// `in_shared`: the block has shared memory for the sums of all slabs.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block) slab_sums_kernel(const SlabJob<Format> job, bool in_shared) {
  extern __shared__ unsigned long long of_block[];
  const DeviceState<Format> &state = job.state;
  const int n_sums = SlabSums::size * job.slabs.count;
  if (in_shared) {
    for (int k = threadIdx.x; k < n_sums; k += blockDim.x) of_block[k] = 0;
    __syncthreads();
  }
  for (std::size_t first = blockIdx.x * static_cast<std::size_t>(blockDim.x); first < static_cast<std::size_t>(state.n);
       first += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const std::size_t i = first + threadIdx.x;
    int slab = -1;
    long long values[SlabSums::size] = {};
    if (i < static_cast<std::size_t>(state.n) && (job.bit == 0 || (state.mask[i] & job.bit))) {
      const double *const a = job.anchor + 3 * i;
      const Vec3<double> at = state.at.decode(state.at.load_coord(i), {a[0], a[1], a[2]});
      const double x[3] = {at.x, at.y, at.z};
      slab = job.slabs.of(x);
      const auto u = state.velocity(i);
      const double v[3] = {u.x, u.y, u.z};
      SlabSums mine;
      mine.add(state.mass_of(i), v);
      TRIAD_UNROLL
      for (int k = 0; k < SlabSums::size; ++k) values[k] = __double2ll_rn(mine[k] * job.units.per_unit[k]);
    }
    add_to_slabs(in_shared ? of_block : job.sums, slab, values);
  }
  if (!in_shared) return;
  __syncthreads();
  for (int k = threadIdx.x; k < n_sums; k += blockDim.x)
    if (of_block[k]) atomicAdd(job.sums + k, of_block[k]);
}

/// All functions throw LoopError. The queue of motions must be empty, and forces complete.
template <class Format>
class GroupSums {
 public:
  GroupSums(DeviceContext &device, EngineAtoms<Format> &atoms) : device_(device), atoms_(atoms) {}

  // See the functions of MdEngine.
  ExchangeSums sum_exchange(int group_bit, const BlockRegion &block) {
    ExchangeSums sums;
    add<ExchangeSums::size>(group_bit, ExchangeSumJob<Format>{atoms_.state(), atoms_.anchor(), block}, sums);
    return sums;
  }
  void exchange_heat(int group_bit, const BlockRegion &block, const HeatExchange &exchange) {
    atoms_.for_group(group_bit, ExchangeOp<Format>{atoms_.state(), atoms_.anchor(), block, exchange},
                     "exchanging heat");
    if (exchange.moves) atoms_.positions_changed();
  }
  double langevin_power(int group_bit, int tally) {
    double power[1] = {0};
    add<1>(group_bit, PowerJob<Format>{atoms_.state(), kept_[tally].data()}, power);
    return power[0];
  }
  double longest_step(int group_bit, const StepLimits &limits) {
    double step[1] = {StepLimits::none};
    add<1>(group_bit, LongestStepJob<Format>{atoms_.state(), limits}, step);
    return step[0];
  }
  /// `kinetic`: the kinetic sums of the same atoms.
  std::vector<SlabSums> sum_slabs(int group_bit, const Slabs &slabs, KineticSums kinetic);

  /// [3][n] where the forces of a thermostat are kept, or null if `tally` is negative.
  double *langevin_force(int tally) {
    if (tally < 0) return nullptr;
    while (kept_.size() <= std::size_t(tally)) kept_.emplace_back("forces of a thermostat");
    kept_[tally].reserve(3 * std::size_t(atoms_.n()));
    return kept_[tally].data();
  }

  std::size_t host_bytes() const { return blocks_host_.bytes() + slabs_host_.bytes(); }
  std::size_t device_bytes() const {
    std::size_t bytes = blocks_.bytes() + slabs_.bytes();
    for (const DeviceBuffer<double> &kept : kept_) bytes += kept.bytes();
    return bytes;
  }

 private:
  /// Adds the N values of a job over the group to `sums`, by the operation of the job.
  template <int N, class Job, class Sums>
  void add(int group_bit, const Job &job, Sums &sums);

  DeviceContext &device_;
  EngineAtoms<Format> &atoms_;
  DeviceBuffer<double> blocks_{"sums of groups"};
  PinnedBuffer<double> blocks_host_{"sums of groups"};
  DeviceBuffer<unsigned long long> slabs_{"sums of slabs"};
  PinnedBuffer<unsigned long long> slabs_host_{"sums of slabs"};
  std::deque<DeviceBuffer<double>> kept_;  // by tally
};

template <class Format>
template <int N, class Job, class Sums>
void GroupSums<Format>::add(int group_bit, const Job &job, Sums &sums) {
  if (atoms_.n() == 0) return;
  device_.select();
  const unsigned blocks = std::min(blocks_for(atoms_.n(), tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
  blocks_.reserve(N * std::size_t(tuning::kinetic_blocks));
  blocks_host_.reserve(N * std::size_t(tuning::kinetic_blocks));
  group_sums_kernel<N, Job><<<blocks, tuning::kinetic_block, 0, device_.stream()>>>(
      atoms_.n(), job.state.mask, device_bit(group_bit), job, blocks_.data());
  check(cudaGetLastError(), "summing over a group");
  copy_to_host(blocks_host_.data(), blocks_.data(), N * std::size_t(blocks), device_.stream(), "summing over a group");
  device_.wait("summing over a group");
  for (unsigned b = 0; b < blocks; ++b)
    for (int k = 0; k < N; ++k) sums[k] = typename Job::Operation()(sums[k], blocks_host_[N * b + k]);
}

template <class Format>
std::vector<SlabSums> GroupSums<Format>::sum_slabs(int group_bit, const Slabs &slabs, KineticSums kinetic) {
  std::vector<SlabSums> all(slabs.count);
  if (atoms_.n() == 0) return all;
  device_.select();
  // bounds of the sums of any subset of the atoms
  SlabSums bound;
  bound.count = 1;
  bound.mass = kinetic.mass;
  bound.mvv = kinetic.mvv[0] + kinetic.mvv[1] + kinetic.mvv[2];
  SlabJob<Format> job = {atoms_.state(), atoms_.anchor(), device_bit(group_bit), slabs, {}, nullptr};
  for (int k = 0; k < SlabSums::size; ++k) {
    int exponent = 0;
    std::frexp(bound[k], &exponent);
    job.units.per_unit[k] = k > 0 && bound[k] > 0 ? std::ldexp(1.0, 61 - exponent) : 1;
  }
  const std::size_t n_sums = SlabSums::size * std::size_t(slabs.count), bytes = sizeof(unsigned long long) * n_sums;
  slabs_.reserve(n_sums);
  slabs_host_.reserve(n_sums);
  job.sums = slabs_.data();
  check(cudaMemsetAsync(slabs_.data(), 0, bytes, device_.stream()), "summing over slabs");
  const bool in_shared = bytes <= tuning::slab_shared_bytes;
  const unsigned blocks = std::min(blocks_for(atoms_.n(), tuning::kinetic_block), unsigned(tuning::slab_blocks));
  slab_sums_kernel<Format><<<blocks, tuning::kinetic_block, in_shared ? bytes : 0, device_.stream()>>>(job, in_shared);
  check(cudaGetLastError(), "summing over slabs");
  copy_to_host(slabs_host_.data(), slabs_.data(), n_sums, device_.stream(), "summing over slabs");
  device_.wait("summing over slabs");
  for (std::size_t k = 0; k < n_sums; ++k)
    all[k / SlabSums::size][k % SlabSums::size] =
        static_cast<double>(static_cast<long long>(slabs_host_[k])) / job.units.per_unit[k % SlabSums::size];
  return all;
}

}  // namespace cuda
}  // namespace triad
