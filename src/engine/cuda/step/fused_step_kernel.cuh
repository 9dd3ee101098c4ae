// A whole step in one kernel, for fp32, one element and one mass.
//
// A thread moves its own atom and computes the forces of its centre. These need the new positions of the neighbours,
// which other threads have not written yet, so the thread moves the neighbours too, in registers and with the same
// result. To read little of a neighbour, the arrays hold between steps where an atom would go without its force:
//
//   ahead(n + 1) = x(n) + dt v(n - 1/2),    x(n + 1) = ahead(n + 1) + dt^2 / m f(n),
//
// so a neighbour is one position and one force of 16 bytes each. (Both in one record of 32 bytes took 92 us instead of
// 71, H200, 1 M atoms: then fewer forces share a cache line in the reductions.) Forces are read from one array, summed
// in a second and cleared in a third; the three arrays rotate from step to step. Two arrays of positions alternate.
#pragma once

#include <cooperative_groups.h>

#include "engine/cuda/step/step_job.cuh"
#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

namespace cg = cooperative_groups;

template <class Format>
struct FusedStepJob {
  using Position = typename PositionOf<Format>::type;
  StepJob<Format> step;  ///< one group of all atoms, which have one mass
  PrunedListView list;
  ImageNames<Position> images;
  Position *ahead[2];            ///< [n] each; read in steps of odd and of even turn
  ForceArray<Format> force[3];   ///< [n] each
  typename Format::Real beyond;  ///< see ForceJob
  int step_number;               ///< number of the first step in the guard's count, from 1
  int turn;                      ///< number of that step since BeginFusedSteps, from 1; selects the arrays
  bool new_list;                 ///< the kernel before wrote the list
};

/// Loads of data that other threads have written, in an earlier kernel or (`Shared`) in this one.
template <bool Shared>
struct Reads {
  static __device__ __forceinline__ WrappedPosition position(const WrappedPosition *p) {
    if constexpr (!Shared) return load(p);
    const int4 v = __ldcg(reinterpret_cast<const int4 *>(p));
    return {v.x, v.y, v.z, v.w};
  }
  static __device__ __forceinline__ Vec3<float> force(const ForceArray<SingleFormat> &array, std::size_t i) {
    if constexpr (!Shared) return array.value(i);
    const float4 f = __ldcg(reinterpret_cast<const float4 *>(array.base) + i);
    return {f.x, f.y, f.z};
  }
  static __device__ __forceinline__ int word(const int *p) {
    if constexpr (!Shared) return *p;
    return __ldcg(p);
  }
};

/// One atom, with the data that do not change while the pruned list is in use.
template <class Format>
class FusedStepAtom {
  using Position = typename PositionOf<Format>::type;
  using Velocity = typename DeviceState<Format>::Velocity;
  static constexpr int N = 4;

 public:
  __device__ __forceinline__ FusedStepAtom(const FusedStepJob<Format> &job, std::size_t i) : job_(job), i_(i) {
    const std::size_t n = job.step.state.n;
    if (i >= n) return;
    TRIAD_UNROLL
    for (int k = 0; k < N; ++k) entry_[k] = job.list.neighbour[k * n + i];
    reference_ = load(job.step.reference + i);
    list_reference_ = job.step.list_reference[i];
  }

  /// Makes a step and returns true, or returns false if the step before has stopped the steps. Thread n, which has no
  /// atom, updates the guard.
  template <bool Shared, class Model>
  __device__ __forceinline__ bool make_step(const Model &model, int turn, int step_number) const {
    using Real = typename Format::Real;
    using Read = Reads<Shared>;
    const StepJob<Format> &step = job_.step;
    const DeviceState<Format> &state = step.state;
    StepGuard &guard = *step.guard;
    const Position *const ahead = job_.ahead[(turn - 1) % 2];
    const ForceArray<Format> &used = job_.force[(turn - 1) % 3], &sum = job_.force[turn % 3];
    const bool mine = i_ < static_cast<std::size_t>(state.n);

    // all loads are issued before the first use
    const int stopped = Read::word(&guard.raised[(turn - 1) % 2]);
    Position at[N + 1];
    Vec3<Velocity> f[N + 1], v;
    if (mine) {
      v = state.velocity(i_);
      at[N] = Read::position(ahead + i_);
      f[N] = Read::force(used, i_);
      TRIAD_UNROLL
      for (int k = 0; k < N; ++k) {
        const int j = job_.images.index(entry_[k]);
        at[k] = Read::position(ahead + j);
        f[k] = Read::force(used, j);
      }
    }
    if (!mine && i_ == static_cast<std::size_t>(state.n) && (!Shared || stopped))
      guard.start_fused_step(step_number, stopped);
    if (stopped) return false;
    if (!mine) return true;

    const Velocity kick = 2 * step.group[0].uniform_kick, drift = step.group[0].step, push = drift * kick;
    const auto with_force = [&](int k) {
      Position p = at[k];
      Coordinates<Format>::move(p, push * f[k]);
      return p;
    };
    const Position pi = with_force(N);
    v = v + kick * f[N];
    move_on(turn, step_number, pi, v, drift);
    Bond<Real> bond[N];
    Vec3<Real> gradient[N];
    int element[N];
    TRIAD_UNROLL
    for (int k = 0; k < N; ++k) {
      const Position pj = job_.images.displaced_as(entry_[k], with_force(k));
      element[k] = static_cast<int>(pj.element);
      bond[k] = bond_between<Format>(pi, pj, state.at.scale, model.shift);
      if (is_padding(k)) bond[k] = no_bond(job_.beyond);
    }
    tersoff_unrolled<N>(model, static_cast<int>(pi.element), element, bond, gradient);
    Vec3<Real> own = {0, 0, 0};
    TRIAD_UNROLL
    for (int k = 0; k < N; ++k) {
      const Vec3<Real> &g = gradient[k];
      if (!is_padding(k)) sum.add(job_.images.index(entry_[k]), {-g.x, -g.y, -g.z});
      own = own + g;
    }
    sum.add(static_cast<int>(i_), own);
    return true;
  }

