// The kernel that integrates. Between two force computations it ends one step and starts the next: it gathers the
// forces (or clears accumulators that were read), makes the second half kick, the first half kick of the next step and
// the drift, and checks displacements.
#pragma once

#include <cub/block/block_reduce.cuh>

#include "engine/cuda/state/exchange_of_atom.cuh"
#include "engine/cuda/step/step_job.cuh"

namespace triad {
namespace cuda {

/// Integrates one atom: end_step() makes the second half kick, start_step() the first half kick and the drift. The
/// velocity stays in registers until store_velocity(); positions and forces are read and written in each step.
template <class Format>
class MovingAtom {
  using State = DeviceState<Format>;
  using Velocity = typename State::Velocity;
  using Force = Vec3<Velocity>;

 public:
  /// `factors` as in StepJob.
  __device__ __forceinline__ MovingAtom(const StepJob<Format> &job, std::size_t i, const double *factors)
      : job_(job), factors_(factors), i_(i), v_(job.state.velocity(i)) {}

  __device__ __forceinline__ const Vec3<Velocity> &velocity() const { return v_; }

  /// Loads what start_step() needs.
  __device__ __forceinline__ void load_coord() {
    coord_ = job_.state.at.load_coord(i_);
    list_reference_ = job_.list_reference[i_];
    reference_ = load(job_.reference + i_);
  }

  /// f plus the forces of the first `count` Langevin thermostats in the last of the `completed` steps, on the atom with
  /// the velocity v.
  __device__ __forceinline__ Force with_noise(Force f, const Vec3<Velocity> &v, int completed, int count) const {
    for (int k = 0; k < count; ++k) f = with_noise_of(k, f, v, completed);
    return f;
  }
  /// The forces before and with the thermostat that acts on an atom, if it is only one.
  struct OneNoise {
    int which = -1;  ///< number of the thermostat; -1: none, -2: several
    Force before = {}, with = {};
  };
  /// with_noise() of all thermostats, and what power_of_noise() needs of them.
  __device__ __forceinline__ Force with_noise(Force f, const Vec3<Velocity> &v, int completed, OneNoise &one) const {
    for (int k = 0; k < job_.n_langevin; ++k) {
      if (!is_in(job_.langevin[k].bit)) continue;
      one.which = one.which == -1 ? k : -2;
      one.before = f;
      one.with = f = with_noise_of(k, f, v, completed);
    }
    return f;
  }
  /// Power, with the present velocity, of the force of thermostat number `which`. `f`, `v`: force without noise and
  /// velocity before end_step().
  __device__ __forceinline__ double power_of_noise(int which, const OneNoise &one, const Force &f,
                                                   const Vec3<Velocity> &v, int completed) const {
    if (one.which == which) return power(one.before, one.with);
    if (one.which != -2) return 0;
    const Force before = with_noise(f, v, completed, which);
    return power(before, with_noise_of(which, before, v, completed));
  }
  __device__ __forceinline__ void end_step(const Force &f) {
    for (int g = 0; g < job_.n_groups; ++g)
      if (is_in(job_.group[g].bit)) kick(g, f);
    scale(0);
  }
  /// Makes an exchange of heat between end_step() and start_step(). `m`: mass of the atom.
  __device__ __forceinline__ void exchange(const HeatExchange &exchange, double m, const Force &f) {
    move_by(exchange, job_.state.at, m, v_, f, coord_);
    v_ = velocity_after(exchange, v_);
  }
  /// Returns the displacement, in units of Coordinates::step. `completed`: steps that the guard has counted.
  __device__ __forceinline__ Vec3<float> start_step(const Force &f, int completed) {
    float moved = 0;
    Vec3<float> sum = {0, 0, 0};
    if (job_.at_end.v) {
      job_.at_end.at.store_coord(i_, coord_);
      job_.at_end.set_velocity(i_, v_);
    }
    scale(1);
    for (int g = 0; g < job_.n_groups; ++g)
      if (is_in(job_.group[g].bit)) {
        kick(g, f);
        const Vec3<Velocity> by = job_.group[g].step * v_;
        Coordinates<Format>::move(coord_, by);
        sum = sum + as_float(by);
        moved += fabsf(static_cast<float>(by.x)) + fabsf(static_cast<float>(by.y)) + fabsf(static_cast<float>(by.z));
      }
    const auto position = Coordinates<Format>::position_of(coord_);
    const int reasons = job_.reasons_to_stop(i_, moved, position, reference_, list_reference_, completed);
    if (reasons) atomicOr(job_.stop, reasons);
    job_.state.at.store_coord(i_, coord_);
    if (job_.clears_forces) job_.state.force.clear(i_);
    return sum;
  }
  /// Writes the expected position, if StepJob::path asks for it. To be called after start_step(), which has returned
  /// `by`, with the force on the atom, and without the noise of thermostats where the caller knows that force. The
  /// curvature of the path is computed with the time step of the first group, which all groups usually share.
  __device__ __forceinline__ void expect(const Force &f, const Vec3<float> &by) const {
    if (!job_.path.position) return;
    const bool moves = by.x != 0 || by.y != 0 || by.z != 0;
    const float bend = moves ? static_cast<float>(job_.group[0].step * kick_per_force(0)) : 0.0f;
    job_.expect(i_, load(job_.state.at.position + i_), by, bend * as_float(f));
  }
  /// The same with the displacement from the velocity after start_step(), so that it needs no registers in the
  /// meantime: an approximation for atoms of several groups, whose velocity differed in the earlier ones. Kernels with
  /// a thermostat have enough registers, and are faster with the other function.
  __device__ __forceinline__ void expect(const Force &f) const {
    if (!job_.path.position) return;
    Vec3<float> by = {0, 0, 0};
#pragma unroll 1
    for (int g = 0; g < job_.n_groups; ++g)
      if (is_in(job_.group[g].bit)) by = by + as_float(job_.group[g].step * v_);
    expect(f, by);
  }
  __device__ __forceinline__ void store_velocity() const { job_.state.set_velocity(i_, v_); }

