// The kernels that move atoms. Between two force computations one kernel ends a step and starts the next: second half
// of the kick, first half of the next, drift, the checks of displacements, and clearing of the forces that it has used.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "loops/cuda/shortlist.cuh"
#include "loops/cuda/step_guard.cuh"
#include "md/cuda/coordinates.cuh"
#include "md/stepper.h"
#include "md/tuning.h"
#include "physics/langevin.h"

namespace triad {
namespace cuda {

/// The atoms of one rank on the device.
template <class Format>
struct DeviceState {
  using Velocity = typename Coordinates<Format>::Velocity;
  Coordinates<Format> at;
  Velocity *v;  ///< [3][n]
  ForceArray<Format> force;
  const double *mass;  ///< [n], or null where all are `uniform_mass`
  const int *mask;     ///< [n] group bits
  double uniform_mass;
  int n;  ///< owned atoms

  __device__ __forceinline__ Vec3<Velocity> velocity(std::size_t i) const {
    const std::size_t s = n;
    return {v[i], v[s + i], v[2 * s + i]};
  }
  __device__ __forceinline__ void set_velocity(std::size_t i, const Vec3<Velocity> &u) const {
    const std::size_t s = n;
    v[i] = u.x;
    v[s + i] = u.y;
    v[2 * s + i] = u.z;
  }
  __device__ __forceinline__ Vec3<Velocity> force_on(std::size_t i) const {
    const auto f = force.value(i);
    return {static_cast<Velocity>(from_accumulator(f.x)), static_cast<Velocity>(from_accumulator(f.y)),
            static_cast<Velocity>(from_accumulator(f.z))};
  }
  __device__ __forceinline__ void set_force(std::size_t i, const Vec3<double> &f) const {
    force.component(i, 0) = to_accumulator<typename Format::Sum>(f.x);
    force.component(i, 1) = to_accumulator<typename Format::Sum>(f.y);
    force.component(i, 2) = to_accumulator<typename Format::Sum>(f.z);
  }
  __device__ __forceinline__ double mass_of(std::size_t i) const { return mass ? mass[i] : uniform_mass; }
  /// half_kick / m, with as many roundings as stock.
  __device__ __forceinline__ Velocity kick(std::size_t i, double half_kick, Velocity uniform_kick) const {
    return mass ? static_cast<Velocity>(half_kick / mass[i]) : uniform_kick;
  }
};

/// One group of a step.
template <class Velocity>
struct DeviceGroup {
  int bit;  ///< 0: all atoms
  double half_kick;
  Velocity uniform_kick;  ///< half_kick / uniform_mass
  Velocity step;          ///< Coordinates::step(drift)
};

template <class Format>
struct StepJob {
  using Position = typename PositionOf<Format>::type;
  DeviceState<Format> state;
  int n_groups;
  DeviceGroup<typename DeviceState<Format>::Velocity> group[tuning::max_groups];
  const Position *reference;       ///< [n] of the short list, with limits
  const unsigned *list_reference;  ///< [n] of LAMMPS's list, coarse
  CoarseReference coarse;
  bool check;  ///< ListRule, as of the first step of the guard
  int ago, delay, every;
  float far_step, wild_step;  ///< displacements in one step that call for a check of the list, and that are wrong
  float step_length;          ///< length units per unit of Coordinates::step
  StepGuard *guard;
};

/// Ends a step (`Ends`) and starts the next (`Starts`).
template <class Format, bool Ends, bool Starts>
__global__ void __launch_bounds__(tuning::step_block) step_kernel(const StepJob<Format> job) {
  using State = DeviceState<Format>;
  using Velocity = typename State::Velocity;
  const State &state = job.state;
  // from the last atom to the first: what the force kernel has touched last is still in the cache
  const std::size_t i = (gridDim.x - 1 - blockIdx.x) * static_cast<std::size_t>(tuning::step_block) + threadIdx.x;
  const bool mine = i < static_cast<std::size_t>(state.n);
  const std::size_t at = mine ? i : 0;

  // what the force kernel before does not write is loaded while it still runs
  Vec3<Velocity> v = state.velocity(at);
  typename Coordinates<Format>::Place place;
  unsigned list_reference = 0;
  typename StepJob<Format>::Position reference;
  if constexpr (Starts) {
    place = state.at.load_place(at);
    list_reference = job.list_reference[at];
    reference = load(job.reference + at);
  }
  wait_for_previous_kernel();
  const int stopped = job.guard->stopped, completed = job.guard->completed;
  const Vec3<Velocity> f = state.force_on(at);
  if (stopped) return;
  if (i == 0) job.guard->start_moving();
  if (!mine) return;

  const auto kick = [&](int g) {
    const Velocity k = state.kick(i, job.group[g].half_kick, job.group[g].uniform_kick);
    v = v + k * f;
  };
  const auto in_group = [&](int g) { return job.group[g].bit == 0 || (state.mask[i] & job.group[g].bit); };
  if constexpr (Ends)
    for (int g = 0; g < job.n_groups; ++g)
      if (in_group(g)) kick(g);
  if constexpr (Starts) {
    float moved = 0;
    for (int g = 0; g < job.n_groups; ++g)
      if (in_group(g)) {
        kick(g);
        const Vec3<Velocity> by = job.group[g].step * v;
        Coordinates<Format>::move(place, by);
        moved += fabsf(static_cast<float>(by.x)) + fabsf(static_cast<float>(by.y)) + fabsf(static_cast<float>(by.z));
      }
    moved *= job.step_length;
    const auto position = Coordinates<Format>::position_of(place);
    int reasons = 0;
    if (moved_from(reference, position, state.at.scale) == Moved::TooFar) reasons |= stop_short_list;
    const int ago = job.ago + completed + 1;
    if (!job.check || (ago >= job.delay && (job.every == 1 || ago % job.every == 0)))
      if (moved > job.far_step || !job.coarse.surely_within(list_reference, job.coarse.pack(position)))
        reasons |= stop_list;
    if (!(moved < job.wild_step)) {
      reasons |= stop_position;
      job.guard->bad_atom = static_cast<int>(i) + 1;
    }
    if (reasons) atomicOr(&job.guard->stop, reasons);
    state.at.store_place(i, place);
    state.force.clear(i);
  }
  state.set_velocity(i, v);
}

/// Calls op(i) for the atoms of a group; bit 0 stands for all.
template <class Op>
__global__ void for_group_kernel(int n, const int *mask, int bit, Op op) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < static_cast<std::size_t>(n) && (bit == 0 || (mask[i] & bit))) op(i);
}