 private:
  __device__ __forceinline__ bool is_padding(int k) const { return entry_[k] == static_cast<int>(i_); }

  /// Writes what the next step needs, and checks displacements.
  __device__ __forceinline__ void move_on(int turn, int step_number, const Position &position, const Vec3<Velocity> &v,
                                          Velocity drift) const {
    const StepJob<Format> &step = job_.step;
    const Vec3<Velocity> by = drift * v;
    step.state.set_velocity(i_, v);
    Position ahead = position;
    Coordinates<Format>::move(ahead, by);
    job_.ahead[turn % 2][i_] = ahead;
    job_.force[(turn + 1) % 3].clear(i_);
    const float moved =
        fabsf(static_cast<float>(by.x)) + fabsf(static_cast<float>(by.y)) + fabsf(static_cast<float>(by.z));
    const int reasons = step.reasons_to_stop(i_, moved, position, reference_, list_reference_, step_number - 1);
    if (reasons) atomicOr(&step.guard->raised[turn % 2], reasons);
  }

  const FusedStepJob<Format> &job_;
  std::size_t i_;
  int entry_[N] = {};
  Position reference_ = {};
  unsigned list_reference_ = 0;
};

/// One step, by a thread per atom and one more.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block, Model::lambda3 ? 1 : tuning::fused_step_blocks_per_sm)
    fused_step_kernel(const Model model, const FusedStepJob<Format> job) {
  if (job.new_list) wait_for_previous_kernel();
  // the direction alternates, since the L2 cache holds what the step before has touched last
  const unsigned block = job.turn % 2 ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  const FusedStepAtom<Format> atom(job, block * static_cast<std::size_t>(tuning::four_block) + threadIdx.x);
  if (!job.new_list) wait_for_previous_kernel();
  atom.template make_step<false>(model, job.turn, job.step_number);
}

/// Makes `n_steps` steps as a cooperative kernel, for so few atoms that all blocks are resident at once.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block, Model::lambda3 ? 1 : tuning::fused_steps_blocks_per_sm)
    fused_steps_kernel(const Model model, const FusedStepJob<Format> job, int n_steps) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  const bool keeps_guard = i == static_cast<std::size_t>(job.step.state.n);
  StepGuard &guard = *job.step.guard;
  const FusedStepAtom<Format> atom(job, i);
  const auto grid = cg::this_grid();
  if (keeps_guard) guard.enter(phase_forces);
  for (int s = 0; s < n_steps; ++s) {
    if (!atom.template make_step<true>(model, job.turn + s, job.step_number + s)) return;
    grid.sync();
  }
  if (keeps_guard)
    guard.end_fused_steps(job.step_number + n_steps - 1, __ldcg(&guard.raised[(job.turn + n_steps - 1) % 2]));
}

/// Converts the state of the atoms in place to the form that the first fused step expects. `back`: dt / 2m if the
/// velocities belong to the time of the positions, 0 if they are half a step behind.
template <class Format>
struct BeginFusedSteps {
  DeviceState<Format> state;
  typename DeviceState<Format>::Velocity back, drift;
  ForceArray<Format> sum;  ///< accumulators of the first step, which are cleared
  StepGuard *guard;
  __device__ void operator()(std::size_t i) const {
    if (i == 0) guard->enter(phase_moving);
    const auto v = state.velocity(i) + (-back) * state.force_on(i);
    state.set_velocity(i, v);
    auto coord = state.at.load_coord(i);
    Coordinates<Format>::move(coord, drift * v);
    state.at.store_coord(i, coord);
    sum.clear(i);
  }
};

/// Converts back to positions, velocities of half a step before, and forces in the array of the state. Does nothing if
/// the last step was not made. `recover`: converts after a stop, and clears the forces.
template <class Format>
struct EndFusedSteps {
  DeviceState<Format> state;
  typename DeviceState<Format>::Velocity drift;
  const typename PositionOf<Format>::type *ahead;
  ForceArray<Format> sum;
  int step_number, turn;
  bool recover;
  StepGuard *guard;
  __device__ void operator()(std::size_t i) const {
    const int stopped = recover ? 0 : guard->raised[turn % 2];
    if (i == 0 && !recover) {
      guard->enter(phase_moving);
      guard->end_fused_steps(step_number, stopped);
    }
    if (stopped) return;
    auto coord = load(ahead + i);
    Coordinates<Format>::move(coord, -drift * state.velocity(i));
    state.at.store_coord(i, coord);
    if (recover)
      state.force.clear(i);
    else if (sum.base != state.force.base)
      state.force.set(i, sum.value(i));
  }
};

}  // namespace cuda
}  // namespace triad
