// Kernels of a barostat: kinetic_step_kernel() or a combined kernel sums kinetic energies and virials,
// barostat_kernel() advances thermostat, barostat and box, and changing_box_step_kernel() moves the atoms. With few
// atoms, barostat_step_kernel() does all of that.
#pragma once

#include <cub/util_type.cuh>

#include "core/cuda/block_sums.cuh"
#include "core/cuda/copy_words.cuh"
#include "core/cuda/formats.cuh"
#include "engine/cuda/step/box_images.cuh"
#include "engine/cuda/step/changing_box_kernel.cuh"
#include "engine/cuda/step/device_thermostat.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"

namespace triad {
namespace cuda {

/// The threads of a warp as a team, see OneThread.
struct TeamOfWarp {
  template <class One>
  __device__ __forceinline__ void one(const One &call) const {
    if (threadIdx.x % 32 == 0) call();
    __syncwarp();
  }
  template <class Axis>
  __device__ __forceinline__ void axes(const Axis &call) const {
    if (threadIdx.x % 32 < 3) call(static_cast<int>(threadIdx.x % 32));
    __syncwarp();
  }
};

/// The threads of a block of at least three warps as a team. Threads without work wait.
struct TeamOfBlock {
  template <class One>
  __device__ __forceinline__ void one(const One &call) const {
    if (threadIdx.x == 0) call();
    __syncthreads();
  }
  template <class Axis>
  __device__ __forceinline__ void axes(const Axis &call) const {
    if (threadIdx.x < 3) call(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <class ByTeam, class Second, class Third>
  __device__ __forceinline__ void at_once(const ByTeam &by_team, const Second &second, const Third &third) const {
    static_assert(tuning::box_block >= 3 * 32 && tuning::kinetic_block >= 3 * 32, "three warps");
    if (threadIdx.x < 32) by_team(TeamOfWarp());
    if (threadIdx.x == 32) second();
    if (threadIdx.x == 64) third();
    __syncthreads();
  }
};

// Not inlined, so that all kernels round in the same way. All threads of a block call them.
static __device__ __noinline__ void start_barostat_step(ThermostatBatch *held) {
  held->barostat.start_step(TeamOfBlock(), held->thermostat);
}
static __device__ __noinline__ void end_barostat_step(ThermostatBatch *held, bool follows) {
  held->barostat.end_step(TeamOfBlock(), held->thermostat, held->measured, follows);
}

/// The sums that determine the pressure.
struct PressureSums {
  KineticSums kinetic;
  PartialSums<3> virial;
};

/// The first `Sums` kinetic sums and the virials over all blocks. All `Threads` threads of a block call this.
template <int Sums, int Threads>
__device__ __forceinline__ PressureSums pressure_sums(const SumsOfBlocks &kinetic, const VirialOfBlocks &virial) {
  const auto of_lane = [&](int k) {
    const bool is_kinetic = k < Sums;
    const SumsOfBlocks &sums = is_kinetic ? kinetic : virial.of_groups;
    const double of_all = sum_of_lane(sums.of_all(is_kinetic ? k : k - Sums), sums.blocks);
    return is_kinetic ? of_all : of_all + virial.terms_of_lane(k - Sums);
  };
  const PartialSums<Sums + 3> all = sums_by_warps<Sums + 3, Threads>(of_lane);
  PressureSums sums;
  TRIAD_UNROLL
  for (int k = 0; k < Sums; ++k) sums.kinetic[k] = all.v[k];
  TRIAD_UNROLL
  for (int d = 0; d < 3; ++d) sums.virial.v[d] = all.v[Sums + d];
  return sums;
}

/// The thermostat and the barostat of a batch, and what they need in a step.
template <class Position>
struct BarostatJob {
  ThermostatBatch *held = nullptr;  ///< in device memory
  SumsOfBlocks kinetic;             ///< of the blocks, or of groups of blocks
  VirialOfBlocks virial;
  BoxImages<Position> images;
  DeviceBoxPath path;
  Box *boxes = nullptr;  ///< [steps] receives the box of each step, or null
};

/// A copy of thermostat and barostat in shared memory. All threads of a block of `Threads` threads call the functions.
/// `notes`: the block also notes the boxes of lists and of steps, and sets the images; one block of a grid does.
template <class Position, int Threads>
class BarostatOfBlock {
 public:
  using Memory = cub::Uninitialized<ThermostatBatch>;

  __device__ __forceinline__ BarostatOfBlock(Memory &memory, const BarostatJob<Position> &job, bool notes)
      : job_(job), own_(memory.Alias()), notes_(notes) {}

  __device__ __forceinline__ const BoxMotion *motion() const { return &own_.barostat.motion; }
  /// Loads the state, and begins what depends on nothing else. May precede wait_for_previous_kernel(), since the kernel
  /// before has waited for the kernel that stored the state.
  __device__ __forceinline__ void begin() {
    if (notes_) noted_ = job_.images.of_thread();
    copy_words<Threads>(&own_, job_.held);
    __syncthreads();
    if (threadIdx.x == 0) own_.thermostat.begin_half_step(own_.thermostat.step);
    if (threadIdx.x == 32) own_.barostat.begin_last_half_step();
  }
  /// Ends a step, and begins the next one if `follows`. `completed`, `neighbor_step`, `pruned_step`: of the guard.
  __device__ __forceinline__ void advance(const PressureSums &sums, int completed, int neighbor_step, int pruned_step,
                                          bool follows, StepGuard *guard) {
    if (notes_) job_.images.note_lists(noted_, neighbor_step, pruned_step, own_.barostat.box);
    if (notes_ && job_.boxes) copy_words<Threads>(job_.boxes + completed - 1, &own_.barostat.box);
    if (threadIdx.x == 0) {
      own_.measured = sums.kinetic;
      for (int d = 0; d < 3; ++d) own_.barostat.virial[d] = sums.virial.v[d];
    }
    end_barostat_step(&own_, follows);
    if (follows) start_step(completed, guard);
    __syncthreads();
  }
  /// Begins the first step of a batch.
  __device__ __forceinline__ void start_batch(StepGuard *guard) {
    noted_ = job_.images.of_thread();
    copy_words<Threads>(&own_, job_.held);
    __syncthreads();
    own_.barostat.start_chains(TeamOfBlock(), own_.thermostat);
    start_step(0, guard);
    __syncthreads();
  }
  __device__ __forceinline__ void store() const { copy_words<Threads>(job_.held, &own_); }

 private:
  /// Makes the part of step k + 1 before the first half kick, behind the chains. If the path has this step, the box is
  /// first set to that of the path along its axes.
  __device__ __forceinline__ void start_step(int k, StepGuard *guard) {
    if (threadIdx.x == 0 && k < job_.path.n_steps)
      set_axes_of_path(job_.path.deforms, job_.path.step[k].box, own_.barostat.box);
    start_barostat_step(&own_);
    if (notes_) job_.images.follow(noted_, own_.barostat.box, guard->stop);
  }

  const BarostatJob<Position> &job_;
  ThermostatBatch &own_;
  bool notes_;
  typename BoxImages<Position>::OfThread noted_;
};

/// Starts the first step of a batch. One block.
template <class Position>
__global__ void __launch_bounds__(tuning::box_block)
    start_barostat_kernel(StepGuard *guard, const BarostatJob<Position> job) {
  using Barostat = BarostatOfBlock<Position, tuning::box_block>;
  __shared__ typename Barostat::Memory memory;
  Barostat barostat(memory, job, true);
  barostat.start_batch(guard);
  barostat.store();
}

/// Follows kinetic_step_kernel(), or a combined kernel with MeasureAtoms. Adds `Sums` kinetic sums and the virials,
/// also over the ranks of `peers` if there are any, and advances thermostat, barostat and box. One block. `follows`:
/// another step follows.
template <class Position, int Sums>
__global__ void __launch_bounds__(tuning::box_block)
    barostat_kernel(StepGuard *guard, const BarostatJob<Position> job, const Peers peers, bool follows) {
  using Barostat = BarostatOfBlock<Position, tuning::box_block>;
  __shared__ typename Barostat::Memory memory;
  Barostat barostat(memory, job, true);
  barostat.begin();
  wait_for_previous_kernel();
  // The guard and the sums are loaded at the same time. After a stop, the sums are not used.
  const int stopped = guard->stopped, completed = guard->completed;
  const int neighbor_step = guard->neighbor_step, pruned_step = guard->list_step;
  PressureSums sums = pressure_sums<Sums, tuning::box_block>(job.kinetic, job.virial);
  if (stopped) return;
  if (peers.ranks) sums = peers.sum(sums);
  barostat.advance(sums, completed, neighbor_step, pruned_step, follows, guard);
  barostat.store();
}

/// Does the work of kinetic_step_kernel(), barostat_kernel() and changing_box_step_kernel() in a step that another one
/// follows: each block writes the kinetic energy of its atoms and the virials of some blocks of the forces, waits for
/// the others, and advances a copy of the barostat. All blocks must be resident. `Gathers`: the kernel gathers the
/// forces. `arrived`: see wait_for_grid().
template <class Format, bool Gathers>
__global__ void __launch_bounds__(tuning::kinetic_block)
    barostat_step_kernel(const StepJob<Format> job, const BarostatJob<typename PositionOf<Format>::type> all,
                         unsigned *arrived) {
  using Barostat = BarostatOfBlock<typename PositionOf<Format>::type, tuning::kinetic_block>;
  constexpr int diagonal = KineticSums::n_diagonal;
  const DeviceState<Format> &state = job.state;
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(tuning::kinetic_block) + threadIdx.x;
  const bool mine = k < static_cast<std::size_t>(state.n);
  const std::size_t i = mine ? k : 0;
  __shared__ typename Barostat::Memory memory;
  Barostat barostat(memory, all, blockIdx.x == 0);
  // loads before the wait read only what the force kernel, which may still run, does not write
  AtomInBox<Format, true> atom(job, barostat.motion(), i);
  atom.load_position();
  typename GatherJob<Format>::Slots slots;
  if constexpr (Gathers) slots = job.gather.slots(i);
  barostat.begin();
  wait_for_previous_kernel();
  const StepGuard &guard = *job.guard;
  if (guard.stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  const int completed = guard.completed, neighbor_step = guard.neighbor_step, pruned_step = guard.list_step;
  Vec3<typename Format::Sum> force;
  if constexpr (Gathers)
    force = job.gather.force(i, slots);
  else
    force = state.force.value(i);
  KineticSums kinetic;
  if (mine) add_kicked(kinetic, job, i, atom.velocity(), state.converted(force), all.held->measured_bit);
  all.kinetic.write(blockIdx.x, first_of<diagonal>(kinetic));
  all.virial.write(blockIdx.x);
  wait_for_grid(arrived);
  const PressureSums sums = pressure_sums<diagonal, tuning::kinetic_block>(all.kinetic, all.virial);
  barostat.advance(sums, completed, neighbor_step, pruned_step, true, job.guard);
  if (blockIdx.x == 0) barostat.store();  // all blocks have loaded it before they met
  if (!mine) return;
  const auto kick = atom.kick(force);
  atom.end_step(kick);
  atom.start_step(kick, completed);
  if (job.clears_forces) state.force.clear(i);
  atom.store_velocity();
}

}  // namespace cuda
}  // namespace triad