template <class Format>
struct KickOp {
  DeviceState<Format> state;
  double half_kick;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    const Velocity k = static_cast<Velocity>(half_kick / state.mass_of(i));
    state.set_velocity(i, state.velocity(i) + k * state.force_on(i));
  }
};

template <class Format>
struct DriftOp {
  DeviceState<Format> state;
  double drift;
  __device__ void operator()(std::size_t i) const {
    auto place = state.at.load_place(i);
    Coordinates<Format>::move(place, state.at.step(drift) * state.velocity(i));
    state.at.store_place(i, place);
  }
};

/// v = factor * v + difference.
template <class Format>
struct ScaleOp {
  DeviceState<Format> state;
  Vec3<double> factor, difference;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    const Vec3<Velocity> v = state.velocity(i);
    state.set_velocity(
        i, {static_cast<Velocity>(factor.x * v.x + difference.x), static_cast<Velocity>(factor.y * v.y + difference.y),
            static_cast<Velocity>(factor.z * v.z + difference.z)});
  }
};

/// x = fixed + (x - fixed) * factor. The anchor goes with the atom.
template <class Format>
struct DilateOp {
  DeviceState<Format> state;
  double *anchor;  ///< [n][3]
  Vec3<double> fixed, factor;
  __device__ void operator()(std::size_t i) const {
    double *a = anchor + 3 * i;
    const auto place = state.at.load_place(i);
    Vec3<double> x = state.at.decode(place, {a[0], a[1], a[2]});
    x = {fixed.x + (x.x - fixed.x) * factor.x, fixed.y + (x.y - fixed.y) * factor.y,
         fixed.z + (x.z - fixed.z) * factor.z};
    a[0] = x.x;
    a[1] = x.y;
    a[2] = x.z;
    state.at.store_place(i, state.at.encode(x, place.element));
  }
};