 private:
  __device__ __forceinline__ double power(const Force &before, const Force &with) const {
    return (double(with.x) - before.x) * v_.x + (double(with.y) - before.y) * v_.y + (double(with.z) - before.z) * v_.z;
  }
  __device__ __forceinline__ Force with_noise_of(int k, const Force &f, const Vec3<Velocity> &v, int completed) const {
    const DeviceLangevin &langevin = job_.langevin[k];
    if (!is_in(langevin.bit)) return f;
    const std::int64_t step = langevin.first_step + completed - 1;
    return langevin.add(job_.state, i_, v, f, step, std::sqrt(langevin.target.at(step)));
  }
  __device__ __forceinline__ bool is_in(int bit) const { return bit == 0 || (job_.state.mask[i_] & bit); }
  /// Scales the velocity at the end (`which` 0) or at the start (1) of a step.
  __device__ __forceinline__ void scale(int which) {
    for (int k = 0; k < job_.n_thermostats; ++k)
      if (is_in(job_.group[k].bit)) v_ = scaled(v_, factors_[2 * k + which]);
  }
  __device__ __forceinline__ void kick(int g, const Force &f) { v_ = math::multiply_add(kick_per_force(g), f, v_); }
  __device__ __forceinline__ Velocity kick_per_force(int g) const {
    return job_.state.kick(i_, job_.group[g].half_kick, job_.group[g].uniform_kick);
  }

