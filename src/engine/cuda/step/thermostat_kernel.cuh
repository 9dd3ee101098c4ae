// Thermostat on the device: in kernels of its own between the forces of a step and the second half kick, or in the
// kernel that moves the atoms.
#pragma once

#include "core/cuda/block_progress.cuh"
#include "engine/cuda/step/device_thermostat.cuh"
#include "engine/cuda/step/driven_step_kernels.cuh"
#include "engine/cuda/step/step_kernel.cuh"
#include "engine/exchange/cuda/peer_kernels.cuh"

namespace triad {
namespace cuda {

static __global__ void start_thermostat_kernel(ThermostatBatch *thermostat, double *factors, std::int64_t step) {
  factors[1] = thermostat->thermostat.start_step(step);
}

/// Gathers forces if needed, and sums `Sums` components of m v v with the velocities after the second half kick over
/// the atoms of each block, one per thread. Also sums the virials of the blocks of the force kernels, if `virial` has
/// groups. `measured`: bit of the group of thermostat number `number`; 0 for all atoms. `Driven`: StepJob::driving is
/// not null.
template <class Format, int Sums, bool Driven>
__global__ void __launch_bounds__(tuning::kinetic_block)
    kinetic_step_kernel(const StepJob<Format> job, int measured, int number, const SumsOfGroups kinetic,
                        const VirialOfBlocks virial) {
  const DeviceState<Format> &state = job.state;
  const bool gathers = Driven || job.gather.reverse;
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(tuning::kinetic_block) + threadIdx.x;
  const bool has_atom = i < static_cast<std::size_t>(state.n);
  // reverse entries are loaded before the wait: the force kernel does not write them
  typename GatherJob<Format>::Slots slots = {};
  if (gathers && has_atom) slots = job.gather.slots(i);
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  KineticSums mine;
  if (has_atom) {
    const auto u = state.velocity(i);
    Vec3<typename Format::Sum> f;
    if constexpr (Driven)
      f = driven_force(state, job.gather, mean_acceleration(*job.driving), i, slots);
    else
      f = gathers ? job.gather.force(i, slots) : state.force.value(i);
    if (gathers) state.force.set(i, f);
    add_kicked(mine, job, i, u, state.converted(f), measured, number);
  }
  kinetic.write(blockIdx.x, first_of<Sums>(mine));
  virial.write(blockIdx.x);
}

/// Who advances the thermostat: thermostat_kernel(), or the host, which receives the sum of this rank.
enum class Advances { Device, Host };

/// Follows kinetic_step_kernel(), or a combined kernel with MeasureAtoms. Adds the sums of the groups of blocks, also
/// over the ranks of `peers` if there are any. Then advances the thermostat and writes its `factors`, see
/// StepJob. One block.
template <int Sums>
__global__ void __launch_bounds__(tuning::kinetic_block)
    thermostat_kernel(StepGuard *guard, ThermostatBatch *thermostat, double *factors, const SumsOfBlocks kinetic,
                      const Peers peers, bool follows, Advances advances) {
  __shared__ ThermostatOfBlock::Memory memory;
  const ThermostatOfBlock held(memory, thermostat);
  // The thermostat is complete: the kernel before this one has waited for the kernel that moved the atoms, which has
  // waited for thermostat_kernel() of the step before.
  if (advances == Advances::Device) held.begin();
  wait_for_previous_kernel();
  if (guard->stopped) return;
  if (threadIdx.x == 0) guard->enter(phase_moving);
  KineticSums sum = kinetic_of(kinetic.total<Sums>());
  if (peers.ranks) sum = peers.sum(sum);
  if (threadIdx.x == 0) thermostat->measured = sum;
  if (advances == Advances::Host) return;
  held.finish(sum, follows, factors);
  held.store();
}

/// A thermostat that a kernel advances which also moves atoms, or none.
struct MovingThermostat {
  ThermostatBatch *thermostat = nullptr;
  SumsOfBlocks kinetic;  ///< of the blocks that move atoms, unless there are so many that the sums are of groups
};

/// Does the work of kinetic_step_kernel(), thermostat_kernel() and step_kernel() in a step that another one follows:
/// each block writes the kinetic energy of its atoms, waits for the others, and advances a copy of the thermostat. All
/// blocks must be resident. `Gathers`: the kernel gathers the forces. `arrived`: see wait_for_grid().
template <class Format, bool Gathers>
__global__ void __launch_bounds__(tuning::kinetic_block)
    thermostat_step_kernel(const StepJob<Format> job, const MovingThermostat moving, unsigned *arrived) {
  constexpr int diagonal = KineticSums::n_diagonal;
  const DeviceState<Format> &state = job.state;
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(tuning::kinetic_block) + threadIdx.x;
  const bool mine = k < static_cast<std::size_t>(state.n);
  const std::size_t i = mine ? k : 0;
  __shared__ ThermostatOfBlock::Memory memory;
  __shared__ double factors[2];
  // loads before the wait read only what the force kernel, which may still run, does not write
  const ThermostatOfBlock held(memory, moving.thermostat);
  MovingAtom<Format> atom(job, i, factors);
  atom.load_coord();
  typename GatherJob<Format>::Slots slots;
  if constexpr (Gathers) slots = job.gather.slots(i);
  held.begin();
  wait_for_previous_kernel();
  if (job.guard->stopped) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) job.guard->enter(phase_moving);
  const int completed = job.guard->completed;
  Vec3<typename Format::Sum> sum;
  if constexpr (Gathers)
    sum = job.gather.force(i, slots);
  else
    sum = state.force.value(i);
  const auto f = DeviceState<Format>::converted(sum);
  KineticSums kinetic;
  if (mine) add_kicked(kinetic, job, i, atom.velocity(), f, moving.thermostat->measured_bit);
  moving.kinetic.write(blockIdx.x, first_of<diagonal>(kinetic));
  wait_for_grid(arrived);
  held.finish(kinetic_of(moving.kinetic.template total<diagonal>()), true, factors);
  if (blockIdx.x == 0) held.store();
  if (!mine) return;
  atom.end_step(f);
  const Vec3<float> by = atom.start_step(f, completed);
  atom.store_velocity();
  atom.expect(f, by);
}

}  // namespace cuda
}  // namespace triad