template <class Format>
struct LangevinOp {
  DeviceState<Format> state;
  const int *type;             ///< [n]
  const std::int64_t *tag;     ///< [n]
  const LangevinTerms *terms;  ///< [n_types + 1]
  double root_temperature;
  std::int64_t step;
  std::uint32_t seed;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    const auto noise = langevin_noise<Velocity>(tag[i], step, seed);
    const auto force =
        langevin_force<Velocity>(terms[type[i]], state.mass_of(i), root_temperature, state.velocity(i), noise);
    const auto f = state.force_on(i);
    state.set_force(i, {double(f.x) + force.x, double(f.y) + force.y, double(f.z) + force.z});
  }
};

/// Positions [n][3] in fp64 for LAMMPS, which become the anchors.
template <class Format>
struct DecodeOp {
  DeviceState<Format> state;
  double *anchor;  ///< [n][3]
  __device__ void operator()(std::size_t i) const {
    double *a = anchor + 3 * i;
    const Vec3<double> x = state.at.decode(state.at.load_place(i), {a[0], a[1], a[2]});
    a[0] = x.x;
    a[1] = x.y;
    a[2] = x.z;
  }
};

/// Positions from the anchors; keeps the elements.
template <class Format>
struct EncodeOp {
  DeviceState<Format> state;
  const double *anchor;  ///< [n][3]
  int *bad;              ///< set to 1 + index of a position that is not a number or too far out
  __device__ void operator()(std::size_t i) const {
    const double *a = anchor + 3 * i;
    if (!storable(a, state.at.scale)) *bad = static_cast<int>(i) + 1;
    state.at.store_place(i, state.at.encode({a[0], a[1], a[2]}, state.at.position[i].element));
  }
};

/// Fields between the arrays of the steps and rows of three in fp64, atoms from `first` on.
template <class Format>
struct VelocityOp {
  DeviceState<Format> state;
  double *rows;
  std::size_t first;
  bool to_rows;
  __device__ void operator()(std::size_t i) const {
    using Velocity = typename DeviceState<Format>::Velocity;
    double *r = rows + 3 * i;
    if (to_rows) {
      const Vec3<Velocity> v = state.velocity(first + i);
      r[0] = v.x;
      r[1] = v.y;
      r[2] = v.z;
    } else {
      state.set_velocity(first + i,
                         {static_cast<Velocity>(r[0]), static_cast<Velocity>(r[1]), static_cast<Velocity>(r[2])});
    }
  }
};
template <class Format>
struct ForceOp {
  DeviceState<Format> state;
  double *rows;
  std::size_t first;
  bool to_rows;
  __device__ void operator()(std::size_t i) const {
    double *r = rows + 3 * i;
    if (to_rows)
      for (int axis = 0; axis < 3; ++axis) r[axis] = from_accumulator(state.force.component(first + i, axis));
    else
      state.set_force(first + i, {r[0], r[1], r[2]});
  }
};

/// Coarse references from exact ones.
template <class Format>
struct ReferenceOp {
  const typename PositionOf<Format>::type *exact;
  unsigned *coarse;
  CoarseReference format;
  __device__ void operator()(std::size_t i) const { coarse[i] = format.pack(exact[i]); }
};

/// Sets *moved if an atom is farther than `limit` from its reference.
template <class Format>
struct MovedOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position, *reference;
  PositionScale scale;
  double limit_squared;
  int *moved;
  __device__ void operator()(std::size_t i) const {
    const auto d = difference(reference[i], position[i], scale);
    const Vec3<double> e = {d.x, d.y, d.z};
    if (!(dot(e, e) <= limit_squared)) *moved = 1;
  }
};

/// Sets *moved if an atom is beyond its limit of the short list.
template <class Format>
struct LimitOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position, *reference;
  PositionScale scale;
  int *moved;
  __device__ void operator()(std::size_t i) const {
    if (moved_from(load(reference + i), position[i], scale) == Moved::TooFar) *moved = 1;
  }
};

