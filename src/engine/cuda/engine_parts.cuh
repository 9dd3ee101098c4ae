// The parts of CudaEngine. Each has its own state, and refers only to parts that stand before it.
#pragma once

#include <vector>

#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/ghosts/peer_exchange.cuh"
#include "engine/cuda/lists/engine_lists.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/group_sums.cuh"
#include "engine/cuda/state/heat_current_sum.cuh"
#include "engine/cuda/state/langevin_tables.cuh"
#include "engine/cuda/state/queued_motion.cuh"
#include "engine/cuda/step/batch_samples.cuh"
#include "engine/cuda/step/changing_box.cuh"
#include "engine/cuda/step/combined_steps.cuh"
#include "engine/cuda/step/ends_of_steps.cuh"
#include "engine/cuda/step/force_changes.cuh"
#include "engine/cuda/step/step_graph.cuh"
#include "engine/cuda/step/step_launcher.cuh"
#include "engine/cuda/step/thermostat_steps.cuh"
#include "engine/cuda/terms/engine_terms.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

template <class Format>
struct EngineParts {
  /// Makes `device_index` current on this thread. Throws LoopError.
  EngineParts(const ForceTerms &all, int device_index, int n_threads)
      : EngineParts(all, MainTerm(all), device_index, n_threads) {}
  EngineParts(const ForceTerms &all, const MainTerm &main, int device_index, int n_threads)
      : device(device_index),
        tersoff(main.setup.table, device.stream()),
        terms(all, main.index, device, tersoff),
        atoms(device, tersoff, main.setup.type_to_element, n_threads),
        motion(device, atoms),
        sums(device, atoms),
        ghosts(device, tersoff, atoms),
        peers(device, tersoff, ghosts),
        lists(device, tersoff, terms, atoms, ghosts, peers),
        langevin(device),
        driving(device, tersoff, atoms, ghosts, peers),
        force_changes(device, tersoff, atoms, peers, lists, langevin, driving),
        ends(device, atoms, peers),
        heat(device, tersoff, peers),
        thermo(device, tersoff, terms),
        samples(atoms, ghosts, sums, heat, thermo),
        box(device, tersoff, ghosts, lists),
        steps(device, tersoff, atoms, langevin, box),
        thermostat(device, tersoff, terms, box) {}

  DeviceContext device;
  TersoffDevice<Format> tersoff;  ///< positions, pruned list and forces, ghosts included
  EngineTerms<Format> terms;      ///< further forces
  EngineAtoms<Format> atoms;
  QueuedMotion<Format> motion;
  GroupSums<Format> sums;
  EngineGhosts<Format> ghosts;
  PeerExchange<Format> peers;
  EngineLists<Format> lists;
  LangevinTables langevin;
  DrivingForce<Format> driving;
  ForceChanges<Format> force_changes;
  EndsOfSteps<Format> ends;
  HeatCurrentSum<Format> heat;
  ThermoSamples<Format> thermo;
  BatchSamples<Format> samples;
  ChangingBox<Format> box;  ///< of batches that change the box
  StepLauncher<Format> steps;
  ThermostatSteps<Format> thermostat;
  CombinedSteps<Format> combined_steps;
  StepGraphs step_graphs;  ///< of StepsAhead

  /// True if the device can make the steps of a batch without the host: no ghosts, or ghosts that travel between GPUs.
  bool runs_ahead() const { return ghosts.none() || peers.connected(); }

  /// Throws LoopError if a force since the last call was out of range. The device must be idle.
  void check_forces() {
    atoms.check_forces();
    terms.check_forces();
  }
  /// Forgets what check_forces() and the checks of positions would report. The device must be idle.
  void forget_errors() {
    atoms.forget_errors();
    terms.forget_errors();
  }

  /// Adds the forces of the further terms to those of a step.
  void add_terms(const TallyRequest &request) {
    if (terms.none()) return;
    tersoff.complete_forces(steps.guard());
    terms.launch(request, steps.guard());
  }

  /// Throws LoopError if steps have stopped for an error.
  void throw_stop(const StepGuard &guard) const {
    if (guard.bad_atom) atoms.throw_bad_position(guard.bad_atom - 1);
    if (guard.reasons() & stop_position)
      throw LoopError(
          "an atom of another rank moved much too far in one step; check for overlapping atoms and for the "
          "time step");
    peers.check_answers(guard.reasons());
  }

  double host_bytes() const {
    return double(lists.host_bytes() + atoms.host_bytes() + device.host_bytes() + motion.host_bytes() +
                  ghosts.host_bytes() + force_changes.host_bytes() + sums.host_bytes() + heat.host_bytes() +
                  thermo.host_bytes() + terms.host_bytes());
  }
  double device_bytes() const {
    return double(tersoff.bytes() + terms.device_bytes() + lists.device_bytes() + atoms.device_bytes() +
                  motion.device_bytes() + ghosts.device_bytes() + langevin.device_bytes() + driving.device_bytes() +
                  force_changes.device_bytes() + steps.device_bytes() + box.device_bytes() + thermostat.device_bytes() +
                  sums.device_bytes() + ends.device_bytes() + heat.device_bytes() + thermo.device_bytes() +
                  samples.device_bytes() + peers.device_bytes());
  }
};

}  // namespace cuda
}  // namespace triad