  const StepJob<Format> &job_;
  const double *factors_;
  std::size_t i_;
  Vec3<Velocity> v_;
  typename Coordinates<Format>::Coord coord_ = {};
  typename StepJob<Format>::Position reference_ = {};
  unsigned list_reference_ = 0;
};

/// The atoms that a step kernel moves, and whether it adds the forces of Langevin thermostats. Where these thermostats,
/// or actions at the end of steps, concern a part of the atoms, that part is StepJob::listed and has a kernel of its
/// own.
enum class MovedAtoms {
  All,                    ///< without Langevin thermostats
  Unlisted,               ///< those that are not in StepJob::listed
  Listed,                 ///< those of StepJob::listed, without Langevin thermostats
  ListedWithNoise,        ///< those of StepJob::listed, on which Langevin thermostats act
  ListedWithTalliedNoise  ///< the same, with sums of the work of the thermostats
};

/// Adds the power of each tallied thermostat on the atoms of a block, in a fixed order. `f`, `v`: as of
/// MovingAtom::power_of_noise(). All threads of the block call this.
template <class Format, class Force, class Velocity>
__device__ __forceinline__ void tally_noise(const StepJob<Format> &job, const MovingAtom<Format> &atom, bool mine,
                                            const typename MovingAtom<Format>::OneNoise &one, const Force &f,
                                            const Velocity &v, int completed) {
  using Reduce = cub::BlockReduce<double, tuning::step_block>;
  __shared__ typename Reduce::TempStorage space;
  for (int k = 0; k < job.n_langevin; ++k) {
    if (!job.langevin[k].work) continue;
    const double power = Reduce(space).Sum(mine ? atom.power_of_noise(k, one, f, v, completed) : 0.0);
    __syncthreads();
    if (threadIdx.x != 0) continue;
    LangevinWork &work = job.langevin[k].work[blockIdx.x];
    work.sum += power;
    work.last = power;
  }
}

/// Ends a step (`Ends`) and starts the next (`Starts`) for atom number k of all atoms, or of StepJob::listed.
/// `Gathers`: gathers the force, and writes it to the force array only if no step is started. Thermostats usually act
/// on a small part of the atoms: with a kernel of their own, the others need no registers for random numbers. All
/// threads of a block call this. `counts_time`: true for one thread of a step.
template <class Format, bool Ends, bool Starts, MovedAtoms Moved, bool Gathers>
__device__ __forceinline__ void move_atom(const StepJob<Format> &job, std::size_t k, bool counts_time) {
  constexpr bool noisy = Moved == MovedAtoms::ListedWithNoise || Moved == MovedAtoms::ListedWithTalliedNoise;
  constexpr bool listed = noisy || Moved == MovedAtoms::Listed;
  const DeviceState<Format> &state = job.state;
  bool mine = k < static_cast<std::size_t>(listed ? job.listed.count : state.n);
  const std::size_t i = mine ? listed ? job.listed[static_cast<int>(k)] : k : 0;
  if constexpr (Moved == MovedAtoms::Unlisted) mine = mine && !(job.listed_mask[i] & job.listed_bits);

  // loads before the wait read only what the force kernel, which may still run, does not write
  MovingAtom<Format> atom(job, i, job.factors);
  if constexpr (Starts) atom.load_coord();
  typename GatherJob<Format>::Slots slots;
  if constexpr (Gathers) slots = job.gather.slots(i);
  wait_for_previous_kernel();
  const int stopped = job.guard->stopped, completed = job.guard->completed;
  Vec3<typename Format::Sum> sum;
  if constexpr (Gathers)
    sum = job.gather.force(i, slots);
  else
    sum = state.force.value(i);
  if (stopped) return;
  if (counts_time) job.guard->enter(phase_moving);
  if (Moved != MovedAtoms::ListedWithTalliedNoise && !mine) return;
  auto f = DeviceState<Format>::converted(sum);
  const auto without_noise = f;
  const auto before = atom.velocity();
  typename MovingAtom<Format>::OneNoise one;
  if (mine) {
    if constexpr (Gathers && !Starts) state.force.set(i, sum);
    if constexpr (Gathers && Starts)
      if (slots.boundary) state.force.clear(i);
    if constexpr (Moved == MovedAtoms::ListedWithTalliedNoise) f = atom.with_noise(f, before, completed, one);
    if constexpr (Moved == MovedAtoms::ListedWithNoise) f = atom.with_noise(f, before, completed, job.n_langevin);
    if constexpr (noisy && !Starts) state.set_force(i, {f.x, f.y, f.z});
  }
  if constexpr (Ends) atom.end_step(f);
  if constexpr (Moved == MovedAtoms::ListedWithTalliedNoise)
    tally_noise(job, atom, mine, one, without_noise, before, completed);
  if (!mine) return;
  if constexpr (Starts) atom.start_step(f, completed);
  atom.store_velocity();
  if constexpr (Starts) atom.expect(without_noise);
}

/// Number of an atom for a thread of one of `blocks` blocks: in reverse order, since the second-level cache holds what
/// the force kernel has touched last.
__device__ __forceinline__ std::size_t last_first(unsigned block, unsigned blocks) {
  return (blocks - 1 - block) * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

/// move_atom(), one thread per atom.
template <class Format, bool Ends, bool Starts, MovedAtoms Moved, bool Gathers>
__global__ void __launch_bounds__(tuning::step_block) step_kernel(const StepJob<Format> job) {
  constexpr bool all = Moved == MovedAtoms::All || Moved == MovedAtoms::Unlisted;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  move_atom<Format, Ends, Starts, Moved, Gathers>(job, last_first(blockIdx.x, gridDim.x),
                                                  first && (all || !job.listed_bits));
}

}  // namespace cuda
}  // namespace triad