/// Copies of atoms, displaced: to a buffer that travels, or to ghosts on this device.
template <class Format>
struct CopyOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position;
  const int *atom, *image;  ///< [copies]
  const Position *shift;
  Position *target;  ///< [copies]
  __device__ void operator()(std::size_t k) const { target[k] = displaced(position[atom[k]], shift[image[k]]); }
};

/// Forces on ghosts into a buffer of three numbers each; they are cleared.
template <class Format>
struct PackForceOp {
  ForceArray<Format> force;
  std::size_t first;
  typename Format::Sum *target;  ///< [ghosts][3]
  __device__ void operator()(std::size_t k) const {
    for (int axis = 0; axis < 3; ++axis) target[3 * k + axis] = force.component(first + k, axis);
    force.clear(first + k);
  }
};

/// Adds such numbers to the owners.
template <class Format>
struct AddForceOp {
  ForceArray<Format> force;
  const int *atom;                     ///< [copies]
  const typename Format::Sum *source;  ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    force.add(atom[k], {source[3 * k], source[3 * k + 1], source[3 * k + 2]});
  }
};

/// sum m v v (6), sum m v (3), sum m, per block.
struct KineticBlock {
  double v[10];
};

template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    kinetic_kernel(const DeviceState<Format> state, int bit, KineticBlock *blocks) {
  double sum[10] = {};
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       i < static_cast<std::size_t>(state.n); i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    if (bit && !(state.mask[i] & bit)) continue;
    const auto u = state.velocity(i);
    const double m = state.mass_of(i), x = u.x, y = u.y, z = u.z;
    const double terms[10] = {m * x * x, m * y * y, m * z * z, m * x * y, m * x * z, m * y * z, m * x, m * y, m * z, m};
    for (int k = 0; k < 10; ++k) sum[k] += terms[k];
  }
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  for (int k = 0; k < 10; ++k) {
    const double total = Reduce(space).Sum(sum[k]);
    if (threadIdx.x == 0) blocks[blockIdx.x].v[k] = total;
    __syncthreads();
  }
}

/// Velocities of atoms into a buffer of three numbers each; atoms outside the group rest there.
template <class Format>
struct PackVelocityOp {
  DeviceState<Format> state;
  int bit;          ///< 0: all atoms
  const int *atom;  ///< [copies]
  double *target;   ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    const bool in_group = bit == 0 || (state.mask[atom[k]] & bit);
    const auto v = state.velocity(atom[k]);
    target[3 * k] = in_group ? v.x : 0;
    target[3 * k + 1] = in_group ? v.y : 0;
    target[3 * k + 2] = in_group ? v.z : 0;
  }
};

/// Heat current of n atoms, owned and ghosts, per block.
template <class Format>
__global__ void __launch_bounds__(tuning::kinetic_block)
    heat_current_kernel(const DeviceState<Format> state, int n, int bit, double kinetic_factor, const double *energy,
                        const double *virial, const double *ghost_velocity, HeatCurrent *blocks) {
  HeatCurrent sum;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < static_cast<std::size_t>(n);
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    double e = energy[i], v[3];
    if (i < static_cast<std::size_t>(state.n)) {
      if (bit && !(state.mask[i] & bit)) continue;
      const auto u = state.velocity(i);
      v[0] = u.x;
      v[1] = u.y;
      v[2] = u.z;
      e += kinetic_factor * state.mass_of(i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    } else {
      for (int d = 0; d < 3; ++d) v[d] = ghost_velocity[3 * (i - state.n) + d];
    }
    add_heat_current(sum, v, e, virial + 9 * i);
  }
  using Reduce = cub::BlockReduce<double, tuning::kinetic_block>;
  __shared__ typename Reduce::TempStorage space;
  for (int k = 0; k < 6; ++k) {
    const double total = Reduce(space).Sum(k < 3 ? sum.total[k] : sum.convective[k - 3]);
    if (threadIdx.x == 0) (k < 3 ? blocks[blockIdx.x].total[k] : blocks[blockIdx.x].convective[k - 3]) = total;
    __syncthreads();
  }
}

}  // namespace cuda
}  // namespace triad
