// Samples in steps of a batch: sums over slabs, heat currents, kinetic sums, energy and virial.
#pragma once

#include <algorithm>

#include "engine/cuda/state/group_sums.cuh"
#include "engine/cuda/state/heat_current_sum.cuh"
#include "engine/cuda/step/thermo_samples.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class BatchSamples {
 public:
  BatchSamples(EngineAtoms<Format> &atoms, EngineGhosts<Format> &ghosts, GroupSums<Format> &sums,
               HeatCurrentSum<Format> &heat, ThermoSamples<Format> &thermo)
      : atoms_(atoms), ghosts_(ghosts), sums_(sums), heat_(heat), thermo_(thermo) {}

  /// Reserves memory for the samples of a batch. No other sums over slabs and heat currents may be computed until
  /// finish().
  void start(const StepBatch &batch) {
    sums_.start_samplings(batch);
    heat_.start(batch);
    thermo_.start(batch);
    if (!batch.samples_ends() || atoms_.n() == 0) return;
    // a list that the engine makes in the batch may have more ghosts, up to the capacity
    position_.reserve(std::size_t(atoms_.n()) + std::max(ghosts_.n(), ghosts_.plan().ghost_capacity));
    lower_.reserve(Coordinates<Format>::lower_elements(atoms_.state().at.stride));
    velocity_.reserve(3 * std::size_t(atoms_.n()));
  }
  /// Where the kernel that starts the next step copies the positions and velocities of the atoms to.
  DeviceState<Format> at_end() const {
    DeviceState<Format> state = atoms_.state();
    state.at.position = position_.data();
    state.at.lower = lower_.data();
    state.v = velocity_.data();
    return state;
  }
  /// Launches the samples at the end of a step, of the atoms in the state `state`. The pruned list is still that of
  /// this step.
  void launch(const StepBatch &batch, std::int64_t step, const DeviceState<Format> &state, StepGuard *guard) {
    sums_.launch_samplings(batch, step, state, guard);
    heat_.launch_samples(batch, step, state, guard);
    thermo_.launch_kinetic(batch, step, state, guard);
  }
  /// Launches the sample of energy and virial behind the forces of a step, counted from 1, if there is one.
  void sum_totals(const StepBatch &batch, long long number) {
    const std::int64_t step = batch.first_step + number - 1;
    if (batch.samples_totals_of(step)) thermo_.launch_totals(*batch.totals_sampling, step);
  }
  /// Copies the samples to the host. Asynchronous.
  void copy() {
    sums_.copy_samplings();
    heat_.copy_samples();
    thermo_.copy();
  }
  /// Reads the samples of the completed steps. The device must be idle.
  void finish(const StepBatch &batch, long long completed) const {
    sums_.finish_samplings(batch, completed);
    heat_.finish(batch, completed);
    thermo_.finish(batch, completed);
  }

  std::size_t device_bytes() const { return position_.bytes() + lower_.bytes() + velocity_.bytes(); }

 private:
  EngineAtoms<Format> &atoms_;
  EngineGhosts<Format> &ghosts_;
  GroupSums<Format> &sums_;
  HeatCurrentSum<Format> &heat_;
  ThermoSamples<Format> &thermo_;
  // of at_end()
  DeviceBuffer<typename PositionOf<Format>::type> position_{"samples"};
  DeviceBuffer<unsigned> lower_{"samples"};
  DeviceBuffer<typename DeviceState<Format>::Velocity> velocity_{"samples"};
};

}  // namespace cuda
}  // namespace triad
